"""Patterns of RE2 in Python."""

import pytest

from kubewright.apiserver.cel import regex
from kubewright.apiserver.cel.regex import RegexError, compile_regex, matches


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^[a-z]+$", "abc", True),
        ("^a$", "a\n", False),
        ("(?m)^a$", "b\na\n", True),
        (r"^\d+$", "٣", False),
        (r"^\s$", "\v", False),
        (r"^[\s]$", "\t", True),
        (r"\Qa.b\E", "a.b", True),
        (r"\Qa.b\E", "axb", False),
        (r"^[[:alpha:]_]+$", "aZ_", True),
        (r"^[[:^digit:]]$", "1", False),
        (r"^\pL+$", "éa", True),
        (r"^\p{Greek}+$", "αβ", True),
        (r"^\PL$", "1", True),
        (r"^[\p{Lu}\d]+$", "É1", True),
        (r"^\x{1F600}$", "\U0001f600", True),
        ("(?P<n>a)(?<o>b)", "ab", True),
        ("a(?i)b|c", "C", True),
        ("a(?i)b|c", "A", False),
        ("(a(?i)b)c", "aBC", False),
        ("(?i:a)b", "Ab", True),
        ("a{,2}", "a{,2}", True),
        ("^a{2}$", "aa", True),
        ("^x{$", "x{", True),
        (r"\z", "", True),
        ("[^]a]", "b", True),
        ("[]a]", "]", True),
        ("[a-]", "-", True),
        (r"^[\w.-]+$", "a.b-c", True),
        ("a.c", "a\nc", False),
        ("(?s)a.c", "a\nc", True),
        ("a*?b", "aab", True),
        ("(?U)^a+$", "aa", True),
        ("^*a", "ba", True),
    ],
)
def test_patterns_mean_what_re2_means(pattern: str, text: str, *, found: bool) -> None:
    """Python reads some signs in a wider sense."""
    assert matches(text, pattern) is found


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(", "missing closing ): `(`"),
        (")", "unexpected ): `)`"),
        ("[a", "missing closing ]: `[a`"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?<!a)", "invalid named capture: `(?<!a)`"),
        (r"(a)\1", r"invalid escape sequence: `\1`"),
        (r"\y", r"invalid escape sequence: `\y`"),
        ("*a", "missing argument to repetition operator: `*`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a++", "invalid nested repetition operator: `++`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("[z-a]", "invalid character class range: `z-a`"),
        (r"\p{Nope}", r"invalid character class range: `\p{Nope}`"),
        ("a\\", "trailing backslash at end of expression: ``"),
    ],
)
def test_what_re2_does_not_know_is_refused(pattern: str, problem: str) -> None:
    """Look-around and back-references would work in Python, but not on the server."""
    with pytest.raises(RegexError) as caught:
        compile_regex(pattern)

    assert str(caught.value) == f"error parsing regexp: {problem}"


def test_few_long_patterns_are_remembered() -> None:
    """Each is kept with what was made of it, which is more than it is long."""
    for number in range(20):
        assert matches(f"{number}" + "a" * 5000, f"{number}" + "a" * 5000)

    assert regex._matcher_long.cache_info().currsize == 8
    assert regex._compiled_long.cache_info().currsize == 8
