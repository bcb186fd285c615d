"""The namespaces that the user names."""

import pytest

from kubewright.api.meta import ObjectMeta
from kubewright.cli.namespaces import NamespaceCheck, check_namespaces
from kubewright.errors import ConfigError
from kubewright.kinds.core.v1 import Namespace
from kubewright.testing import EmbeddedServer


@pytest.mark.parametrize("name", ["Bad_NS", "", "a.b", "-a", "a" * 64])
def test_what_can_be_no_namespace_is_refused(name: str) -> None:
    """The operator would wait for it for ever."""
    with pytest.raises(ConfigError, match=r"no such namespace: --namespace: .* not a valid name"):
        check_namespaces(["good", name], option="--namespace")


async def test_a_namespace_that_does_not_exist_is_said(caplog: pytest.LogCaptureFixture) -> None:
    """It is a typing error, most of the time; but it may also be made later."""
    async with EmbeddedServer() as server, server.client() as client:
        await client.create(Namespace(metadata=ObjectMeta(name="shop")))

        await NamespaceCheck(client, ["default", "shop", "shpo"]).run()

    (line,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert line.startswith("namespace does not exist, will wait for it namespace='shpo' hint=")


async def test_who_may_not_look_is_told_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """An operator in one namespace needs no right to read namespaces."""
    async with EmbeddedServer(rbac=True) as server, server.client(server.nobody) as client:
        await NamespaceCheck(client, ["shpo"]).run()

    assert not [record for record in caplog.records if record.levelname == "WARNING"]
