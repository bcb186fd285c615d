"""Searching without going back."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.apiserver.cel.automaton import TooLargeError, _Automaton, _parser, find_search

ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", ".", r"\d", r"\w", "(?i:A)", "(?s:.)", r"\n"])
ANCHORS = st.sampled_from(["^", r"\Z", r"\A", r"\b", "(?m:^)", "(?m:$)"])
COUNTS = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "*?", "{0,3}"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("{}{}".format, inner, inner),
        st.builds("({}){}".format, inner, COUNTS),
        st.builds("({}|{})".format, inner, inner),
        st.builds("{}{}".format, ANCHORS, inner),
    ),
    max_leaves=6,
)


@given(PATTERNS, st.text("abA1_ \n\u00e9", max_size=8))
def test_it_finds_what_re_finds(pattern: str, text: str) -> None:
    """For any pattern without look-around, and any text."""
    automaton = _Automaton(_parser.parse(pattern, re.ASCII))

    assert automaton.search(text) == bool(re.search(pattern, text, re.ASCII))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^(a+)+\Z", "a" * 5000 + "!"),
        (r"(x+x+)+y", "x" * 5000),
        (r"^(a|aa)+\Z", "a" * 5000 + "!"),
        (r"(a?){30}a{30}\Z", "a" * 29 + "b"),
        (r"(.*)*(.*)*(.*)*z\Z", "a" * 5000),
        (r"[ab]*a[ab]{12}c", "abbaab" * 500),
        (r"a*b", "a" * 50_000),
    ],
)
def test_what_takes_re_forever_is_done_at_once(pattern: str, text: str) -> None:
    """One user's pattern must not stop the server for all."""
    search = find_search(pattern)

    assert search is not None
    assert not search(text)


@pytest.mark.parametrize("pattern", ["^[a-z]+", "a|b", "[0-9]{3}", "^a?", "(abc)", ""])
def test_a_pattern_with_one_choice_is_left_to_re(pattern: str) -> None:
    """That is faster, and cannot go wrong."""
    assert find_search(pattern) is None


def test_a_pattern_of_too_many_parts_is_refused() -> None:
    """Repetitions of repetitions grow quickly."""
    with pytest.raises(TooLargeError):
        find_search("((a{1,100}){1,100}){1,100}")


def test_what_is_known_is_forgotten_in_time() -> None:
    """A pattern with many states on a long text takes a bounded amount of memory."""
    search = find_search("[ab]*a[ab]{14}c")
    assert search is not None

    assert not search("".join("ab"[(n * n // 7) % 2] for n in range(30_000)))
    assert search("aab" * 100 + "a" + "b" * 14 + "c")
