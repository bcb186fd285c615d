"""Objects that an expression makes."""

from typing import Any

import pytest

from kubewright.apiserver.cel import CompileError, compile_rule
from kubewright.apiserver.cel.objects import ObjectValue, misnamed, to_json


def made(source: str) -> Any:
    return compile_rule(source, {}, result=None, messages=True).evaluate({})


def test_an_object_has_the_fields_that_it_is_given() -> None:
    """Without a schema, any field is allowed."""
    found = made("Object{spec: Object.spec{replicas: 3, ?none: optional.none()}}")

    assert to_json(found) == {"spec": {"replicas": 3}}


def test_values_become_json() -> None:
    """The conversion follows protobuf's JSON mapping."""
    source = (
        "Object{a: b'x', b: duration('1m'), c: timestamp('2026-01-01T00:00:00Z'), d: [2u], e: 1.0}"
    )

    assert to_json(made(source)) == {
        "a": "eA==",
        "b": "60s",
        "c": "2026-01-01T00:00:00Z",
        "d": [2],
        "e": 1,
    }


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("JSONPatch{nix: 1}", "undefined field 'nix'"),
        ("JSONPatch{op: 1}", "expected type of field 'op' is 'string' but provided type is 'int'"),
        ("Thing{a: 1}", "undeclared reference to 'Thing'"),
    ],
)
def test_wrong_fields_are_found_before_anything_is_evaluated(source: str, said: str) -> None:
    """A policy is refused when it is written, not when it is needed."""
    with pytest.raises(CompileError, match=said):
        made(source)


def test_rules_cannot_make_objects() -> None:
    """Only mutations can construct objects."""
    with pytest.raises(CompileError, match="undeclared reference to 'Object'"):
        compile_rule("Object{a: 1} == Object{a: 1}", {})


def test_names_of_types_follow_the_path() -> None:
    """Lists and maps do not add to the path."""
    right = ObjectValue(
        "Object", {"a": [ObjectValue("Object.a", {"b": {"k": ObjectValue("Object.a.b", {})}})]}
    )
    wrong = ObjectValue("Object", {"a": ObjectValue("Object.b", {})})

    assert list(misnamed(right)) == []
    assert list(misnamed(wrong)) == [
        (
            'unexpected type name "Object.b", expected "Object.a", which matches field name path'
            " from root Object type"
        )
    ]
