from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "flowcontrol.apiserver.k8s.io"
LEVEL = {"priorityLevelConfiguration": {"name": "a"}}
RULE: dict[str, Any] = {
    "subjects": [{"kind": "User", "user": {"name": "u"}}],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
}
REQUESTS = {"verbs": ["get"], "apiGroups": ["*"], "resources": ["*"]}


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({}, "name: Required value: must reference a priority level"),
        ({**LEVEL, "matchingPrecedence": 1}, "only the schema named 'exempt' may have"),
        ({**LEVEL, "matchingPrecedence": 10001}, "must not be greater than 10000"),
        ({**LEVEL, "distinguisherMethod": {"type": "X"}}, 'supported values: "ByNamespace", "ByUs'),
        ({**LEVEL, "rules": [{}]}, "subjects must contain at least one value"),
        ({**LEVEL, "rules": [{**RULE, "subjects": [{"kind": "X"}]}]}, '"Group", "ServiceAccount"'),
        (
            {**LEVEL, "rules": [{**RULE, "subjects": [{"kind": "Group"}]}]},
            "group is required when subject kind is 'Group'",
        ),
        (
            {**LEVEL, "rules": [{**RULE, "resourceRules": [REQUESTS]}]},
            "resource rules that are not cluster scoped must supply at least one namespace",
        ),
        ({**LEVEL, "rules": [RULE]}, ""),
    ],
)
def test_a_flow_schema_sorts_requests(spec: dict[str, Any], problem: str) -> None:
    """A flow schema assigns requests to a level by user and resource."""
    found = KindServer(GROUP, "flowschemas").refusal({"spec": spec})

    assert problem in found
    assert bool(problem) == bool(found)


def test_a_level_gets_shares_and_queues() -> None:
    """The defaults are those of Kubernetes."""
    limited = {"limitResponse": {"type": "Queue", "queuing": {}}}
    server = KindServer(GROUP, "prioritylevelconfigurations")

    spec = server.create({"spec": {"type": "Limited", "limited": limited}})["spec"]

    assert spec["limited"] == {
        "limitResponse": {
            "type": "Queue",
            "queuing": {"handSize": 8, "queues": 64, "queueLengthLimit": 50},
        },
        "nominalConcurrencyShares": 30,
        "lendablePercent": 0,
    }


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({}, "spec.type: Required value"),
        ({"type": "Exempt"}, "must be 'Exempt' if and only if `name` is 'exempt'"),
        ({"type": "Limited"}, "must not be empty when type is Limited"),
        ({"type": "X"}, 'supported values: "Exempt", "Limited"'),
        (
            {"type": "Limited", "limited": {"limitResponse": {"type": "Queue"}}},
            "must not be empty if limited.limitResponse.type is Limited",
        ),
        (
            {"type": "Limited", "limited": {"lendablePercent": 101}},
            "must be between 0 and 100, inclusive",
        ),
    ],
)
def test_a_level_is_limited_or_exempt(spec: dict[str, Any], problem: str) -> None:
    """Only the built-in level ``exempt`` has the type Exempt."""
    server = KindServer(GROUP, "prioritylevelconfigurations")

    assert problem in server.refusal({"spec": spec})
