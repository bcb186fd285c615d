"""Schemas of values without fields."""

from enum import Enum, IntEnum, StrEnum
from typing import Any, Literal

import pytest

from kubewright.crd.annotations import parse
from kubewright.crd.scalars import described, find_scalar
from kubewright.errors import SchemaError


class Texts(Enum):
    """Texts, though no StrEnum."""

    A = "a"
    ALSO_A = "a"  # noqa: PIE796  # that is the test
    B = "b"


class Empty(StrEnum):
    pass


class Numbers(IntEnum):
    ONE = 1


def test_an_enum_is_its_values_and_its_docstring() -> None:
    """Members that are aliases of others add no value."""
    assert find_scalar(parse(Texts), "x") == {
        "description": "Texts, though no StrEnum.",
        "type": "string",
        "enum": ["a", "b"],
    }


def test_the_values_are_plain() -> None:
    """Enum members in a document would surprise whoever prints it."""
    found = find_scalar(parse(Numbers), "x") or {}

    assert type(found["enum"][0]) is int
    assert described(Numbers) == {}


@pytest.mark.parametrize("kind", [list[str], dict[str, str], list, object])
def test_other_types_are_left_to_others(kind: Any) -> None:
    """They have parts of their own."""
    assert find_scalar(parse(kind), "x") is None


@pytest.mark.parametrize("kind", [Empty, Literal[True], Literal[b"a"]])
def test_values_that_json_schema_cannot_list_are_refused(kind: Any) -> None:
    """Also an enum without members, which nothing could satisfy."""
    with pytest.raises(SchemaError, match=r"^x: "):
        find_scalar(parse(kind), "x")


def test_each_schema_is_a_copy() -> None:
    """Markers write into it."""
    first = find_scalar(parse(str), "x") or {}
    first["maxLength"] = 3

    assert find_scalar(parse(str), "x") == {"type": "string"}
