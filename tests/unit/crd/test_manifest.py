"""YAML that every parser reads alike."""

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright.crd import from_yaml, to_yaml
from kubewright.crd.manifest import with_lines
from kubewright.errors import SchemaError

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(st.text(), values))
def test_what_is_written_is_read_again(document: dict[str, Any]) -> None:
    """Whatever the text, quotes included."""
    assert from_yaml(to_yaml(document)) == [document]


@pytest.mark.parametrize(
    "text", ["yes", "no", "on", "y", "n", "null", "~", "1e3", "0x1f", "0o17", "1_000", "12:30",
             "2026-01-01", ".5", "+1", "-", "=", "<<", "true", "", " a", "a: b", "# a", "1.0"]
)  # fmt: skip
def test_a_text_that_looks_like_something_else_is_quoted(text: str) -> None:
    """YAML 1.1 and 1.2, Go and Python disagree about which these are."""
    line = to_yaml({"key": text}).splitlines()[1]

    assert line.removeprefix("key: ")[0] in "'\""


@pytest.mark.parametrize("text", ["a", "example.com/v1", ".spec.size", "^a+$", "TCP", "a b", "v1"])
def test_plain_text_stays_plain(text: str) -> None:
    """Quotes around everything are noise."""
    assert to_yaml({"key": text}) == f"---\nkey: {text}\n"


def test_several_lines_are_a_block() -> None:
    """A description with newlines is read as it was written."""
    assert to_yaml({"a": "one\n\ntwo"}) == "---\na: |-\n  one\n\n  two\n"


def test_long_lines_are_folded() -> None:
    """And read as one line again."""
    text = "word " * 40 + "end"
    written = to_yaml({"a": text})

    assert max(map(len, written.splitlines())) <= 105
    assert from_yaml(written) == [{"a": text}]


def test_shared_values_have_no_anchors() -> None:
    """People read these files."""
    shared = {"type": "string"}

    assert "&" not in to_yaml({"a": shared, "b": shared})


def test_documents_are_separated() -> None:
    """Kubectl applies them one after the other."""
    assert to_yaml({"a": 1}, {"b": 2}) == "---\na: 1\n---\nb: 2\n"
    assert from_yaml("a: 1\n---\n---\nb: 2\n") == [{"a": 1}, {"b": 2}]


def test_times_stay_text() -> None:
    """JSON has no times, and Kubernetes reads YAML as JSON."""
    assert from_yaml("default: 2026-01-01") == [{"default": "2026-01-01"}]
    assert yaml.safe_load("a: 2026-01-01") != {"a": "2026-01-01"}  # what it would be otherwise


@pytest.mark.parametrize("text", ["{", "- a", "a", "!!python/object:os.system {}"])
def test_what_is_no_manifest_is_refused(text: str) -> None:
    """Also YAML that asks for Python objects."""
    with pytest.raises(SchemaError):
        from_yaml(text)


def test_the_value_sign_of_yaml_1_1_is_text() -> None:
    """Real CRDs have it in enumerations of operators, and Go reads text."""
    assert from_yaml("a: [=, '!=', =~]\nb: =") == [{"a": ["=", "!=", "=~"], "b": "="}]


def test_fields_know_their_lines() -> None:
    """Whoever checks a manifest names the line that is wrong."""
    [(first, lines), (_, others)] = with_lines("---\na: {b: 1}\nc:\n- d\n---\ne: 1\n")

    assert first == {"a": {"b": 1}, "c": ["d"]}
    assert lines == {(): 2, ("a",): 2, ("a", "b"): 2, ("c",): 3, ("c", 0): 4}
    assert others == {(): 6, ("e",): 6}


def test_anchors_do_not_multiply() -> None:
    """Nine lines of YAML can stand for more than a machine holds."""
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]

    [(_, lines)] = with_lines("\n".join(["a0: &a0 [1]", *levels]))

    assert len(lines) < 200


def test_broken_text_has_no_lines() -> None:
    """The error says where it breaks."""
    with pytest.raises(SchemaError, match=r"^this is not YAML: mapping .* \(line 2\)$"):
        list(with_lines("x: y\na: b: c"))
