from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

READY = {"addresses": ["10.0.0.1"]}


def slices() -> KindServer:
    return KindServer("discovery.k8s.io", "endpointslices")


def test_a_slice_shows_both_lists_and_names_its_ports() -> None:
    """Go writes null for a list that is not there."""
    found = slices().create({"addressType": "IPv4", "ports": [{"port": 80}]})

    assert found["ports"] == [{"port": 80, "name": "", "protocol": "TCP"}]
    assert found["endpoints"] is None


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({}, "addressType: Required value"),
        ({"addressType": "X"}, 'supported values: "FQDN", "IPv4", "IPv6"'),
        ({"endpoints": [{}]}, "endpoints[0].addresses: Required value: must contain at least 1"),
        ({"endpoints": [{"addresses": ["fd00::1"]}]}, "must be an IPv4 address"),
        ({"endpoints": [READY] * 1001}, "endpoints: Too many: 1001: must have at most 1000 items"),
        ({"ports": [{}, {}]}, 'ports[1].name: Duplicate value: ""'),
        (
            {"addressType": "IPv6", "endpoints": [{"addresses": ["FD00::1"]}]},
            'must be in canonical form ("fd00::1")',
        ),
        (
            {"addressType": "FQDN", "endpoints": [{"addresses": ["a"]}]},
            "should be a domain with at least two segments separated by dots",
        ),
        (
            {"endpoints": [{**READY, "hints": {"forZones": [{"name": "a"}, {"name": "a"}]}}]},
            'endpoints[0].hints.forZones[1].name: Duplicate value: "a"',
        ),
    ],
)
def test_a_slice_is_of_one_sort(content: dict[str, Any], problem: str) -> None:
    """All of its addresses are of its type."""
    kind = {"addressType": "IPv4"} if content else {}

    assert problem in slices().refusal({**kind, **content})


def test_the_address_type_of_a_slice_stays() -> None:
    """Slices of another type are other slices."""
    server = slices()
    found = server.create({"addressType": "IPv4"})

    problem = server.refused_change(found, addressType="IPv6")

    assert problem == 'addressType: Invalid value: "IPv6": field is immutable'


def test_labels_count_for_the_generation_of_a_slice() -> None:
    """Consumers go by them as by the endpoints."""
    changed = slices().strategy.spec_changed
    old = {"metadata": {"name": "x"}, "ports": None}

    assert not changed({"metadata": {"name": "x", "annotations": {"a": "b"}}, "ports": None}, old)
    assert changed({"metadata": {"name": "x", "labels": {"a": "b"}}, "ports": None}, old)
    assert changed({"metadata": {"name": "x"}, "ports": []}, old)
