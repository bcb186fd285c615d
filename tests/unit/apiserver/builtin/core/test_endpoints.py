from typing import Any

import pytest

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import ask, named
from tests.unit.apiserver.builtin.kind_server import KindServer


def test_ports_are_tcp_unless_said_otherwise() -> None:
    """Clients usually leave the protocol out."""
    subset = {"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 80}]}

    found = KindServer("", "endpoints").create({"subsets": [subset]})

    assert found["subsets"][0]["ports"] == [{"port": 80, "protocol": "TCP"}]


@pytest.mark.parametrize(
    ("subset", "problem"),
    [
        ({}, "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"),
        ({"addresses": [{"ip": "127.0.0.1"}]}, "subsets[0].addresses[0].ip: Invalid value"),
        (
            {"notReadyAddresses": [{"ip": "10.0.0.1", "hostname": "A"}]},
            "subsets[0].notReadyAddresses[0].hostname: Invalid value",
        ),
        (
            {"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 1}, {"port": 2, "name": "a"}]},
            "subsets[0].ports[0].name: Required value",
        ),
    ],
)
def test_endpoints_lead_somewhere(subset: dict[str, Any], problem: str) -> None:
    """kube-proxy forwards traffic to any address listed there."""
    server = KindServer("", "endpoints")

    assert problem in server.refusal({"subsets": [subset]})


async def test_who_asks_for_endpoints_is_told_to_ask_for_slices(server: APIServer) -> None:
    """The kind is deprecated since 1.33; readers are told as writers are."""
    path = "/api/v1/namespaces/default/endpoints"

    written = await ask(server, "POST", path, named("e"))
    read = await ask(server, "GET", path)

    text = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
    assert written.warnings == read.warnings == [f'299 - "{text}"']
