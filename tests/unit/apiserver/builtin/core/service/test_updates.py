from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

PORT: dict[str, Any] = {"port": 80}
Created = tuple[KindServer, dict[str, Any]]


def created(**spec: Any) -> Created:
    server = KindServer("", "services")
    return server, server.create({"spec": {"ports": [PORT], **spec}})


def test_the_same_manifest_can_be_sent_again() -> None:
    """``kubectl replace`` knows nothing of what the server chose."""
    server, found = created(type="NodePort")

    again = server.update(found, spec={"type": "NodePort", "ports": [PORT]})

    assert again["spec"] == found["spec"]


def test_becoming_an_external_name_drops_what_it_cannot_have() -> None:
    """The addresses go back, the families mean nothing."""
    server, found = created()
    spec = {**found["spec"], "type": "ExternalName", "externalName": "a.b"}

    changed = server.update(found, spec=spec)["spec"]

    assert not {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"} & {*changed}


def test_an_external_name_that_becomes_a_service_gets_an_address() -> None:
    """It is as good as new."""
    server = KindServer("", "services")
    found = server.create({"spec": {"type": "ExternalName", "externalName": "a.b"}})

    changed = server.update(found, spec={"type": "ClusterIP", "ports": [PORT]})["spec"]

    assert changed["clusterIPs"] == [changed["clusterIP"]] == ["10.96.1.0"]


def test_leaving_the_nodes_drops_the_node_ports() -> None:
    """A ClusterIP service must not hold ports that it cannot use."""
    server, found = created(type="LoadBalancer", externalTrafficPolicy="Local")
    spec = {**found["spec"], "type": "ClusterIP"}

    changed = server.update(found, spec=spec)["spec"]

    assert "nodePort" not in changed["ports"][0]
    left = {"externalTrafficPolicy", "healthCheckNodePort", "allocateLoadBalancerNodePorts"}
    assert not left & {*changed}


def test_coming_to_the_nodes_adds_node_ports() -> None:
    """``kubectl patch svc x -p '{"spec":{"type":"NodePort"}}'``."""
    server, found = created()

    changed = server.update(found, spec={**found["spec"], "type": "NodePort"})["spec"]

    assert changed["ports"][0]["nodePort"] == 30086


def test_a_port_keeps_its_node_port_by_name() -> None:
    """The port number may change as long as the name stays."""
    server, found = created(type="NodePort")

    changed = server.update(found, spec={"type": "NodePort", "ports": [{"port": 81}]})["spec"]

    assert changed["ports"][0]["nodePort"] == found["spec"]["ports"][0]["nodePort"]


@pytest.mark.parametrize(
    ("before", "change", "problem"),
    [
        ({}, {"clusterIP": "10.96.9.9"}, 'spec.clusterIPs[0]: Invalid value: ["10.96.9.9"]: may'),
        ({}, {"clusterIP": "None"}, "may not change once set"),
        (
            {"type": "LoadBalancer", "loadBalancerClass": "a/b"},
            {"loadBalancerClass": "a/c"},
            'spec.loadBalancerClass: Invalid value: "a/c": may not change once set',
        ),
        (
            {"type": "LoadBalancer", "externalTrafficPolicy": "Local"},
            {"healthCheckNodePort": 32000},
            "spec.healthCheckNodePort: Forbidden: field is immutable",
        ),
    ],
)
def test_what_was_given_cannot_be_changed(
    before: dict[str, Any], change: dict[str, Any], problem: str
) -> None:
    """Clients keep using the address that they know."""
    server, found = created(**before)

    refused = server.refused_change(found, spec={**found["spec"], **change})

    assert problem in refused
