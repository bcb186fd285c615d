"""Annotations are written, evaluated and compared."""

from typing import Any

import pytest

from kubewright.crd.expressions import Expression, Workshop, expression_for, same, simple, split


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (Expression("str"), "str"),
        (Expression("str", none=True), "str | None"),
        (Expression("str", ("kw.MaxLength(3)",)), "Annotated[str, kw.MaxLength(3)]"),
        (Expression("str", ("a", "b"), none=True), "Annotated[str | None, a, b]"),
    ],
)
def test_an_expression_is_text(expression: Expression, text: str) -> None:
    """Markers go around the type and its None."""
    assert expression.text == text


@pytest.mark.parametrize(
    ("node", "base", "rest"),
    [
        ({"type": "string"}, "str", {}),
        ({"type": "string", "format": "date-time"}, "datetime", {}),
        ({"type": "string", "format": "byte"}, "bytes", {}),
        ({"type": "string", "format": "email"}, "str", {"format": "email"}),
        ({"type": "integer", "format": "int64"}, "int", {}),
        ({"type": "integer"}, "int", {"format": ""}),
        ({"type": "string", "enum": ["a"]}, "Literal['a']", {}),
        ({"type": "number", "enum": [0.5]}, "float", {"enum": [0.5]}),
        ({"type": "integer", "enum": [True]}, "int", {"enum": [True], "format": ""}),
        ({"x-kubernetes-preserve-unknown-fields": True}, "Any", {}),
        ({"x-kubernetes-int-or-string": True, "minLength": 1}, "kw.IntOrString", {"minLength": 1}),
    ],
)
def test_a_scalar_is_a_type_and_a_rest(node: Any, base: str, rest: Any) -> None:
    """The type says as much as it can; markers say the rest."""
    assert simple(node) == (base, rest)


@pytest.mark.parametrize("node", [{"type": "object"}, {"type": "array"}, {}, {"type": "null"}])
def test_what_is_no_scalar_is_left_to_others(node: Any) -> None:
    """It has parts, or no type at all."""
    assert simple(node) is None


def test_a_difference_becomes_a_patch_and_failing_that_verbatim() -> None:
    """So the result always has the schema."""
    workshop = Workshop()
    odd = {"type": "string", "not": {"maxLength": 3}}
    hopeless = {"type": "string", "default": None}

    patched = workshop.checked(Expression("str"), odd)
    verbatim = workshop.checked(Expression("str"), hopeless)

    assert patched.text == "Annotated[str, kw.SchemaPatch({'not': {'maxLength': 3}})]"
    assert verbatim.is_raw
    assert same(workshop.schema(verbatim), hopeless)


def test_markers_that_are_refused_are_replaced() -> None:
    """A CRD may say what controller-gen would not."""
    workshop = Workshop()
    node = {"type": "integer", "format": "int64", "maxLength": 3}

    found = workshop.checked(expression_for("int", {"maxLength": 3}), node)

    assert found.text == "Annotated[int, kw.SchemaPatch({'maxLength': 3})]"


def test_work_can_be_taken_back() -> None:
    """An attempt that failed leaves neither text nor names behind."""
    workshop = Workshop()
    mark = workshop.mark()
    workshop.names.take("Shop")
    workshop.blocks.append("class Shop: ...")

    workshop.back_to(mark)

    assert workshop.blocks == []
    assert workshop.names.take("Shop") == "Shop"


def test_what_is_said_of_a_field_is_not_said_of_its_type() -> None:
    """Two fields of one type may have two defaults."""
    on_type, on_field = split({"type": "object", "default": {}, "nullable": True})

    assert on_type == {"type": "object"}
    assert on_field == {"default": {}, "nullable": True}


def test_true_is_not_one() -> None:
    """They are equal in Python and differ in JSON."""
    assert not same({"a": 1}, {"a": True})
    assert same({"a": 1, "b": 2}, {"b": 2, "a": 1})
