"""PriorityClasses."""

from typing import Any

import pytest

from kubewright.apiserver.builtin import strategy_for
from kubewright.apiserver.builtin.scheduling import system_classes
from tests.unit.apiserver.builtin.workload_samples import (
    Written,
    an_object,
    created,
    refusals,
)

GROUP = "scheduling.k8s.io"
RESERVED = (
    "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system"
    " use only. error:"
)


def test_the_two_classes_of_the_system_are_valid() -> None:
    """A server makes them when it starts."""
    for one in system_classes():
        assert created(GROUP, "priorityclasses", one) == one


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a", {"value": 1_000_000_000}, []),
        (
            "a",
            {"value": 1_000_000_001},
            ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"],
        ),
        ("system-x", {"value": 1}, [f"{RESERVED} system-x is not a known system priority class"]),
        (
            "system-node-critical",
            {"value": 1},
            [f"{RESERVED} value of system-node-critical PriorityClass must be 2000001000"],
        ),
        (
            "a",
            {"preemptionPolicy": "X"},
            [
                (
                    'preemptionPolicy: Unsupported value: "X": supported values: '
                    '"PreemptLowerPriority", "Never"'
                )
            ],
        ),
    ],
)
def test_the_highest_priorities_are_the_systems(
    name: str, content: Any, expected: list[str]
) -> None:
    """Users' pods must not preempt the cluster's own pods."""
    assert refusals(GROUP, "priorityclasses", an_object(content, name=name)) == expected


def test_a_class_keeps_its_value() -> None:
    """Pods remember the number, not the name."""
    strategy = strategy_for(GROUP, "priorityclasses")
    old, new = (
        {"metadata": {"name": "a"}, "value": value, "preemptionPolicy": "Never"} for value in (1, 2)
    )

    assert [str(error) for error in strategy.validate_update(new, old, Written())] == [
        "value: Forbidden: may not be changed in an update."
    ]
