"""How mistakes in expressions are shown."""

import copy

from kubewright.apiserver.cel.errors import CompileError, Issue, nowhere


def test_each_issue_is_shown_with_its_line_and_an_arrow_in_order_of_place() -> None:
    """Readers find the mistake by eye, in rules of several lines as well."""
    error = CompileError("a &&\n\tb + é", [Issue(10, "second"), Issue(0, "first")])

    assert str(error) == (
        "ERROR: <input>:1:1: first\n | a &&\n | ^\n"
        "ERROR: <input>:2:6: second\n |  b + é\n | .....\uff3e"
    )


def test_an_issue_without_a_place_has_no_snippet() -> None:
    """Limits concern the whole expression."""
    assert str(CompileError("x", [nowhere("too long")])) == "ERROR: <input>:-1:0: too long"


def test_long_reports_are_cut() -> None:
    """A broken expression must not fill the answer with thousands of lines."""
    error = CompileError("x", [Issue(0, "bad")] * 103)

    assert str(error).endswith("3 more errors were truncated")
    assert str(error).count("ERROR") == 100


def test_errors_can_be_copied() -> None:
    """The arguments of an error rebuild it."""
    error = CompileError("x", [Issue(0, "bad")])

    assert str(copy.copy(error)) == str(error)
