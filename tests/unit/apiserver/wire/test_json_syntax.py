"""Broken JSON, explained as Go does."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.apiserver.wire.json_syntax import END, problem

# What Go's json.Valid and Unmarshal say of each.
CASES = {
    "": END,
    "  ": END,
    "{": END,
    '{"a"': END,
    '{"a": "b': END,
    '{"a": tru': END,
    "apiVersion: v1": "invalid character 'a' looking for beginning of value",
    "{a: 1}": "invalid character 'a' looking for beginning of object key string",
    '{"a": 1,}': "invalid character '}' looking for beginning of object key string",
    '{"a" 1}': "invalid character '1' after object key",
    '{"a": 1 "b": 2}': "invalid character '\"' after object key:value pair",
    "[1 2]": "invalid character '2' after array element",
    "[1,]": "invalid character ']' looking for beginning of value",
    "{} {}": "invalid character '{' after top-level value",
    "[trux]": "invalid character 'x' in literal true (expecting 'e')",
    "[nil]": "invalid character 'i' in literal null (expecting 'u')",
    "[-a]": "invalid character 'a' in numeric literal",
    "[1.x]": "invalid character 'x' after decimal point in numeric literal",
    "[1e+]": "invalid character ']' in exponent of numeric literal",
    "[01]": "invalid character '1' after array element",
    '["a\nb"]': r"invalid character '\n' in string literal",
    r'["\x"]': "invalid character 'x' in string escape code",
    r'["\u12g4"]': r"invalid character 'g' in \u hexadecimal character escape",
    "['a']": r"invalid character '\'' looking for beginning of value",
    "é": "invalid character 'Ã' looking for beginning of value",
}


@pytest.mark.parametrize(("text", "said"), CASES.items())
def test_what_is_said_is_what_go_says(text: str, said: str) -> None:
    """Users search the web for this text."""
    assert problem(text.encode()) == said


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(VALUES)
def test_nothing_is_wrong_with_json(value: object) -> None:
    """A scanner that complains of good JSON would blame the innocent."""
    assert not problem(json.dumps(value).encode())


def test_deep_nesting_is_no_recursion_of_ours() -> None:
    """A body of brackets must not end the request with a Python error."""
    assert problem(b'{"a":' * 2000) == END
    assert problem(b"[" * 20_000) == "exceeded max depth"
