from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer


def quota(**spec: Any) -> dict[str, Any]:
    return {"spec": spec}


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"hard": {"foo": "1"}}, "must be a standard resource type or fully qualified"),
        ({"hard": {"storage": "1"}}, "must be a standard resource for quota"),
        (
            {"hard": {"pods": "1500m"}},
            'spec.hard[pods]: Invalid value: "1500m": must be an integer',
        ),
        ({"hard": {"cpu": "-1"}}, "must be greater than or equal to 0"),
        ({"scopes": ["X"]}, 'spec.scopes: Invalid value: ["X"]: unsupported scope'),
        ({"scopes": ["BestEffort", "NotBestEffort"]}, "conflicting scopes"),
        ({"scopes": ["BestEffort"], "hard": {"cpu": "1"}}, "unsupported scope applied to resource"),
        (
            {
                "scopeSelector": {
                    "matchExpressions": [{"scopeName": "PriorityClass", "operator": "In"}]
                }
            },
            "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
        ({"hard": {"pods": "1", "count/jobs.batch": "2", "requests.nvidia.com/gpu": "1"}}, ""),
        ({"scopes": ["Terminating"], "hard": {"limits.cpu": "1", "pods": "1"}}, ""),
    ],
)
def test_a_quota_limits_what_there_is(spec: dict[str, Any], problem: str) -> None:
    """A limit of something unknown would never hold."""
    found = KindServer("", "resourcequotas").refusal(quota(**spec))

    assert problem in found
    assert bool(problem) == bool(found)


def test_the_scopes_of_a_quota_stay() -> None:
    """Otherwise the usage would have to be counted again."""
    server = KindServer("", "resourcequotas")
    found = server.create(quota(hard={"pods": "1"}))

    problem = server.refused_change(found, spec={"hard": {"pods": "1"}, "scopes": ["BestEffort"]})

    assert problem == 'spec.scopes: Invalid value: ["BestEffort"]: field is immutable'
