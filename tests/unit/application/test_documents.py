"""YAML as Helm reads it."""

import pytest
import yaml

from kubewright.application.documents import (
    document,
    documents,
    is_too_large,
    line_of,
    text_of,
    without_nulls,
)
from tests.unit.helm.charts import BOMB


def test_dates_are_texts() -> None:
    """Go knows no dates in YAML; a label with a Python date in it could not be sent."""
    assert document("built: 2026-01-01\non: yes") == {"built": "2026-01-01", "true": True}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("12:30", "12:30"),
        ("=", "="),
        ("1e3", 1000.0),
        ("010", 8),
        ("0x1F", 31),
        ("-1_000", -1000),
        ("0", 0),
        ("1.5", 1.5),
        ("1.2.3", "1.2.3"),
        ("089", 89.0),
        ("yes", True),
        ("~", None),
    ],
)
def test_plain_words_are_what_go_takes_them_for(text: str, found: object) -> None:
    """A port mapping is no number in base 60, and a matcher no operator of YAML."""
    assert document(f"a: {text}") == {"a": found}


@pytest.mark.parametrize(
    ("name", "found"),
    [("on", "true"), ("No", "false"), ("1", "1"), ("0x10", "16"), ("1.50", "1.5"), ("'on'", "on")],
)
def test_names_are_texts_as_in_go(name: str, found: str) -> None:
    """JSON has no others; a ConfigMap with the name ``on`` could not be sent."""
    assert document(f"a: {{{name}: x}}") == {"a": {found: "x"}}


def test_names_that_python_takes_for_the_same_are_two() -> None:
    """Merged mappings included."""
    text = "a: &a {on: x}\nb: {<<: *a, 1: y, 1.0: z}\n"

    assert document(text)["b"] == {"true": "x", "1": "z"}


def test_what_cannot_be_a_name_is_refused() -> None:
    """With its line, as all that is wrong in YAML."""
    with pytest.raises(yaml.YAMLError, match="cannot be a name") as caught:
        document("a: 1\n~: x\n")

    assert line_of(caught.value) == 2


NASTY = [
    "12e3", "1e3", "0x1F", "010", "0o7", "089", "1_000", "12:30", "2026-01-01", "=", "<<", "~", "",
    "null", "yes", "No", "on", "y", "n", "-", "- a", "a: b", "# a", "a #b", ".5", ".inf", "+1",
    " a ", "a\nb", "a\n\n---\nb\n", "\x7f", "\x85", "\u2028", "\U0001f600", "{{ a }}", "%a", "@a",
    "!a", "&a", "*a", "1.2.3", "true", "a\tb", "'", '"', "é",
]  # fmt: skip


@pytest.mark.parametrize("text", NASTY)
def test_texts_are_written_so_that_they_stay_texts(text: str) -> None:
    """A hash of a commit such as 12e3 would become a number, and be refused by the server."""
    value = {"a": text, text: [text, {"b": text}]}

    assert document(text_of(value)) == value


@pytest.mark.parametrize("number", [0, -5, 10**15, 1.5, 1e16, -1e-7, True, None])
def test_numbers_are_written_so_that_they_stay_numbers(number: object) -> None:
    """Ports and replicas are no texts."""
    assert document(text_of({"a": number})) == {"a": number}
    assert "'" not in text_of({"a": number})


def test_empty_documents_are_left_out() -> None:
    """Templates whose condition does not hold render comments and nothing else."""
    assert list(documents("---\n# nothing\n---\na: 1\n---\n")) == [{"a": 1}]


def test_error_knows_its_line() -> None:
    """The message of a chart names it."""
    with pytest.raises(yaml.YAMLError) as caught:
        document("a: 1\nb: [\n")

    assert line_of(caught.value) == 3


def test_nulls_are_no_fields() -> None:
    """Charts write ``creationTimestamp: null``; whoever applies that would own the field."""
    assert without_nulls({"a": None, "b": [{"c": None, "d": 0}]}) == {"b": [{"d": 0}]}


@pytest.mark.parametrize("text", ["[" * 300 + "]" * 300, BOMB])
def test_document_that_no_memory_holds_is_told(text: str) -> None:
    """A few lines are enough, by aliases; and deep ones end programs that read them."""
    assert is_too_large(document(text))
    assert not is_too_large(document("a: [1, {b: c}]"))
