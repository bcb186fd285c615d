"""Which types fit which."""

import pytest

from kubewright.apiserver.cel.celtype import DYN, INT, STRING, list_of, parse_type, parse_types
from kubewright.apiserver.cel.unification import assignable, more_general, substitute


@pytest.mark.parametrize(
    ("wanted", "given", "fits"),
    [
        ("int", "int", True),
        ("int", "string", False),
        ("dyn", "string", True),
        ("list(T), T", "list(int), int", True),
        ("list(T), T", "list(int), string", False),
        ("map(K, V), K", "map(string, int), string", True),
        ("T", "list(T)", False),
        ("int", "int, int", False),
    ],
)
def test_parameters_stand_for_one_type_each(wanted: str, given: str, fits: bool) -> None:
    """A parameter has the same type everywhere in a signature."""
    found = assignable({}, parse_types(given), parse_types(wanted))

    assert (found is not None) == fits


def test_what_is_known_about_parameters_is_put_in() -> None:
    """Unbound parameters stay, or become dyn."""
    bindings = {"A": parse_type("B"), "B": INT}

    assert substitute(bindings, parse_type("map(A, C)")) == parse_type("map(int, C)")
    assert substitute(bindings, parse_type("C"), free_to_dyn=True) == DYN


def test_the_vaguer_type_is_more_general() -> None:
    """Of a list literal with both, the list is of anything."""
    assert more_general(INT, DYN) == more_general(DYN, INT) == DYN
    assert more_general(list_of(DYN), list_of(INT)) == list_of(DYN)
    assert more_general(STRING, STRING) == STRING
