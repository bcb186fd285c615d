"""Types."""

import pytest

from kubewright.apiserver.cel import celtype


@pytest.mark.parametrize(
    "text", ["int", "list(string)", "map(string, list(int))", "optional_type(int)", "type(int)"]
)
def test_a_type_reads_as_it_writes(text: str) -> None:
    """Signatures and messages use the same words."""
    assert str(celtype.parse_type(text)) == text


def test_types_are_equal_whatever_a_schema_says_besides() -> None:
    """The checker treats such types alike."""
    plain = celtype.list_of(celtype.INT)
    declared = celtype.list_of(celtype.INT, celtype.Declared(format="x"))

    assert plain == declared
    assert plain != celtype.list_of(celtype.STRING)
    assert celtype.DYN.is_wild()
    assert not plain.is_wild()


def test_fields_are_found_by_their_names_in_rules() -> None:
    """A reserved word may be escaped or not."""
    owner = celtype.object_type("Thing", {"a": celtype.INT, "__if__": celtype.STRING})

    found = celtype.find_field(owner, "if")

    assert found is celtype.find_field(owner, "__if__") is not None
    assert celtype.find_field(owner, "none") is None


def test_parameters_and_several_types_are_read() -> None:
    """A single letter is a type parameter."""
    first, second = celtype.parse_types("map(K, V), string")

    assert [one.kind for one in first.params] == ["param", "param"]
    assert second == celtype.STRING
    assert str(celtype.type_of_type(celtype.INT)) == "type(int)"
    assert celtype.optional_of(celtype.param("T")).params[0].name == "T"
