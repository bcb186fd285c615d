"""Where values are, and what Go calls their types."""

from typing import Any

import pytest

from kubewright.apiserver.schema.mismatch import (
    Location,
    element_type,
    go_name,
    mismatch,
    path_of,
)
from kubewright.apiserver.schema.tree import parse

PLACE: Location = ((((None, "spec", "Pod"), "list", "Spec"), 2, ""), "key", "")


def test_places_are_paths() -> None:
    """Paths have indexes in brackets, as in Kubernetes' messages."""
    assert path_of(PLACE) == "spec.list[2].key"
    assert path_of(None) == ""


def test_type_errors_name_fields_only() -> None:
    """Go forgets indexes and keys, and names the innermost struct."""
    assert str(mismatch([], PLACE, "string")) == (
        "json: cannot unmarshal array into Go struct field Spec.spec.list of type string"
    )
    assert str(mismatch(None, None, "v1.Pod")) == (
        "json: cannot unmarshal null into Go value of type v1.Pod"
    )


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ({"type": "string"}, "string"),
        ({"type": "string", "format": "byte"}, "[]uint8"),
        ({"type": "integer", "format": "int64"}, "int64"),
        ({"type": "number"}, "float64"),
        ({"type": "array", "items": {"type": "boolean"}}, "[]bool"),
        ({"additionalProperties": {"type": "string"}}, "map[string]string"),
        ({}, "interface {}"),
    ],
)
def test_types_have_gos_names(source: dict[str, Any], name: str) -> None:
    """Go's errors name the types, as far as a schema has them."""
    assert go_name(parse(source)) == name


@pytest.mark.parametrize(
    ("name", "element"),
    [("[]v1.Container", "v1.Container"), ("map[string][]byte", "[]byte"), ("v1.ResourceList", "")],
)
def test_elements_have_the_rest_of_the_name(name: str, element: str) -> None:
    """Types with a name of their own do not show what is inside."""
    assert element_type(name) == element
