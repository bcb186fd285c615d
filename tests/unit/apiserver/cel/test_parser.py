"""What the parser takes, and how it refuses the rest."""

import pytest

from kubewright.apiserver.cel.errors import CompileError
from kubewright.apiserver.cel.parser import parse

_EXPR = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT,"
    " STRING, BYTES, IDENTIFIER}"
)


@pytest.mark.parametrize(
    ("source", "place", "text"),
    [
        ("1 +", 4, f"mismatched input '<EOF>' expecting {_EXPR}"),
        ("1 + + 2", 5, f"extraneous input '+' expecting {_EXPR}"),
        ("== x", 1, f"extraneous input '==' expecting {_EXPR}"),
        ("f(1,)", 5, f"mismatched input ')' expecting {_EXPR}"),
        ("!", 2, f"extraneous input '<EOF>' expecting {_EXPR}"),
        ("(1", 3, "missing ')' at '<EOF>'"),
        ("(1 2)", 4, "extraneous input '2' expecting ')'"),
        ("f(1 2", 5, "mismatched input '2' expecting ')'"),
        ("x[1", 4, "missing ']' at '<EOF>'"),
        ("[1,2", 5, "mismatched input '<EOF>' expecting {']', ','}"),
        ("[1 2]", 4, "extraneous input '2' expecting {']', ','}"),
        ("{1:2 3:4}", 6, "mismatched input '3' expecting {'}', ','}"),
        ("{1}", 3, "mismatched input '}' expecting ':'"),
        ("x ? 1", 6, "mismatched input '<EOF>' expecting ':'"),
        ("x ? 1 2", 7, "missing ':' at '2'"),
        ("a b", 3, "extraneous input 'b' expecting <EOF>"),
        ("x and y", 3, "mismatched input 'and' expecting <EOF>"),
        ("f(x)(y)", 5, "mismatched input '(' expecting <EOF>"),
        ("x.", 3, "no viable alternative at input '.'"),
        ("x.(a)", 3, "no viable alternative at input '.('"),
        ("x.true", 3, "mismatched input 'true' expecting IDENTIFIER"),
        ("-!true", 2, "no viable alternative at input '-!'"),
    ],
)
def test_syntax_errors_are_those_of_the_server(source: str, place: int, text: str) -> None:
    """A word too many, a word missing, or neither: users search for these texts."""
    with pytest.raises(CompileError) as caught:
        parse(source)

    head = str(caught.value).split("\n", maxsplit=1)[0]
    assert head == f"ERROR: <input>:1:{place}: Syntax error: {text}"


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("#", ["token recognition error at: '#'", f"mismatched input '<EOF>' expecting {_EXPR}"]),
        ("x = 1", ["token recognition error at: '= '", "extraneous input '1' expecting <EOF>"]),
        ('"a" + b"c', ["token recognition error at: '\"c'"]),
        (r"'\z'", [r"token recognition error at: ''\z'", "token recognition error at: '''"]),
        ("'a\nb'", [r"token recognition error at: ''a\n'"]),
    ],
)
def test_what_is_no_word_is_reported_before_what_follows_from_it(
    source: str, texts: list[str]
) -> None:
    """The lexer goes on behind nonsense, as the server's does."""
    with pytest.raises(CompileError) as caught:
        parse(source)

    issues = [issue.text for issue in caught.value.issues]
    assert issues[: len(texts)] == [f"Syntax error: {text}" for text in texts]


@pytest.mark.parametrize(
    ("source", "place", "text"),
    [
        ("if", 1, "reserved identifier: if"),
        ("99999999999999999999", 1, "invalid int literal"),
        ("18446744073709551616u", 1, "invalid uint literal"),
        ("1e999", 1, "invalid double literal"),
        (r'"\ud800"', 1, "invalid unicode code point"),
        (r'b"\u0041"', 1, "unable to unescape string"),
        ("has(x)", 5, "invalid argument to has() macro"),
        ("[1].all(1, true)", 9, "argument must be a simple name"),
        ("[1].map(x + 1, true)", 11, "argument is not an identifier"),
        ("[1].all(x, x, true)", 12, "duplicate variable name: x"),
        (
            "[1].all(__result__, true)",
            9,
            "iteration variable overwrites accumulator variable",
        ),
        ("x.optMap(1, 2)", 10, "optMap() variable name must be a simple identifier"),
    ],
)
def test_well_formed_nonsense_is_named(source: str, place: int, text: str) -> None:
    """Literals and macros are checked while reading."""
    with pytest.raises(CompileError) as caught:
        parse(source)

    assert [(issue.offset + 1, issue.text) for issue in caught.value.issues] == [(place, text)]


@pytest.mark.parametrize(
    "source", ["(" * 300 + "1" + ")" * 300, "1" + "+1" * 300, "x" + ".a" * 300, "[" * 5000]
)
def test_expressions_that_are_too_deep_are_refused(source: str) -> None:
    """Depth is bounded, so that no rule can exhaust the stack."""
    with pytest.raises(CompileError, match="expression recursion limit exceeded: 250"):
        parse(source)


def test_expressions_that_are_too_long_are_refused() -> None:
    """The server does not even begin to read them."""
    limit = "expression code point size exceeds limit: size: 100001, limit 100000"

    with pytest.raises(CompileError, match=limit):
        parse(" " * 100_001)


def test_chains_of_logical_operators_do_not_count_as_depth() -> None:
    """Rules that list hundreds of values with || are usual."""
    parse(" || ".join(f"x == {number}" for number in range(1000)))
