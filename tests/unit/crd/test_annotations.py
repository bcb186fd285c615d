"""Annotations taken apart."""

import sys
from typing import Annotated, Any, Literal, NewType, Optional

import pytest

from kubewright import crd as kw
from kubewright.api.model import Model
from kubewright.api.quantity import Quantity
from kubewright.crd.annotations import parse, spell
from kubewright.errors import SchemaError

Name = NewType("Name", str)
Short = Annotated[str, kw.MaxLength(3)]


def test_markers_are_gathered_from_the_inside_out() -> None:
    """Whatever the nesting, the outermost comes last."""
    parsed = parse(Annotated[Short | None, kw.Pattern("a")])

    assert parsed.inner is str
    assert parsed.markers == (kw.MaxLength(3), kw.Pattern("a"))
    assert parsed.takes_none


@pytest.mark.parametrize("annotation", [str | None, Optional[str], Annotated[str | None, 1]])  # noqa: UP045  # both spellings
def test_none_is_taken_off(annotation: Any) -> None:
    """Optional is a matter of the field, not of its type."""
    parsed = parse(annotation)

    assert (parsed.inner, parsed.takes_none) == (str, True)


def test_a_new_type_is_what_it_was_made_of() -> None:
    """JSON does not know it."""
    assert parse(Name).inner is str


def test_what_kubernetes_calls_it_is_found_in_the_alias() -> None:
    """The alias is a union for Python and one type for Kubernetes."""
    assert parse(Quantity | None).extra == "quantity"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the type statement is of 3.12")
def test_a_type_statement_is_looked_through() -> None:
    """``type Port = Annotated[int, ...]`` is an alias like any other."""
    namespace: dict[str, Any] = {"Annotated": Annotated, "kw": kw}
    exec("type Port = Annotated[int, kw.Minimum(1)]\ntype Many[T] = list[T]", namespace)

    assert parse(namespace["Port"]).markers == (kw.Minimum(1),)
    assert parse(namespace["Many"][int]).inner == list[int]


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (int, "int"),
        (int | None, "int | None"),
        (dict[str, list[int]], "dict[str, list[int]]"),
        (tuple[int, ...], "tuple[int, ...]"),
        (Literal["a", 1], "Literal['a', 1]"),
        (Short, "str"),
        (Any, "Any"),
    ],
)
def test_types_are_spelled_as_people_write_them(annotation: Any, text: str) -> None:
    """On every version of Python alike, since messages are pinned."""
    assert spell(annotation) == text


class Unfinished(Model):
    size: Annotated[int, kw.Minimum]


def test_a_marker_without_its_arguments_is_refused_with_the_path_of_the_field() -> None:
    """Everybody forgets the parentheses once."""
    with pytest.raises(SchemaError, match=r"^Unfinished\.size: Minimum is .*write kw\.Minimum\("):
        kw.schema_of(Unfinished)
