from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer


def nodes() -> KindServer:
    return KindServer("", "nodes")


def test_a_new_node_shows_its_status() -> None:
    """Go writes these parts always, and clients read them."""
    found = nodes().create()

    assert found["status"]["daemonEndpoints"] == {"kubeletEndpoint": {"Port": 0}}
    assert found["status"]["nodeInfo"]["kubeletVersion"] == ""


def test_a_node_comes_with_its_status() -> None:
    """Kubelets register with what they have."""
    found = nodes().create({"status": {"capacity": {"cpu": "1"}}})

    assert found["status"]["allocatable"] == {"cpu": "1"}


def test_an_update_leaves_the_status_alone() -> None:
    """Only ``/status`` may change the status."""
    server = nodes()
    found = server.create({"status": {"capacity": {"cpu": "1"}}})

    changed = server.update(found, status={"capacity": {"cpu": "2"}})

    assert changed["status"] == found["status"]


def test_one_address_range_is_shown_in_both_fields() -> None:
    """Old programs read the one, new ones the other."""
    assert nodes().create({"spec": {"podCIDR": "10.1.0.0/24"}})["spec"]["podCIDRs"] == [
        "10.1.0.0/24"
    ]


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"taints": [{"key": "a"}]}, "metadata.taints[0].effect: Required value"),
        (
            {"taints": [{"key": "a", "effect": "X"}]},
            'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
        ),
        (
            {"taints": [{"key": "a", "effect": "NoExecute"}] * 2},
            'Duplicate value: {"Key":"a","Value":"","Effect":"NoExecute","TimeAdded":null}: taints',
        ),
        ({"podCIDRs": ["10.0.0.0/8", "11.0.0.0/8"]}, "no more than one CIDR for each IP family"),
    ],
)
def test_a_broken_node_is_refused(spec: dict[str, Any], problem: str) -> None:
    """The scheduler relies on taints and amounts."""
    assert problem in nodes().refusal({"spec": spec})


def test_what_the_cloud_has_set_stays() -> None:
    """The cloud has created routes for the pod CIDR and the provider ID."""
    server = nodes()
    found = server.create({"spec": {"podCIDR": "10.1.0.0/24", "providerID": "a"}})

    problem = server.refused_change(found, spec={"podCIDR": "10.2.0.0/24", "providerID": "b"})

    assert problem == (
        'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid;'
        " spec.providerID: Invalid value: null: field cannot be modified once set"
    )


def test_an_address_is_reported_once() -> None:
    """Two equal ones are a mistake of the kubelet."""
    server = nodes()
    found = server.create()
    address = {"type": "InternalIP", "address": "1.2.3.4"}
    new = {**found, "status": {**found["status"], "addresses": [address, address]}}

    (error,) = server.strategy.validate_status_update(new, found, server.write())

    assert error.text == 'Duplicate value: {"Type":"InternalIP","Address":"1.2.3.4"}'


def test_nodes_are_selected_by_whether_they_take_pods() -> None:
    """``--field-selector spec.unschedulable=true``."""
    fields = nodes().strategy.selectable_fields

    assert fields({"spec": {"unschedulable": True}}) == {"spec.unschedulable": "true"}
    assert fields({}) == {"spec.unschedulable": "false"}
