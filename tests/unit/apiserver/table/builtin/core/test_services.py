from typing import Any

import pytest

from tests.unit.apiserver.table.rows import row


@pytest.mark.parametrize(
    ("spec", "status", "shown"),
    [
        ({"type": "ClusterIP"}, {}, "<none>"),
        ({"type": "NodePort", "externalIPs": ["1.1.1.1", "2.2.2.2"]}, {}, "1.1.1.1,2.2.2.2"),
        ({"type": "LoadBalancer"}, {}, "<pending>"),
        (
            {"type": "LoadBalancer", "externalIPs": ["9.9.9.9"]},
            {"loadBalancer": {"ingress": [{"hostname": "b"}, {"ip": "1.1.1.1"}]}},
            "1.1.1.1,b,9.9.9.9",
        ),
        ({"type": "ExternalName", "externalName": "a.b"}, {}, "a.b"),
        ({}, {}, "<unknown>"),
    ],
)
def test_a_service_shows_where_it_is_reached_from_outside(
    spec: dict[str, Any], status: dict[str, Any], shown: str
) -> None:
    """The external address depends on the type."""
    assert row("", "services", {"spec": spec, "status": status})["External-IP"] == shown


def test_a_service_shows_its_ports() -> None:
    """The node port is between the port and the protocol."""
    ports = [{"port": 80, "nodePort": 30080, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]

    found = row("", "services", {"spec": {"clusterIPs": ["10.0.0.1"], "ports": ports}})

    assert (found["Cluster-IP"], found["Port(s)"]) == ("10.0.0.1", "80:30080/TCP,53/UDP")
    assert row("", "services")["Port(s)"] == "<none>"
