"""Regular expressions: what Go cannot read is refused here, and what it can is not."""

import pytest

from kubewright.crd.patterns import is_match, problem_of


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
        r"\+\d{1,3}",
        r"[(?=]+",
        r"\(?=",
        r"[\]1]\\1",
        "(?i)a",
        "a(?i)b",
        "(?P<name>a)",
        "(?<name>a)",
        "(?:a|b)??",
        r"\pL\p{Greek}\P{^Lu}",
        r"[[:alpha:]_]+\z",
        r"\Q(?=\E",
        r"\x{10FFFF}",
        "{}+",
        "é{2}",
        "(?s-i:a.)",
    ],
)
def test_what_go_reads_is_taken(pattern: str) -> None:
    """A CRD that is right must not be refused."""
    assert problem_of(pattern) == ""


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("(?=a)", "no look-around, '(?='"),
        ("a(?!b)", "no look-around, '(?!'"),
        ("(?<=a)b", "no look-around, '(?<='"),
        ("(?<!a)b", "no look-around, '(?<!'"),
        (r"(a)\1", r"no backreference, '\\1'"),
        ("(?P<a>b)(?P=a)", "no backreference, '(?P='"),
        ("(?>a)", "no atomic group"),
        ("(a)(?(1)b)", "no condition"),
        ("a++", "no possessive repetition, '++'"),
        ("a{1,1001}", "no repetition above 1000"),
        ("(a", "it is not a regular expression: missing ), unterminated subpattern"),
        ("[a", "it is not a regular expression: unterminated character set"),
        ("*a", "it is not a regular expression: nothing to repeat"),
    ],
)
def test_what_go_does_not_read_is_refused_with_its_name(pattern: str, told: str) -> None:
    """The server refuses the CRD, and says less."""
    assert told in problem_of(pattern)


def test_a_pattern_matches_anywhere() -> None:
    """As for the server, whoever means the whole text says so."""
    assert is_match("b", "abc")
    assert not is_match("^b", "abc")


def test_a_pattern_of_go_alone_is_given_the_benefit_of_the_doubt() -> None:
    """A default is refused only where we are sure."""
    assert is_match(r"^\p{Greek}$", "a")
    assert is_match("(", "a")
