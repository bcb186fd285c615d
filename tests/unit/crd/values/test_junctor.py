from typing import Any

import pytest

from kubewright.crd.values.junctor import Junctors

OUTER = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "b": {"type": "object", "properties": {"c": {}}}},
}


def find(word: str, said: Any) -> tuple[dict[str, Any], str]:
    """Return what becomes of a junctor."""
    return Junctors(OUTER, {"b": {"c": 1}}, dict).find(word, said)


@pytest.mark.parametrize(
    ("branch", "checks"),
    [
        ({"required": ["a"], "title": "With a"}, {"required": ["a"]}),
        (
            {"type": "object", "properties": {"a": {"const": "x"}}},
            {"properties": {"a": {"enum": ["x"]}}},
        ),
        ({"properties": {"a": {}}, "required": ["a"]}, {"properties": {}, "required": ["a"]}),
        (
            {"properties": {"a": {"pattern": "^x", "type": "string"}}},
            {"properties": {"a": {"pattern": "^x"}}},
        ),
    ],
)
def test_a_branch_keeps_what_it_checks(branch: dict[str, Any], checks: dict[str, Any]) -> None:
    """Types and descriptions stand outside, where the schema has them already."""
    assert find("anyOf", [branch]) == ({"anyOf": [checks]}, "")
    assert find("not", branch) == ({"not": checks}, "")


@pytest.mark.parametrize(
    ("branch", "problem"),
    [
        ({"required": ["b"]}, "it asks for b, which has a value in values.yaml"),
        ({"properties": {"b": {"required": ["c"]}}}, "it asks for c, which has a value"),
        ({"properties": {"z": {"enum": [1]}}}, "it names z, which is not among the properties"),
        ({"type": "string"}, "its branches have types of their own"),
        ({"additionalProperties": False}, "below it, a CRD cannot say additionalProperties"),
        ({"properties": {"a": {"pattern": "(?=x)"}}}, "below it, a CRD cannot say pattern"),
        ({}, "a branch checks nothing but the type"),
        (True, "a branch is not a schema"),
    ],
)
def test_a_junctor_that_a_crd_cannot_have_is_refused(branch: Any, problem: str) -> None:
    """Half of it would refuse what the chart allows."""
    found, why = find("oneOf", [{"required": ["a"]}, branch])

    assert found == {}
    assert why.startswith(problem)


@pytest.mark.parametrize("said", [[], "x", None])
def test_what_is_not_a_list_of_branches_is_refused(said: Any) -> None:
    """Such a schema is broken."""
    assert find("anyOf", said) == ({}, "it is not a list of schemas")
