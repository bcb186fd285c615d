from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "networking.k8s.io"


def test_a_policy_is_for_incoming_traffic_at_least() -> None:
    """A policy with egress rules also applies to outgoing traffic."""
    server = KindServer(GROUP, "networkpolicies")

    assert server.create()["spec"] == {"podSelector": {}, "policyTypes": ["Ingress"]}
    spec = server.create({"spec": {"egress": [{"ports": [{"port": 53}]}]}})["spec"]
    assert spec["policyTypes"] == ["Ingress", "Egress"]
    assert spec["egress"][0]["ports"] == [{"port": 53, "protocol": "TCP"}]


@pytest.mark.parametrize(
    ("peer", "problem"),
    [
        ({}, "spec.ingress[0].from[0]: Required value: must specify a peer"),
        ({"ipBlock": {}}, "spec.ingress[0].from[0].ipBlock.cidr: Required value"),
        ({"ipBlock": {"cidr": "10.0.0.0/8"}, "podSelector": {}}, "both ipBlock and another peer"),
        (
            {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["11.0.0.0/9", "x"]}},
            'except[0]: Invalid value: "11.0.0.0/9": must be a strict subset of `cidr`',
        ),
        ({"namespaceSelector": {"matchLabels": {"-": ""}}}, "namespaceSelector.matchLabels: Inv"),
        ({"podSelector": {}}, ""),
    ],
)
def test_a_peer_is_one_thing(peer: dict[str, Any], problem: str) -> None:
    """It would be unclear whether an empty peer allows everything or nothing."""
    server = KindServer(GROUP, "networkpolicies")

    found = server.refusal({"spec": {"ingress": [{"from": [peer]}]}})

    assert problem in found
    assert bool(problem) == bool(found)


@pytest.mark.parametrize(
    ("port", "problem"),
    [
        ({"port": 0}, "ports[0].port: Invalid value: 0: must be between 1 and 65535"),
        ({"port": 10, "endPort": 5}, "endPort: Invalid value: 5: must be greater than or equal to"),
        ({"port": "http", "endPort": 5}, "may not be specified when `port` is non-numeric"),
        ({"endPort": 5}, "may not be specified when `port` is not specified"),
        ({"protocol": "X"}, 'supported values: "TCP", "UDP", "SCTP"'),
        ({"port": "A"}, "must contain only"),
    ],
)
def test_a_port_of_a_policy_is_a_port(port: dict[str, Any], problem: str) -> None:
    """Only numeric ports can have a range."""
    server = KindServer(GROUP, "networkpolicies")

    assert problem in server.refusal({"spec": {"egress": [{"ports": [port]}]}})
