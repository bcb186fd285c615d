"""Small checks that many kinds share."""

import pytest

from kubewright.apiserver.builtin.fields.checks import (
    Shown,
    at_most,
    config_key,
    count_or_percent,
    first_indexes,
    immutable_fields,
    in_range,
    int_or_percent,
    needed_one_of,
    not_decremented,
    not_negative_fields,
    one_of,
    port,
    port_name,
    quantity_not_negative,
    quantity_positive,
    same,
    unsupported,
)


def test_absent_numbers_are_not_negative() -> None:
    """Most fields are absent most of the time."""
    [error] = not_negative_fields({"a": -1, "b": 0}, ("a", "b", "c"), "spec")

    assert str(error) == "spec.a: Invalid value: -1: must be greater than or equal to 0"


def test_a_count_is_compared_with_another_of_the_same_object() -> None:
    """An absent count is zero."""
    [error] = at_most({"ready": 2, "all": 1}, ("ready", "new"), "status", limit="all")

    assert str(error) == "status.ready: Invalid value: 2: cannot be greater than status.all"


@pytest.mark.parametrize(
    ("new", "old", "found"), [({}, {"n": 1}, 1), ({"n": 1}, {"n": 1}, 0), ({}, {}, 0)]
)
def test_a_counter_runs_forwards(new: dict[str, int], old: dict[str, int], found: int) -> None:
    """A counter must not be removed, either."""
    assert len(not_decremented(new, old, "n", "status")) == found


def test_allowed_values_are_listed_as_given() -> None:
    """Kubernetes sorts some of its lists and not others."""
    error = unsupported("a", "x", ("z", "b"))

    assert error.text == 'Unsupported value: "x": supported values: "z", "b"'
    assert unsupported("a", Shown("{}"), ("b",)).text.startswith("Unsupported value: {}:")


def test_a_text_that_must_be_there_is_required_when_it_is_not() -> None:
    """An empty text is missing rather than wrong."""
    assert [error.text for error in needed_one_of(None, ("a",), "x")] == ["Required value"]
    assert not needed_one_of("a", ("a",), "x")


def test_what_differs_is_immutable() -> None:
    """A field that is gone is shown as null."""
    [error] = immutable_fields({}, {"a": 1}, ("a", "b"), "spec")

    assert str(error) == "spec.a: Invalid value: null: field is immutable"


def test_both_ends_of_a_range_are_inside() -> None:
    """Ports 1 and 65535 are valid."""
    assert not in_range(1, 1, 2, "a")
    assert not in_range(2, 1, 2, "a")
    assert in_range(3, 1, 2, "a")


@pytest.mark.parametrize(
    ("name", "count"), [("http", 0), ("a" * 16, 1), ("80", 1), ("a--b", 1), ("-a", 1), ("A", 2)]
)
def test_a_port_has_a_short_name_with_a_letter(name: str, count: int) -> None:
    """A number would be taken for a port number."""
    assert len(port_name(name)) == count


@pytest.mark.parametrize(
    ("key", "count"), [("a.b_c-1", 0), ("", 1), ("a/b", 1), (".", 1), ("..", 1), ("..a", 1)]
)
def test_a_key_can_be_a_file(key: str, count: int) -> None:
    """Volumes turn keys into files."""
    assert len(config_key(key)) == count


@pytest.mark.parametrize(("value", "number"), [(3, 3), ("25%", 25), ("x", 0), ("-1%", 0)])
def test_a_share_counts_by_its_number(value: int | str, number: int) -> None:
    """Only whether it is zero matters."""
    assert count_or_percent(value) == number
    assert bool(int_or_percent(value, "a")) == (value in ("x", "-1%"))


def test_choices_are_listed_in_their_order() -> None:
    """Kubernetes sorts some lists and leaves others as they are."""
    (error,) = one_of("c", ("b", "a"), "spec.x")

    assert str(error) == 'spec.x: Unsupported value: "c": supported values: "b", "a"'


def test_a_choice_that_is_missing_is_required() -> None:
    """An absent value is missing rather than wrong."""
    (error,) = needed_one_of(None, ("a",), "spec.x")

    assert str(error) == "spec.x: Required value"


def test_an_absent_number_is_zero() -> None:
    """Go cannot tell the two apart."""
    (error,) = port(None, "port")

    assert str(error) == "port: Invalid value: 0: must be between 1 and 65535, inclusive"


def test_only_what_changed_is_immutable() -> None:
    """Each field has an error of its own."""
    found = same({"a": 1, "b": 2}, {"a": 1, "b": 3}, ("a", "b"))

    assert [str(error) for error in found] == ["b: Invalid value: 2: field is immutable"]


def test_amounts_are_compared_as_amounts() -> None:
    """``0`` has many spellings."""
    assert quantity_positive("0m", "x")
    assert not quantity_positive("1m", "x")
    assert quantity_not_negative("-1Ki", "x")


def test_the_first_place_of_an_item_tells_repetitions() -> None:
    """Duplicates are found without comparing all pairs."""
    assert first_indexes("abca") == {"a": 0, "b": 1, "c": 2}
