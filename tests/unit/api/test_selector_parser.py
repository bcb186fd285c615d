import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.api.selector_parser import parse_requirements
from kubewright.api.selectors import Selector


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("", ""),
        ("  \t\r\n ", ""),
        ("a", "a"),
        ("!a", "!a"),
        ("! a", "!a"),
        ("a=b", "a=b"),
        ("a == b", "a==b"),
        ("a!=b", "a!=b"),
        ("a=", "a="),
        ("a=,b", "a=,b"),
        ("x in (foo,,baz),y,z notin ()", "x in (,baz,foo),y,z notin ()"),
        ("x in(b,a , b)", "x in (a,b)"),
        ("x in (,)", "x in ()"),
        ("z,b,a", "a,b,z"),
        ("a>1,b<2", "a>1,b<2"),
        ("in in (in,notin)", "in in (in,notin)"),
        ("notin=in", "notin=in"),
        ("a!=b,a=c", "a!=b,a=c"),
        ("example.com/a.b_c=1.2", "example.com/a.b_c=1.2"),
    ],
)
def test_a_selector_prints_in_canonical_form(text: str, printed: str) -> None:
    """Keys and values are sorted as apimachinery sorts them, so that equal ones look equal."""
    selector = Selector.parse(text)

    assert str(selector) == printed
    assert Selector.parse(printed) == selector


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("a,", 3, "expected a label key, found the end"),
        (",a", 1, "expected a label key, found ','"),
        ("a,,b", 3, "expected a label key, found ','"),
        ("=b", 1, "expected a label key, found '='"),
        ("a b", 3, "expected one of in, notin, =, ==, !=, >, <, found 'b'"),
        ("!a=b", 3, "expected ',' or the end, found '='"),
        ("!!a", 2, "expected a label key, found '!'"),
        ("a in b", 6, r"expected '\(', found 'b'"),
        ("a in (b", 8, r"expected ',' or '\)', found the end"),
        ("a in (b c)", 9, r"expected ',' or '\)', found 'c'"),
        ("a in (=)", 7, "expected a value, found '='"),
        ("a=b=c", 4, "expected ',' or the end, found '='"),
        ("a=!b", 3, "expected a value, found '!'"),
        ("ok,a=-b", 4, "'-b' is not a valid label value"),
        ("ok,-a", 4, "'-a' is not a valid key"),
        ("a>x", 1, "'>' compares whole numbers of 64 bits, and 'x' is none"),
        ("a<9223372036854775808", 1, "'<' compares whole numbers"),
        ("a\x00", 1, "is not a valid key"),
        ("é=ü", 1, "is not a valid key"),
    ],
)
def test_a_broken_selector_names_the_position_and_what_is_wrong(
    text: str, position: int, problem: str
) -> None:
    """Selectors come from flags and annotations, where one sees the text and nothing else."""
    with pytest.raises(ValueError, match=problem) as caught:
        parse_requirements(text)

    assert f"cannot read label selector {text!r} at position {position}: " in str(caught.value)


@given(st.text())
def test_any_text_is_read_or_refused_with_a_value_error(text: str) -> None:
    """No input from outside ends in an IndexError."""
    try:
        parse_requirements(text)
    except ValueError as error:
        assert "at position" in str(error)  # noqa: PT017  # most texts are refused, some are not
