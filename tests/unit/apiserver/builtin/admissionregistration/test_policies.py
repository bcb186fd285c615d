from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "admissionregistration.k8s.io"
RULE = {
    "operations": ["CREATE"],
    "apiGroups": ["apps"],
    "apiVersions": ["v1"],
    "resources": ["deployments"],
}
PATCH = "[JSONPatch{op: 'remove', path: '/spec'}]"
ONE = {"name": "a", "expression": "1"}
POLICY: dict[str, Any] = {
    "matchConstraints": {"resourceRules": [RULE]},
    "validations": [{"expression": "true"}],
}


def test_a_policy_fails_closed_and_matches_equivalents() -> None:
    """A policy that cannot be evaluated must not let writes through."""
    found = KindServer(GROUP, "validatingadmissionpolicies").create({"spec": POLICY})

    assert found["spec"]["failurePolicy"] == "Fail"
    assert found["spec"]["matchConstraints"] == {
        "matchPolicy": "Equivalent",
        "namespaceSelector": {},
        "objectSelector": {},
        "resourceRules": [{**RULE, "scope": "*"}],
    }
    assert found["status"] == {}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"matchConstraints": None}, "spec.matchConstraints: Required value"),
        ({"matchConstraints": {}}, "spec.matchConstraints.resourceRules: Required value"),
        ({"validations": []}, "validations or auditAnnotations must contain at least one item"),
        ({"validations": [{}]}, "expression: Required value: expression is not specified"),
        ({"validations": [{"expression": "a", "message": "a\nb"}]}, "must not contain line breaks"),
        ({"validations": [{"expression": "a", "message": " "}]}, "must be non-empty if specified"),
        ({"validations": [{"expression": "a", "reason": "X"}]}, '"RequestEntityTooLarge"'),
        ({"failurePolicy": "X"}, "spec.failurePolicy: Unsupported value"),
        ({"paramKind": {"apiVersion": "a/b/c", "kind": "K"}}, "unexpected GroupVersion string: a"),
        ({"paramKind": {"apiVersion": "v1", "kind": "A B"}}, "may have mixed case, but should oth"),
        ({"variables": [{"name": "a"}]}, "spec.variables[0].expression: Required value"),
        ({"auditAnnotations": [{"key": "a"}]}, "valueExpression is not specified"),
        ({}, ""),
    ],
)
def test_a_policy_asks_something_of_something(change: dict[str, Any], problem: str) -> None:
    """A policy without rules or without resources is a mistake."""
    server = KindServer(GROUP, "validatingadmissionpolicies")

    found = server.refusal({"spec": {**POLICY, **change}})

    assert problem in found
    assert bool(problem) == bool(found)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            {"validations": [{"expression": "1 +"}]},
            'validations[0].expression: Invalid value: "1 +',
        ),
        (
            {"validations": [{"expression": "nix"}]},
            "compilation failed: ERROR: <input>:1:1: undecl",
        ),
        ({"validations": [{"expression": "1"}]}, "must evaluate to bool but got int"),
        ({"validations": [{"expression": "params.a == 1"}]}, "undeclared reference to 'params'"),
        ({"validations": [{"expression": "'a'.matches('(')"}]}, "invalid matches argument"),
        (
            {"validations": [{"expression": "true", "messageExpression": "1"}]},
            'validations[0].messageExpression: Invalid value: "1": must evaluate to string but got',
        ),
        (
            {"matchConditions": [{"name": "a", "expression": "variables.a"}], "variables": [ONE]},
            "spec.matchConditions[0].expression: Invalid value",
        ),
        ({"variables": [{"name": "a", "expression": "variables.a"}]}, "undefined field 'a'"),
        (
            {"auditAnnotations": [{"key": "a", "valueExpression": "1"}]},
            "must evaluate to one of [string null_type] but got int",
        ),
        ({"variables": [ONE], "validations": [{"expression": "variables.a == 1"}]}, ""),
        (
            {
                "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
                "matchConditions": [{"name": "a", "expression": "params.a == 1"}],
            },
            "",
        ),
    ],
)
def test_a_policy_is_compiled_when_it_is_written(change: dict[str, Any], problem: str) -> None:
    """The author sees the error, rather than everyone whose writes the policy would block."""
    server = KindServer(GROUP, "validatingadmissionpolicies")

    found = server.refusal({"spec": {**POLICY, **change}})

    assert problem in found
    assert bool(problem) == bool(found)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({}, "spec.policyName: Required value"),
        ({"policyName": "a"}, "at least one validation action is required"),
        ({"policyName": "a", "validationActions": ["X"]}, 'supported values: "Audit", "Deny", "Wa'),
        (
            {"policyName": "a", "validationActions": ["Deny", "Warn"]},
            "must not contain both Deny a",
        ),
        ({"policyName": "a", "validationActions": ["Deny", "Deny"]}, 'Duplicate value: "Deny"'),
        (
            {"policyName": "a", "validationActions": ["Deny"], "paramRef": {}},
            "one of name or selector must be specified",
        ),
        (
            {"policyName": "a", "validationActions": ["Deny"], "paramRef": {"name": "x"}},
            "spec.paramRef.parameterNotFoundAction: Required value",
        ),
        ({"policyName": "a", "validationActions": ["Deny", "Audit"]}, ""),
    ],
)
def test_a_binding_says_what_follows(spec: dict[str, Any], problem: str) -> None:
    """A violation is denied, reported as a warning, or audited."""
    found = KindServer(GROUP, "validatingadmissionpolicybindings").refusal({"spec": spec})

    assert problem in found
    assert bool(problem) == bool(found)


@pytest.mark.parametrize(
    ("mutation", "problem"),
    [
        ({}, "spec.mutations[0].patchType: Required value"),
        ({"patchType": "X"}, 'supported values: "ApplyConfiguration", "JSONPatch"'),
        ({"patchType": "JSONPatch"}, "jsonPatch: Required value: must be specified when patchType"),
        (
            {"patchType": "JSONPatch", "jsonPatch": {"expression": "[]"}, "applyConfiguration": {}},
            'Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONP',
        ),
        (
            {"patchType": "JSONPatch", "jsonPatch": {"expression": "[]"}},
            'jsonPatch.expression: Invalid value: "[]": must evaluate to list(JSONPatch)',
        ),
        (
            {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "1"}},
            'applyConfiguration.expression: Invalid value: "1": must evaluate to Object but got',
        ),
        ({"patchType": "JSONPatch", "jsonPatch": {"expression": PATCH}}, ""),
    ],
)
def test_a_mutation_is_of_one_sort(mutation: dict[str, Any], problem: str) -> None:
    """A patch or an apply configuration."""
    matching = {"matchConstraints": {"resourceRules": [RULE]}, "reinvocationPolicy": "Never"}
    server = KindServer(GROUP, "mutatingadmissionpolicies")

    found = server.refusal({"spec": {**matching, "mutations": [mutation]}})

    assert problem in found
    assert bool(problem) == bool(found)


def test_what_is_deleted_cannot_be_changed() -> None:
    """A mutating policy is for the other operations."""
    rules = {"resourceRules": [{**RULE, "operations": ["DELETE"]}]}
    server = KindServer(GROUP, "mutatingadmissionpolicybindings")

    problem = server.refusal({"spec": {"policyName": "a", "matchResources": rules}})

    assert 'operations: Unsupported value: "DELETE"' in problem
