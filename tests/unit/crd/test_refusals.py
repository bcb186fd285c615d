"""Each type without a structural schema is refused by its path, with what to write instead."""

import dataclasses
from collections import OrderedDict
from datetime import time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypedDict, TypeVar

import msgspec
import pytest

from kubewright import crd as kw
from kubewright.api.model import Model
from kubewright.api.resource import Resource, resource
from kubewright.api.unstructured import Unstructured
from kubewright.crd import resource_schema, schema_of
from kubewright.errors import SchemaError

T = TypeVar("T")


@dataclasses.dataclass
class Data:
    a: int


class Struct(msgspec.Struct):
    a: int


class Typed(TypedDict):
    a: int


class Pair(NamedTuple):
    a: int


class Mixed(Enum):
    A = 1
    B = "b"


class Left(Model):
    a: int


class Right(Model):
    b: int


class Box(Model, Generic[T]):
    inside: T


class Node(Model):
    children: "list[Node]" = []


class Tagged(Model, tag=True):
    a: int


class Pydantic:
    model_fields: dict[str, Any] = {}


ELSE = (
    "write a type that JSON has, or a kw.Model; kw.Schema({...}) takes any schema,"
    " and Any keeps whatever is there"
)
NONE = "has no structural schema"
LITERAL_WITH_NONE = Literal["a", None]  # noqa: PYI061  # that is the test


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (dict, (f"dict {NONE}: say what is in it: dict[str, str], or dict[str, Any] to keep"
               " whatever is there")),
        (list, (f"list {NONE}: say what is in it: list[str], or list[Any] to keep whatever is"
               " there")),
        (tuple, f"tuple {NONE}: say what is in it: tuple[str, ...] or list[str]"),
        (set, f"set {NONE}: say what is in it: set[str]"),
        (frozenset, f"frozenset {NONE}: say what is in it: frozenset[str]"),
        (object, f"object {NONE}: write Any to keep whatever is there, or a kw.Model"),
        (timedelta, f"timedelta {NONE}: write kw.Duration, a string such as '1h30m'"),
        (time, f"time {NONE}: write str, with a kw.Pattern"),
        (Decimal, f"Decimal {NONE}: write kw.Quantity"),
        (complex, f"complex {NONE}: write a kw.Model with two numbers"),
        (type(None), f"None {NONE}: leave the field out"),
        (Unstructured, (f"Unstructured {NONE}: write Annotated[dict[str, Any],"
                       " kw.EmbeddedResource()]")),
        (int | str, f"int | str {NONE}: write kw.IntOrString"),
        (int | float, f"int | float {NONE}: write float, which takes whole numbers too"),
        (Left | Right, (f"Left | Right {NONE}: a schema cannot choose between objects; write one"
                       " kw.Model with an optional field for each, and"
                       " @kw.rules(kw.ExactlyOneOf(...)) on it")),
        (list[str] | str, (f"list[str] | str {NONE}: a field has one type; write Any to keep"
                          " whatever is there, or kw.Schema({...})")),
        (tuple[int, str], (f"tuple[int, str] {NONE}: a tuple of fixed length has no array schema;"
                          " write a kw.Model")),
        (Box, "inside"),
        (Data, f"Data {NONE}: make it a kw.Model"),
        (Struct, f"Struct {NONE}: make it a kw.Model"),
        (Typed, f"Typed {NONE}: make it a kw.Model"),
        (Pair, f"Pair {NONE}: make it a kw.Model"),
        (Pydantic, f"Pydantic {NONE}: make it a kw.Model"),
        (Mixed, f"Mixed {NONE}: give its members values that are all strings or all integers"),
        (range, f"range {NONE}: {ELSE}"),
        (OrderedDict[str, str], f"OrderedDict[str, str] {NONE}: {ELSE}"),
        (dict[int, str], ("the keys of dict[int, str] must be plain str, as in JSON. To restrict"
                         " them, write dict[str, ...] and kw.Rule('self.all(key, ...)')")),
        (dict[Annotated[str, kw.MaxLength(3)], int], "the keys of dict[str, int] must be plain"),
        (Literal["a", 1], "the values of Literal['a', 1] must be all str or all int"),
        (LITERAL_WITH_NONE, "None cannot stand in a Literal: write Literal[...] | None"),
        (Tagged, "Tagged is tagged or array-like, which has no schema"),
        (Annotated[object, kw.Schemaless()], ("kw.Schemaless() leaves it without a type: add"
                                             " kw.Type(...) or kw.PreserveUnknownFields()")),
    ],
    ids=str,
)  # fmt: skip
def test_a_type_without_a_schema_says_what_to_write(annotation: Any, message: str) -> None:
    """The message is the fix."""
    with pytest.raises(SchemaError) as caught:
        schema_of(list[annotation])

    assert message in str(caught.value)


class Size(Model):
    width: complex


class Spec(Model):
    sizes: list[Size] = []
    by_name: dict[str, list[Size]] = {}


@resource(group="example.com", version="v1")
class Shop(Resource):
    spec: Spec


def test_the_path_leads_to_the_field() -> None:
    """Nobody should have to search for it."""
    with pytest.raises(SchemaError) as caught:
        resource_schema(Shop)

    assert str(caught.value) == (
        "Shop.spec.sizes[].width: complex has no structural schema: write a kw.Model with two"
        " numbers"
    )


class ByName(Model):
    sizes: dict[str, list[Size]] = {}


def test_the_path_leads_through_maps() -> None:
    """Values of maps have no name, so braces stand for all of them."""
    with pytest.raises(SchemaError, match=r"^ByName\.sizes\{\}\[\]\.width: complex"):
        schema_of(ByName)


def test_a_type_variable_wants_its_argument() -> None:
    """The generic model itself has no schema; each use of it has one."""
    with pytest.raises(SchemaError) as caught:
        schema_of(Box)

    assert str(caught.value) == (
        "Box.inside: T is not known: give the type argument where the generic model is used"
    )


def test_a_model_that_contains_itself_is_refused() -> None:
    """A structural schema has no references, so it would never end."""
    with pytest.raises(SchemaError) as caught:
        schema_of(Node)

    assert str(caught.value) == (
        "Node.children[]: Node contains itself, and a structural schema has no end then:"
        " write dict[str, Any] at one place, which keeps whatever is there"
    )


class Undecided(Model):
    size: int | None


def test_none_without_a_default_is_neither_optional_nor_nullable() -> None:
    """It would be sent as null, which the server prunes or refuses."""
    with pytest.raises(SchemaError) as caught:
        schema_of(Undecided)

    assert str(caught.value) == (
        "Undecided.size: int | None has no default. Write `= None` if it may be left out, or add"
        " kw.Nullable() if null is a value that must be given"
    )


class NeverNull(Model):
    size: Annotated[int, kw.Nullable()]


def test_a_nullable_field_must_take_none() -> None:
    """Otherwise an object that the server accepts could not be read here."""
    with pytest.raises(SchemaError, match=r"^NeverNull.size: it is nullable, .* write int \| None"):
        schema_of(NeverNull)


def test_an_annotation_that_cannot_be_resolved_is_explained() -> None:
    """Local classes in quotes are the usual cause."""

    class Local(Model):
        other: "Missing"  # type: ignore[name-defined]  # noqa: F821  # that is the test

    with pytest.raises(SchemaError, match="an annotation of Local cannot be resolved"):
        schema_of(Local)


class Failing(Model):
    size: int = msgspec.field(default_factory=lambda: 1 // 0)


def test_a_default_factory_that_fails_is_named() -> None:
    """The traceback alone would not say which field."""
    with pytest.raises(SchemaError, match=r"^Failing.size: the default factory failed: ZeroDiv"):
        schema_of(Failing)
