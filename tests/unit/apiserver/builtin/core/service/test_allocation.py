from typing import Any

import pytest

from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.builtin.kind_server import KindServer

PORT: dict[str, Any] = {"port": 80}


def services() -> KindServer:
    return KindServer("", "services")


def node_port(port: int, **more: Any) -> dict[str, Any]:
    return {"spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": port, **more}]}}


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"clusterIP": "10.96.9.9"}, "failed to allocate IP 10.96.9.9: provided IP is already"),
        ({"clusterIP": "1.2.3.4"}, "the provided IP (1.2.3.4) is not in the valid range"),
        ({"clusterIP": "foo"}, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
        ({"clusterIPs": ["10.96.1.1"]}, "must be empty when `clusterIP` is not specified"),
        ({"clusterIP": "fd00::1"}, "IPv6 is not configured on this cluster"),
        ({"ipFamilyPolicy": "RequireDualStack"}, "not configured for dual-stack services"),
        ({"ipFamilies": ["IPv6"]}, 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured'),
        ({"ipFamilies": ["IPv4", "IPv6"]}, "when multiple IP families are specified"),
    ],
)
def test_an_address_that_cannot_be_had_is_refused(spec: dict[str, Any], problem: str) -> None:
    """The texts are those of the allocators of Kubernetes."""
    server = services()
    server.create({"spec": {"clusterIP": "10.96.9.9", "ports": [PORT]}}, name="first")

    assert problem in server.refusal({"spec": {"ports": [PORT], **spec}})


def test_a_node_port_has_one_owner() -> None:
    """Creating the same service again fails for its port: allocation precedes the name check."""
    server = services()
    server.create(node_port(30100), name="first")

    taken = "spec.ports[0].nodePort: Invalid value: 30100: provided port is already allocated"
    assert server.refusal(node_port(30100)) == taken
    assert server.refusal(node_port(30100), name="first") == taken


def test_a_node_port_is_of_the_range() -> None:
    """Node ports are in Kubernetes' default range, 30000 to 32767."""
    problem = services().refusal(node_port(80))

    assert problem.endswith("The range of valid ports is 30000-32767")


def test_one_port_in_two_protocols_shares_its_node_port() -> None:
    """A DNS service has one number for TCP and UDP."""
    ports = [{"port": 53, "name": "t"}, {"port": 53, "name": "u", "protocol": "UDP"}]

    found = services().create({"spec": {"type": "NodePort", "ports": ports}})["spec"]["ports"]

    assert found[0]["nodePort"] == found[1]["nodePort"]


def test_two_ports_cannot_ask_for_one_node_port() -> None:
    """They are different ports of the service."""
    ports = [
        {"port": 1, "name": "a", "nodePort": 30500},
        {"port": 2, "name": "b", "nodePort": 30500, "protocol": "UDP"},
    ]

    problem = services().refusal({"spec": {"type": "NodePort", "ports": ports}})

    assert problem.startswith("spec.ports[1].nodePort")


def test_no_node_ports_for_a_balancer_that_wants_none() -> None:
    """Some clouds send traffic to pods directly."""
    spec = {
        "type": "LoadBalancer",
        "allocateLoadBalancerNodePorts": False,
        "ports": [PORT],
    }

    assert "nodePort" not in services().create({"spec": spec})["spec"]["ports"][0]


def test_local_traffic_has_a_port_for_health_checks() -> None:
    """The balancer must learn which nodes have a pod."""
    spec = {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "ports": [PORT]}

    assert services().create({"spec": spec})["spec"]["healthCheckNodePort"] >= 30000


def test_a_headless_service_without_selector_is_of_both_families() -> None:
    """Its endpoints are made by hand and may be of any."""
    spec = services().create({"spec": {"clusterIP": "None", "ports": [PORT]}})["spec"]

    assert (spec["clusterIPs"], spec["ipFamilies"]) == (["None"], ["IPv4", "IPv6"])
    assert spec["ipFamilyPolicy"] == "RequireDualStack"


def test_a_dry_run_keeps_nothing() -> None:
    """The address that it shows is still free."""
    server = services()

    shown = server.create(node_port(30100), dry_run=True)

    assert shown["spec"]["clusterIP"] == "10.96.1.0"
    assert not server.refusal(node_port(30100))


def test_deleting_gives_everything_back() -> None:
    """The next one may have the same port."""
    server = services()
    first = server.create(node_port(30100), name="first")

    server.delete(first)

    assert not server.refusal(node_port(30100))


def test_what_is_asked_for_when_no_address_is_left_is_an_error_of_ours() -> None:
    """The user did nothing wrong, so it is a 500."""
    server = services()
    pool = server.strategy.pool(server.write())  # type: ignore[attr-defined]  # ServiceStrategy's
    pool.addresses._size = 0

    with pytest.raises(StatusError, match="failed to allocate a serviceIP for Service") as caught:
        server.create({"spec": {"ports": [PORT]}})

    assert caught.value.code == 500
