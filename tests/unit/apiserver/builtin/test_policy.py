"""PodDisruptionBudgets."""

from typing import Any

import pytest

from tests.unit.apiserver.builtin.workload_samples import an_object, created, refusals


def test_an_empty_budget_shows_its_counts() -> None:
    """Go writes the counts even if they are zero."""
    stored = created("policy", "poddisruptionbudgets", an_object())

    assert set(stored["status"]) == {
        "disruptionsAllowed",
        "currentHealthy",
        "desiredHealthy",
        "expectedPods",
    }


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"minAvailable": 1}, []),
        (
            {"minAvailable": 1, "maxUnavailable": 1},
            [
                (
                    "spec: Invalid value: "
                    '{"MinAvailable":1,"Selector":null,"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}:'
                    " minAvailable and maxUnavailable cannot be both set"
                )
            ],
        ),
        (
            {"minAvailable": "101%"},
            ['spec.minAvailable: Invalid value: "101%": must not be greater than 100%'],
        ),
        (
            {"maxUnavailable": -1},
            ["spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            {"maxUnavailable": "half"},
            [
                (
                    'spec.maxUnavailable: Invalid value: "half": a valid percent string must be'
                    " a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex "
                    "used for validation is '[0-9]+%')"
                )
            ],
        ),
        (
            {"selector": {"matchExpressions": [{"key": "a", "operator": "In"}]}},
            [
                (
                    "spec.selector.matchExpressions[0].values: Required value: must be specified "
                    "when `operator` is 'In' or 'NotIn'"
                )
            ],
        ),
        (
            {"unhealthyPodEvictionPolicy": "X"},
            [
                (
                    'spec.unhealthyPodEvictionPolicy: Unsupported value: "X": supported values: '
                    '"AlwaysAllow", "IfHealthyBudget"'
                )
            ],
        ),
    ],
)
def test_a_budget_counts_one_way(spec: Any, expected: list[str]) -> None:
    """Two limits at once could contradict one another."""
    assert refusals("policy", "poddisruptionbudgets", an_object({"spec": spec})) == expected
