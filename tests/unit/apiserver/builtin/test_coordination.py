from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"leaseDurationSeconds": 0}, "Invalid value: 0: must be greater than 0"),
        ({"leaseTransitions": -1}, "Invalid value: -1: must be greater than or equal to 0"),
        ({"preferredHolder": "a"}, "may only be specified if `strategy` is defined"),
        ({"strategy": "X"}, 'supported values: "OldestEmulationVersion"'),
        ({"strategy": "example.com/mine", "preferredHolder": "a"}, ""),
        ({"leaseDurationSeconds": 15, "leaseTransitions": 0}, ""),
    ],
)
def test_a_lease_has_numbers_that_make_sense(spec: dict[str, Any], problem: str) -> None:
    """Leader election would never end otherwise."""
    found = KindServer("coordination.k8s.io", "leases").refusal({"spec": spec})

    assert problem in found
    assert bool(problem) == bool(found)


def test_a_lease_may_be_created_by_an_update() -> None:
    """Kubernetes allows it, and wants a resource version otherwise."""
    strategy = KindServer("coordination.k8s.io", "leases").strategy

    assert strategy.allow_create_on_update
    assert not strategy.allow_unconditional_update
