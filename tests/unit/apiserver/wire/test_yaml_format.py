"""YAML, read and written as Go does it."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as some

from kubewright.apiserver.wire.yaml_format import DEPTH, dump, load

JSON = some.recursive(
    some.none()
    | some.booleans()
    | some.integers(-(2**63), 2**63)
    | some.floats(allow_nan=False, allow_infinity=False)
    | some.text(),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_what_is_written_is_read_again(document: Any) -> None:
    """Whatever JSON can say."""
    assert load(dump(document)) == document


@given(some.text())
def test_texts_stay_texts_for_every_reader(text: str) -> None:
    """Also for one that speaks YAML 1.1, where more looks like something else."""
    assert yaml.safe_load(dump({"a": text})) == {"a": text}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("22:22", "22:22"),
        ("1:20:30.5", "1:20:30.5"),
        ("2020-01-01", "2020-01-01"),
        ("2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"),
        ("=", "="),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("0x10", 16),
        ("0o17", 15),
        ("017", 15),
        ("1_000", 1000),
        ("+1", 1),
        ("-", None),
        ("1.2.3", "1.2.3"),
        ("1e", "1e"),
        ("yes", True),
        ("~", None),
        ("'1'", "1"),
        ("!!binary aGk=", "hi"),
        ("!!timestamp 2020-01-01", "2020-01-01"),
        ("é: [😀]", {"é": ["😀"]}),
        ("{2: a, true: b, 1.5: c}", {"2": "a", "true": "b", "1.5": "c"}),
        ("{<<: {a: 1}, b: 2}", {"a": 1, "b": 2}),
    ],
)
def test_plain_texts_are_what_go_takes_them_for(text: str, value: Any) -> None:
    """A port mapping is not a number of minutes, and a date is a text."""
    found = load(text.encode()) if text != "-" else load(b"-")[0]

    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("text", ["22:22", "yes", "n", "1e3", "1", "~", "2020-01-01", "=", ""])
def test_texts_that_look_like_something_else_are_quoted(text: str) -> None:
    """Whichever YAML the reader speaks."""
    assert dump({"a": text}).strip() in (f'a: "{text}"'.encode(), f"a: '{text}'".encode())


def test_text_of_many_lines_is_readable() -> None:
    """As kubectl shows scripts in a ConfigMap."""
    assert dump({"a": "x\ny\n"}) == b"a: |\n  x\n  y\n"


@pytest.mark.parametrize(
    "text",
    [
        b"[" * (DEPTH + 1) + b"]" * (DEPTH + 1),
        b"[" * 100_000,
        b"- " * 50_000,
        b"? " * 50_000,
        b"{a: " * 50_000,
        b"&a [*a]",
        b"a: &a {b: {c: *a}}",
        b"a: *none",
        b".nan",
        b"[.inf]",
        b"!!set {a}",
        b"!!python/object:os.system {}",
        b"{[1]: 2}",
        b"{~: 1}",
        b"{a: [}",
        b"a: b\n---\nc: d",
        b"\xff\xfe\x00",
        b"a:\n\tb: c",
    ],
)
def test_what_json_does_not_have_is_refused(text: bytes) -> None:
    """And what would crash a recursive reader: an error, never a dead process."""
    with pytest.raises((yaml.YAMLError, ValueError)):
        load(text)


def test_references_that_explode_are_refused() -> None:
    """A few lines must not become a billion values; a few references are fine."""
    lines = [b"a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [
        b"a%d: &a%d [%b]" % (level, level, b", ".join([b"*a%d" % (level - 1)] * 9))
        for level in range(1, 9)
    ]

    with pytest.raises(ValueError, match="excessive aliasing"):
        load(b"\n".join(lines))
    shared = load(b"a: &a {x: []}\nb: *a")
    shared["a"]["x"].append(1)
    assert shared["b"] == {"x": []}
