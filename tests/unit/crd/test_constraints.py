"""Markers about values, and the types that they fit."""

from typing import Annotated, Any

import pytest

from kubewright import crd as kw
from kubewright.api.intorstring import IntOrString
from kubewright.crd import schema_of
from kubewright.errors import SchemaError


@pytest.mark.parametrize(
    ("annotation", "keyword", "value"),
    [
        (Annotated[int, kw.Minimum(3)], "minimum", 3),
        (Annotated[float, kw.Maximum(0.5)], "maximum", 0.5),
        (Annotated[int, kw.MultipleOf(3)], "multipleOf", 3),
        (Annotated[str, kw.MinLength(0)], "minLength", 0),
        (Annotated[str, kw.MaxLength(3)], "maxLength", 3),
        (Annotated[str, kw.Pattern("^a")], "pattern", "^a"),
        (Annotated[IntOrString, kw.Pattern("^a")], "pattern", "^a"),
        (Annotated[list[str], kw.MinItems(3)], "minItems", 3),
        (Annotated[set[str], kw.MaxItems(3)], "maxItems", 3),
        (Annotated[list[str], kw.UniqueItems(False)], "uniqueItems", False),
        (Annotated[dict[str, str], kw.MinProperties(3)], "minProperties", 3),
        (Annotated[dict[str, str], kw.MaxProperties(3)], "maxProperties", 3),
        (Annotated[float, kw.EnumValues(0.5, 1)], "enum", [0.5, 1]),
        (Annotated[str, kw.Format("email")], "format", "email"),
    ],
    ids=str,
)
def test_a_constraint_sets_its_keyword(annotation: Any, keyword: str, value: Any) -> None:
    """One marker, one keyword, one to one with controller-gen."""
    assert schema_of(annotation)[keyword] == value


@pytest.mark.parametrize(
    ("annotation", "why"),
    [
        (Annotated[str, kw.Minimum(3)], "it fits integer or number, and this is string"),
        (Annotated[Any, kw.Minimum(3)], "it fits integer or number, and this is untyped"),
        (Annotated[int, kw.Minimum(0.5)], "the field is an integer, and so must the limit be"),
        (Annotated[int, kw.Minimum("3")], "it takes a number"),  # type: ignore[arg-type]  # that is the test
        (Annotated[int, kw.Minimum(True)], "it takes a number"),
        (Annotated[int, kw.MultipleOf(0)], "it takes a number above zero"),
        (Annotated[int, kw.MaxLength(3)], "it fits string, and this is integer"),
        (Annotated[str, kw.MaxLength(-1)], "it takes a whole number from zero up"),
        (Annotated[str, kw.MaxLength(1.5)], "it takes a whole number from zero up"),  # type: ignore[arg-type]  # that is the test
        (Annotated[int, kw.Pattern("a")], "it fits string, and this is integer"),
        (Annotated[str, kw.MaxItems(3)], "it fits array, and this is string"),
        (Annotated[str, kw.MaxProperties(3)], "it fits object, and this is string"),
        (Annotated[list[str], kw.UniqueItems()], "Write set[...] or ListType('set')"),
        (Annotated[int, kw.ExclusiveMinimum()], "there is no Minimum to exclude"),
        (Annotated[str, kw.ExclusiveMaximum()], "it fits integer or number, and this is string"),
        (Annotated[str, kw.EnumValues()], "it needs at least one value"),
        (Annotated[str, kw.EnumValues("a", 1)], "the enum value 1 is not string"),
        (Annotated[int, kw.EnumValues(True)], "the enum value true is not integer"),
    ],
    ids=str,
)
def test_a_constraint_on_the_wrong_type_is_refused(annotation: Any, why: str) -> None:
    """The server would ignore it or refuse the CRD; both are worse."""
    with pytest.raises(SchemaError) as caught:
        schema_of(annotation)

    assert why in str(caught.value)


@pytest.mark.parametrize(
    "annotation",
    [
        Annotated[int, kw.ExclusiveMinimum(3)],
        Annotated[int, kw.Minimum(3), kw.ExclusiveMinimum()],
        Annotated[int, kw.ExclusiveMinimum(), kw.Minimum(3)],
    ],
)
def test_an_exclusive_limit_is_said_in_one_marker_or_two(annotation: Any) -> None:
    """Two is controller-gen's way, one is everybody else's."""
    assert schema_of(annotation) == {
        "type": "integer",
        "format": "int64",
        "minimum": 3,
        "exclusiveMinimum": True,
    }


def test_another_type_forgets_what_belonged_to_the_first() -> None:
    """The format of an integer says nothing of a string, and later markers fit the new type."""
    assert schema_of(Annotated[int, kw.MaxLength(3), kw.Type("string")]) == {
        "type": "string",
        "maxLength": 3,
    }
    assert schema_of(Annotated[int, kw.Type("integer")])["format"] == "int64"


def test_an_empty_format_removes_it() -> None:
    """Go's plain int has none."""
    assert schema_of(Annotated[int, kw.Format("")]) == {"type": "integer"}


def test_int_or_string_as_a_marker_is_the_same_as_the_type() -> None:
    """Structural schemas have no type beside the extension."""
    assert schema_of(Annotated[int, kw.XIntOrString()]) == schema_of(IntOrString)


def test_null_may_be_among_the_values_of_a_nullable_enum() -> None:
    """Kubernetes wants null in the enum as well."""
    schema = schema_of(Annotated[str | None, kw.Nullable(), kw.EnumValues("a", None)])

    assert schema["enum"] == ["a", None]


def test_a_pattern_that_go_cannot_read_is_refused() -> None:
    """Python would take it, and the server refuses the CRD."""
    with pytest.raises(SchemaError, match=r"str: cannot apply .*have no look-around"):
        kw.schema_of(Annotated[str, kw.Pattern("(?!a)b")])
