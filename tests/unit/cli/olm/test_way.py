"""Who installs a bundle."""

from typing import Any

import pytest

from kubewright.api.requests import Request
from kubewright.bundle.phase import csv_definition
from kubewright.cli.deploy.screen import Screen
from kubewright.cli.olm.way import Way, find_way
from kubewright.client import Client, Config
from kubewright.client.transport import Response, Transport
from kubewright.errors import ConfigError
from kubewright.testing import EmbeddedServer, probe

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.mark.parametrize(
    ("crd", "direct", "way"),
    [("none", False, Way.DIRECT), ("none", True, Way.DIRECT), ("ours", False, Way.DIRECT),
     ("olm", False, Way.OLM)],
)  # fmt: skip
async def test_olm_installs_where_it_is(
    server: EmbeddedServer, crd: str, direct: bool, way: Way
) -> None:
    """And on the embedded cluster without it, we do."""
    if crd != "none":
        _bring(server, crd)
    async with Client(Config.load(server.kubeconfig_file)) as client:
        assert await find_way(client, Screen(client.clock), direct=direct) is way


async def test_both_together_are_refused(server: EmbeddedServer) -> None:
    """OLM and we would install the same operator twice."""
    _bring(server, "olm")
    async with Client(Config.load(server.kubeconfig_file)) as client:
        with pytest.raises(ConfigError, match=r"OLM is in this cluster.*Leave --direct out"):
            await find_way(client, Screen(client.clock), direct=True)


def _bring(server: EmbeddedServer, crd: str) -> None:
    document = csv_definition()
    if crd == "olm":
        del document["metadata"]["labels"]
    probe.ask(server, "POST", CRDS, body=document)


class Elsewhere:
    """A transport to a server that says it is somebody else's."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send it, and change the version in the answer."""
        found = await self._inner.send(request, timeout=timeout)
        body = found.body.replace(b"+kubewright", b"+other")
        return Response(found.status, found.headers, body)


async def test_elsewhere_somebody_has_to_say_direct(server: EmbeddedServer) -> None:
    """A cluster may lack OLM by mistake."""
    async with Client(Config.load(server.kubeconfig_file)) as client:
        client.rest.transport = Elsewhere(client.rest.transport)
        with pytest.raises(ConfigError, match=r"OLM is not in this cluster.*go without it with --"):
            await find_way(client, Screen(client.clock), direct=False)

        assert await find_way(client, Screen(client.clock), direct=True) is Way.DIRECT
