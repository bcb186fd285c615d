"""Foreign text, taken apart."""

from hypothesis import given
from hypothesis import strategies as st

from kubewright.scaffold.reference.prose import Block, Span, blocks, spans


def test_code_and_links_are_found() -> None:
    """A full stop at the end of a sentence is no part of an address."""
    found = list(spans("Set `a` or ``b`c``, see https://example.com/x_y). Not `this"))

    assert found == [
        Span("text", "Set "),
        Span("code", "a"),
        Span("text", " or "),
        Span("code", "b`c"),
        Span("text", ", see "),
        Span("link", "https://example.com/x_y"),
        Span("text", "). Not `this"),
    ]


def test_only_the_web_is_linked() -> None:
    """An address with another scheme can run a program."""
    assert [one.kind for one in spans("javascript:alert(1) data:text/html,x")] == ["text"]


@given(st.text("ab`. \n") | st.text())
def test_nothing_is_lost(text: str) -> None:
    """Every letter of a description is somewhere on the page."""
    said = "".join(one.text for one in spans(text))

    assert [one for one in said if one.isalnum()] == [one for one in text if one.isalnum()]


def test_paragraphs_and_lists_are_told_apart() -> None:
    """As controller-gen copies them from comments: broken lines, dashes, and marks for itself."""
    text = (
        "One\ntwo.\n\n- first\n  and more\n* second\n1. third\n\nEnd.\n+optional\n+kubebuilder:x=y"
    )

    assert blocks(text) == [
        Block("paragraph", ["One two."]),
        Block("list", ["first and more", "second", "third"]),
        Block("paragraph", ["End."]),
    ]


def test_no_text_is_no_block() -> None:
    """Most fields of some CRDs say nothing."""
    assert blocks("") == []
    assert blocks(" \n ") == []
