"""Searching without going back."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.apiserver.cel.automaton import Matcher, TooLargeError, _Automaton, _parser
from kubewright.apiserver.effort import Effort, TooMuchError

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

# What repeats nothing is left by Perl at once, and by others after one more round.
EMPTY_LOOP = re.compile(r"[*?^]\)[*+{]|[}bAZ$]\)[*+{]|:[$^]\)")


def matcher(pattern: str) -> Matcher:
    return Matcher(re.compile(pattern, re.ASCII))


@given(PATTERNS, st.text("abA1_ \n\u00e9", max_size=8))
def test_it_finds_what_re_finds(pattern: str, text: str) -> None:
    """For any pattern without look-around, and any text."""
    automaton = _Automaton(_parser.parse(pattern, re.ASCII))

    assert automaton.search(text, Effort()) == bool(re.search(pattern, text, re.ASCII))


@given(PATTERNS.filter(lambda pattern: not EMPTY_LOOP.search(pattern)), st.text("ab1 ", max_size=8))
def test_it_finds_the_match_that_perl_prefers(pattern: str, text: str) -> None:
    """Greedy or not, and of alternatives the first: as Go and ``re`` have it."""
    automaton = _Automaton(_parser.parse(pattern, re.ASCII))
    found = re.search(pattern, text, re.ASCII)

    assert automaton.span(text, 0, Effort()) == (found and found.span())


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
    assert not matcher(pattern).search(text, Effort())


@pytest.mark.parametrize(
    ("pattern", "text", "spans"),
    [
        ("(a+)+b", "a" * 3000 + "! ab", [(3002, 3004)]),
        ("(x+x+)+y|x+z", "x" * 2000 + "z", [(0, 2001)]),
        ("(a|b)*?c", "abcbc", [(0, 3), (3, 5)]),
        ("(a|b)*", "ab.a", [(0, 2), (3, 4)]),
    ],
)
def test_what_is_found_is_found_at_once(
    pattern: str, text: str, spans: list[tuple[int, int]]
) -> None:
    """Even where what comes before the match would take ``re`` forever."""
    assert list(matcher(pattern).spans(text, Effort())) == spans


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("[ab]*a[ab]{500}c", "".join(random.Random(1).choices("ab", k=2000))),
        ("(a{1000}){40}b", "a" * 2000),
        ("a{900}b", "a" * 100_000),
    ],
)
def test_what_is_too_much_work_is_given_up(pattern: str, text: str) -> None:
    """The time grows with the text, but a pattern can make each character dear."""
    with pytest.raises(TooMuchError):
        matcher(pattern).search(text, Effort(light=True))


@pytest.mark.parametrize("pattern", ["^[a-z]+", "a|b", "[0-9]{3}", "^a?", "(abc)", ""])
def test_a_pattern_with_one_choice_is_left_to_re(pattern: str) -> None:
    """That is faster, and cannot go wrong."""
    assert matcher(pattern)._automaton is None


def test_a_pattern_of_too_many_parts_is_refused() -> None:
    """Repetitions of repetitions grow quickly."""
    with pytest.raises(TooLargeError):
        matcher("((a{1,100}){1,100}){1,100}")


def test_what_is_known_is_forgotten_in_time() -> None:
    """A pattern with many states on a long text takes a bounded amount of memory."""
    found = matcher("[ab]*a[ab]{14}c")

    assert not found.search("".join("ab"[(n * n // 7) % 2] for n in range(30_000)), Effort())
    assert found.search("aab" * 100 + "a" + "b" * 14 + "c", Effort())
