"""Keywords spelled as markers, and texts as docstrings."""

import ast
import inspect

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright.crd.spelling import call, docstring, is_docstring, spelled_markers


def test_keywords_become_markers() -> None:
    """In a fixed order, whatever the order in the schema."""
    assert spelled_markers({"maxLength": 3, "minLength": 1, "nullable": True}) == [
        "kw.MinLength(1)",
        "kw.MaxLength(3)",
        "kw.Nullable()",
    ]


def test_rules_keep_their_options() -> None:
    """Each entry is one rule."""
    rules = [{"rule": "a", "message": "m"}, {"rule": "b", "fieldPath": ".c"}]

    assert spelled_markers({"x-kubernetes-validations": rules}) == [
        "kw.Rule('a', message='m')",
        "kw.Rule('b', field_path='.c')",
    ]


def test_unknown_keywords_are_left_to_others() -> None:
    """A patch says them."""
    assert spelled_markers({"not": {}, "nullable": False}) == []


def test_a_call_leaves_out_what_was_not_given() -> None:
    """None is the default of every option."""
    assert call("f", "1", a=None, b="c") == "f(1, b='c')"


@settings(deadline=None)
@given(st.text())
def test_a_docstring_reads_as_it_was_written(text: str) -> None:
    """Or it is said not to be one, and a marker says it instead."""
    if not is_docstring(text):
        return

    tree = ast.parse("class A:\n" + docstring(text, "    "))

    found = ast.get_docstring(tree.body[0], clean=False) or ""  # type: ignore[arg-type]  # a class
    assert inspect.cleandoc(found).rstrip() == text


@pytest.mark.parametrize(
    "text",
    ["", " ", " a", "a\n", 'a"""b', "a\\", "a \nb", "a ", "a\tb", "a\r\nb", "a\x00b", None, 3],
)
def test_an_awkward_text_is_no_docstring(text: object) -> None:
    """A formatter would change it, or it would need escapes."""
    assert not is_docstring(text)
