from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

PORT: dict[str, Any] = {"port": 80}


def refusal(spec: dict[str, Any]) -> str:
    return KindServer("", "services").refusal({"spec": spec})


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({}, "spec.ports: Required value"),
        ({"ports": [PORT, {"port": 81, "name": "b"}]}, "spec.ports[0].name: Required value"),
        ({"ports": [{"port": 0}]}, "spec.ports[0].port: Invalid value: 0: must be between 1 and"),
        (
            {"ports": [{"port": 1, "targetPort": "-"}]},
            'spec.ports[0].targetPort: Invalid value: "-": must contain at least one letter (a-z)',
        ),
        (
            {"ports": [{"port": 1, "protocol": "X"}]},
            'Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
        ),
        ({"ports": [PORT], "type": "Foo"}, 'spec.type: Unsupported value: "Foo"'),
        ({"ports": [PORT], "sessionAffinity": "Foo"}, "spec.sessionAffinity: Unsupported value"),
        ({"ports": [PORT], "selector": {"-": "x"}}, "spec.selector: Invalid value"),
        ({"type": "ExternalName"}, "spec.externalName: Required value"),
        (
            {"type": "ExternalName", "externalName": "a", "clusterIPs": ["1.2.3.4"]},
            "spec.clusterIPs: Forbidden: may not be set for ExternalName services",
        ),
        (
            {"ports": [{"port": 80, "nodePort": 30100}]},
            "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
        ),
        (
            {"ports": [{**PORT, "name": "a"}, {**PORT, "name": "b"}]},
            'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP"',
        ),
        (
            {"ports": [{**PORT, "name": "a"}, {"port": 81, "name": "a"}]},
            'spec.ports[1].name: Duplicate value: "a"',
        ),
        (
            {"ports": [PORT], "externalIPs": ["127.0.0.1"]},
            "may not be in the loopback range (127.0.0.0/8, ::1/128)",
        ),
        (
            {"ports": [PORT], "type": "NodePort", "clusterIP": "None"},
            "may not be set to 'None' for NodePort services",
        ),
        (
            {"ports": [PORT], "loadBalancerClass": "a/b"},
            "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
        ),
        (
            {"ports": [PORT], "loadBalancerSourceRanges": ["x"]},
            'spec.LoadBalancerSourceRanges[0]: Invalid value: "x": must be a valid CIDR value',
        ),
        (
            {"ports": [PORT], "externalTrafficPolicy": "Local"},
            "may only be set for externally-accessible services",
        ),
        (
            {"ports": [PORT], "healthCheckNodePort": 30000},
            "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
        ),
        (
            {"ports": [PORT], "trafficDistribution": "X"},
            'supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
        ),
        (
            {
                "ports": [PORT],
                "sessionAffinity": "ClientIP",
                "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 0}},
            },
            "must be greater than 0 and less than 86400",
        ),
        (
            {"ports": [PORT], "clusterIP": "None", "clusterIPs": ["None", "10.96.1.1"]},
            "'None' must be the first and only value",
        ),
    ],
)
def test_a_broken_rule_is_told_in_kubernetes_words(spec: dict[str, Any], problem: str) -> None:
    """People search for these texts."""
    assert problem in refusal(spec)


def test_the_status_has_addresses_only_for_load_balancers() -> None:
    """Others have no balancer to report."""
    server = KindServer("", "services")
    found = server.create({"spec": {"ports": [PORT]}})
    found["status"] = {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}

    (error,) = server.strategy.validate_status_update(found, found, server.write())

    assert str(error).endswith("Forbidden: may only be used when `spec.type` is 'LoadBalancer'")


@pytest.mark.parametrize(
    ("point", "problem"),
    [
        ({"ip": "x"}, "must be a valid IP address"),
        ({"hostname": "1.2.3.4"}, "must be a DNS name, not an IP address"),
        ({"hostname": "a", "ipMode": "VIP"}, "may not be specified when `ip` is not set"),
        ({"ip": "1.2.3.4", "ipMode": "X"}, 'supported values: "Proxy", "VIP"'),
    ],
)
def test_a_point_of_entry_is_an_address_or_a_name(point: dict[str, str], problem: str) -> None:
    """Ingress controllers and clouds write these."""
    server = KindServer("", "services")
    found = server.create({"spec": {"type": "LoadBalancer", "ports": [PORT]}})
    found["status"] = {"loadBalancer": {"ingress": [point]}}

    (error,) = server.strategy.validate_status_update(found, found, server.write())

    assert problem in str(error)


def test_fields_without_effect_are_warned_of() -> None:
    """They are printed by kubectl."""
    server = KindServer("", "services")

    server.create({"spec": {"ports": [PORT], "externalName": "a", "externalIPs": ["1.2.3.4"]}})

    assert server.warnings == [
        "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
        'spec.externalName is ignored when spec.type is not "ExternalName"',
    ]
