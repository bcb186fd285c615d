from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "admissionregistration.k8s.io"
RULE = {
    "operations": ["CREATE"],
    "apiGroups": [""],
    "apiVersions": ["v1"],
    "resources": ["pods"],
}
HOOK: dict[str, Any] = {
    "name": "a.example.com",
    "clientConfig": {"service": {"name": "s", "namespace": "n"}},
    "admissionReviewVersions": ["v1"],
    "sideEffects": "None",
    "rules": [RULE],
}


def refusal(**change: Any) -> str:
    server = KindServer(GROUP, "mutatingwebhookconfigurations")
    return server.refusal({"webhooks": [{**HOOK, **change}]})


def test_a_webhook_gets_all_its_defaults() -> None:
    """The dispatcher relies on every one."""
    server = KindServer(GROUP, "mutatingwebhookconfigurations")

    (hook,) = server.create({"webhooks": [HOOK]})["webhooks"]

    assert hook == {
        **HOOK,
        "clientConfig": {"service": {"name": "s", "namespace": "n", "port": 443}},
        "rules": [{**RULE, "scope": "*"}],
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        "namespaceSelector": {},
        "objectSelector": {},
        "timeoutSeconds": 10,
        "reinvocationPolicy": "Never",
    }


def test_a_validating_webhook_is_not_called_again() -> None:
    """Only mutating webhooks have a reinvocation policy."""
    server = KindServer(GROUP, "validatingwebhookconfigurations")

    assert "reinvocationPolicy" not in server.create({"webhooks": [HOOK]})["webhooks"][0]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"name": ""}, "webhooks[0].name: Required value"),
        ({"name": "a.b"}, "should be a domain with at least three segments separated by dots"),
        ({"failurePolicy": "X"}, 'supported values: "Fail", "Ignore"'),
        ({"matchPolicy": "X"}, 'supported values: "Equivalent", "Exact"'),
        ({"reinvocationPolicy": "X"}, 'supported values: "IfNeeded", "Never"'),
        ({"sideEffects": "Some"}, 'supported values: "None", "NoneOnDryRun"'),
        ({"sideEffects": None}, "must specify one of None, NoneOnDryRun"),
        ({"timeoutSeconds": 31}, "the timeout value must be between 1 and 30 seconds"),
        ({"admissionReviewVersions": []}, "must specify one of v1, v1beta1"),
        ({"admissionReviewVersions": ["v9"]}, "must include at least one of v1, v1beta1"),
        ({"admissionReviewVersions": ["v1", "v1"]}, "duplicate version"),
        ({"objectSelector": {"matchLabels": {"-": ""}}}, "objectSelector.matchLabels: Invalid"),
        ({"matchConditions": [{"name": "a"}]}, "matchConditions[0].expression: Required value"),
        (
            {"matchConditions": [{"name": "a", "expression": "1 +"}]},
            'matchConditions[0].expression: Invalid value: "1 +": compilation failed: ERROR:',
        ),
        (
            {"matchConditions": [{"name": "a", "expression": "object.a"}]},
            "must evaluate to bool but got dyn",
        ),
        (
            {"matchConditions": [{"name": "a", "expression": "true"}] * 2},
            'matchConditions[1].name: Duplicate value: "a"',
        ),
        ({}, ""),
    ],
)
def test_a_webhook_is_checked_before_it_stands_in_the_way(
    change: dict[str, Any], problem: str
) -> None:
    """A broken one would refuse everything."""
    found = refusal(**change)

    assert problem in found
    assert bool(problem) == bool(found)


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({}, "exactly one of url or service is required"),
        ({"url": "http://a"}, "'https' is the only allowed URL scheme; desired format: https://h"),
        ({"url": "https://"}, "host must be specified"),
        ({"url": "https://u:p@a"}, '"u:p": user information is not permitted in the URL'),
        ({"url": "https://a?b"}, "query parameters are not permitted in the URL"),
        ({"url": "https://a#b"}, "fragments are not permitted in the URL"),
        ({"service": {"name": "a"}}, "clientConfig.service.name: Required value"),
        (
            {"service": {"name": "a", "namespace": "b", "port": 0}},
            "port is not valid: must be betw",
        ),
        ({"service": {"name": "a", "namespace": "b", "path": "x"}}, "must start with a '/'"),
        (
            {"service": {"name": "a", "namespace": "b", "path": "/a//b"}},
            "segment[1] may not be emp",
        ),
        ({"url": "https://a:8443/path"}, ""),
    ],
)
def test_a_webhook_can_be_reached(config: dict[str, Any], problem: str) -> None:
    """A webhook needs exactly one of a URL and a service."""
    found = refusal(clientConfig=config)

    assert problem in found
    assert bool(problem) == bool(found)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"operations": []}, "rules[0].operations: Required value"),
        ({"operations": ["*", "CREATE"]}, "if '*' is present, must not specify other operations"),
        ({"operations": ["X"]}, 'supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"'),
        ({"apiGroups": ["*", "a"]}, "if '*' is present, must not specify other API groups"),
        ({"apiVersions": [""]}, "rules[0].apiVersions[0]: Required value"),
        ({"resources": []}, "rules[0].resources: Required value"),
        ({"resources": ["a/*", "a/b"]}, "if 'a/*' is present, must not specify a/b"),
        ({"resources": ["*/b", "a/b"]}, "if '*/b' is present, must not specify a/b"),
        ({"resources": ["*/*", "a"]}, "if '*/*' is present, must not specify other resources"),
        ({"resources": ["*", "a"]}, "must not specify other resources without subresources"),
        ({"scope": "X"}, 'supported values: "*", "Cluster", "Namespaced"'),
        ({"resources": ["pods", "pods/*"]}, ""),
    ],
)
def test_a_rule_is_unambiguous(change: dict[str, Any], problem: str) -> None:
    """A wildcard cannot be combined with other entries."""
    found = refusal(rules=[{**RULE, **change}])

    assert problem in found
    assert bool(problem) == bool(found)


def test_names_of_webhooks_are_unique() -> None:
    """Messages tell them apart by it."""
    server = KindServer(GROUP, "validatingwebhookconfigurations")

    problem = server.refusal({"webhooks": [HOOK, HOOK]})

    assert problem == 'webhooks[1].name: Duplicate value: "a.example.com"'


def test_webhooks_count_for_the_generation() -> None:
    """The kind has no spec, so a change of its webhooks must increment the generation."""
    changed = KindServer(GROUP, "validatingwebhookconfigurations").strategy.spec_changed

    assert changed({"webhooks": [HOOK]}, {"webhooks": []})
    assert not changed({"webhooks": [HOOK], "metadata": {}}, {"webhooks": [HOOK]})
