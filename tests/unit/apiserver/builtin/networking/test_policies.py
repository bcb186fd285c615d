from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "networking.k8s.io"


def test_a_policy_is_for_incoming_traffic_at_least() -> None:
    """What it says of outgoing traffic counts as well."""
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
    """An empty peer would be everybody, or nobody."""
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
    """Ranges are of numbers."""
    server = KindServer(GROUP, "networkpolicies")

    assert problem in server.refusal({"spec": {"egress": [{"ports": [port]}]}})


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({}, "spec.controller: Required value"),
        ({"controller": "x"}, 'must be a domain-prefixed path (such as "acme.io/foo")'),
        ({"controller": "a/b c"}, "Invalid path (regex used for validation is"),
        ({"controller": "a/" + "b" * 250}, "spec.controller: Too long: may not be more than 250"),
        ({"controller": "a/b", "parameters": {}}, "spec.parameters.kind: Required value"),
        (
            {"controller": "a/b", "parameters": {"kind": "K", "name": "n", "namespace": "x"}},
            "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
        ),
        (
            {"controller": "a/b", "parameters": {"kind": "K", "name": "n", "scope": "Namespace"}},
            "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
        ),
        ({"controller": "a/b"}, ""),
    ],
)
def test_an_ingress_class_names_its_controller(spec: dict[str, Any], problem: str) -> None:
    """Controllers look for their own name."""
    found = KindServer(GROUP, "ingressclasses").refusal({"spec": spec})

    assert problem in found
    assert bool(problem) == bool(found)


def test_the_controller_of_a_class_stays() -> None:
    """Ingresses would change hands."""
    server = KindServer(GROUP, "ingressclasses")
    found = server.create({"spec": {"controller": "a/b"}})

    problem = server.refused_change(found, spec={"controller": "a/c"})

    assert problem == 'spec.controller: Invalid value: "a/c": field is immutable'


def test_an_address_is_named_as_what_it_is() -> None:
    """So no two objects can be the same address."""
    rule = KindServer(GROUP, "ipaddresses").strategy.name_rule

    assert not rule("10.0.0.1")
    assert rule("2001:DB8::1") == ['must be in canonical form ("2001:db8::1")']
    assert rule("x") == ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]


def test_an_address_belongs_to_something_for_good() -> None:
    """It is released with its parent."""
    server = KindServer(GROUP, "ipaddresses")
    assert server.refusal() == "spec.parentRef: Required value"
    found = server.create({"spec": {"parentRef": {"resource": "services", "name": "a"}}})

    problem = server.refused_change(found, spec={"parentRef": {"resource": "x", "name": "b"}})

    assert problem.endswith("field is immutable")


@pytest.mark.parametrize(
    ("cidrs", "problem"),
    [
        ([], "spec.cidrs: Required value: at least one CIDR required"),
        (["10.0.0.0/8", "11.0.0.0/8"], "may specify no more than one IP for each IP family"),
        (["2001:DB8::/32"], 'must be in canonical form ("2001:db8::/32")'),
        (["10.0.0.0/8"] * 3, "may only hold up to 2 values"),
        (["10.0.0.0/8", "2001:db8::/64"], ""),
    ],
)
def test_networks_of_services_are_one_of_each_family(cidrs: list[str], problem: str) -> None:
    """Services have at most one address of each."""
    found = KindServer(GROUP, "servicecidrs").refusal({"spec": {"cidrs": cidrs}})

    assert problem in found
    assert bool(problem) == bool(found)


def test_a_second_network_may_come_later() -> None:
    """That is how a cluster becomes dual-stack."""
    server = KindServer(GROUP, "servicecidrs")
    found = server.create({"spec": {"cidrs": ["10.0.0.0/8"]}})

    both = {"cidrs": ["10.0.0.0/8", "2001:db8::/64"]}
    assert not server.refused_change(found, spec=both)
    assert "spec.cidrs[0]" in server.refused_change(found, spec={"cidrs": ["11.0.0.0/8"]})
