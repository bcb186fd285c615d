"""Trees of nodes, and the JSON that they stand for."""

import pytest

from kubewright.scaffold.kustomize.node import (
    copied,
    is_empty,
    is_missing,
    node_of,
    plain,
    renewed,
    sort_of,
    text_in,
    texts_in,
    written,
)
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.scalar import Scalar, text

NULL = Scalar("null", "null")


def test_json_survives_being_a_tree() -> None:
    """A JSON patch makes a tree of its result."""
    value = {"a": [1, "1", None, True, {"b": 0.5}]}

    assert plain(node_of(value)) == value


def test_a_value_that_does_not_fit_is_found_by_its_path() -> None:
    """In an object of hundreds of lines, the value alone helps nobody."""
    node = {"spec": {"ports": [{"port": Scalar("many", "int")}]}}

    with pytest.raises(ProblemError) as caught:
        plain(node)

    assert str(caught.value) == "spec.ports[0].port: 'many' was put where there was an integer"


def test_a_copy_changes_for_itself() -> None:
    """One patch for several objects must not tie them together."""
    node = {"a": [{"b": text("c")}]}

    other = copied(node)
    other["a"][0]["b"] = text("d")

    assert plain(node) == {"a": [{"b": "c"}]}


def test_null_is_missing_and_an_empty_list_is_empty() -> None:
    """They are dropped at different times."""
    assert is_missing(NULL)
    assert is_missing(None)
    assert not is_missing([])
    assert is_empty([])
    assert not is_empty(text(""))


def test_texts_are_read_as_they_are_written() -> None:
    """Labels that are no texts become what stands in the file."""
    node = {"metadata": {"labels": {"a": Scalar("0644", "int"), "b": NULL}, "name": NULL}}

    assert texts_in(node, "metadata", "labels") == {"a": "0644", "b": "null"}
    assert text_in(node, "metadata", "name") == ""
    assert text_in(node, "spec", "name") == ""
    assert written({}) == ""


def test_quotation_marks_stay_when_a_text_is_renewed() -> None:
    """A name of digits stays a text if it was one."""
    assert renewed(Scalar("1", quoted=True), "2").value == "2"
    assert renewed(None, "2").value == "2"
    assert renewed(Scalar("1", "int"), "2").value == 2


def test_sorts_have_names_for_people() -> None:
    """Messages say them."""
    assert (sort_of({}), sort_of([]), sort_of(NULL)) == ("a mapping", "a list", "a single value")
