from typing import Any

import pytest

from tests.unit.apiserver.table.rows import row

NETWORKING = "networking.k8s.io"


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
    """It depends on the type."""
    assert row("", "services", {"spec": spec, "status": status})["External-IP"] == shown


def test_a_service_shows_its_ports() -> None:
    """With the port of the nodes in the middle."""
    ports = [{"port": 80, "nodePort": 30080, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]

    found = row("", "services", {"spec": {"clusterIPs": ["10.0.0.1"], "ports": ports}})

    assert (found["Cluster-IP"], found["Port(s)"]) == ("10.0.0.1", "80:30080/TCP,53/UDP")
    assert row("", "services")["Port(s)"] == "<none>"


def test_endpoints_show_the_first_three() -> None:
    """And count the others; IPv6 has brackets."""
    ips = [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}]
    subsets = [{"addresses": ips, "ports": [{"port": 80}, {"port": 81}]}, {"addresses": ips}]

    found = row("", "endpoints", {"subsets": subsets})["Endpoints"]

    assert found == "10.0.0.1:80,[fd00::1]:80,10.0.0.1:81 + 3 more..."
    assert row("", "endpoints")["Endpoints"] == "<none>"
    assert row("", "endpoints", {"subsets": [{"notReadyAddresses": ips}]})["Endpoints"] == ""


def test_a_slice_shows_ports_and_addresses() -> None:
    """A port without a number goes by its name."""
    content = {
        "addressType": "IPv4",
        "ports": [{"port": 80}, {"name": "b"}, {}],
        "endpoints": [{"addresses": [f"10.0.0.{last}"]} for last in range(4)],
    }

    found = row("discovery.k8s.io", "endpointslices", content)

    assert found["Ports"] == "80,b,*"
    assert found["Endpoints"] == "10.0.0.0,10.0.0.1,10.0.0.2 + 1 more..."
    assert row("discovery.k8s.io", "endpointslices")["Ports"] == "<unset>"


def test_an_ingress_shows_its_hosts() -> None:
    """A star for all of them."""
    rules = [{"host": f"{name}.example"} for name in "abcd"]

    found = row(NETWORKING, "ingresses", {"spec": {"rules": rules, "tls": [{}]}})

    assert found["Hosts"] == "a.example,b.example,c.example + 1 more..."
    assert (found["Ports"], found["Class"]) == ("80, 443", "<none>")
    empty = row(NETWORKING, "ingresses")
    assert (empty["Hosts"], empty["Address"], empty["Ports"]) == ("*", "", "80")


def test_the_default_ingress_class_is_marked() -> None:
    """As the default storage class is."""
    notes = {"ingressclass.kubernetes.io/is-default-class": "true"}
    parameters = {"kind": "K", "name": "n", "apiGroup": "a.b"}
    content = {"spec": {"controller": "c/d", "parameters": parameters}}

    found = row(NETWORKING, "ingressclasses", content, annotations=notes)

    assert (found["Name"], found["Parameters"]) == ("x (default)", "K.a.b/n")
    assert row(NETWORKING, "ingressclasses")["Parameters"] == "<none>"


def test_policies_networks_and_addresses() -> None:
    """The rest of the group."""
    policy = row(NETWORKING, "networkpolicies", {"spec": {"podSelector": {}}})
    cidr = row(NETWORKING, "servicecidrs", {"spec": {"cidrs": ["10.0.0.0/8", "fd00::/64"]}})
    parent = {"resource": "services", "namespace": "n", "name": "s"}
    address = row(NETWORKING, "ipaddresses", {"spec": {"parentRef": parent}})

    assert policy["Pod-Selector"] == "<none>"
    assert cidr["CIDRs"] == "10.0.0.0/8,fd00::/64"
    assert address["ParentRef"] == "services/n/s"
