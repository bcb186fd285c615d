import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.api.field_selectors import FieldSelector, FieldTerm, escape_field_value


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("", ""),
        ("a=b", "a=b"),
        ("a==b", "a=b"),
        ("b!=c,a=", "a=,b!=c"),
        (",,a=b,", "a=b"),
        (r"a=x\,y\=z\\", r"a=x\,y\=z\\"),
        ("a=!b", "a=!b"),
        ("status.phase!=Running", "status.phase!=Running"),
        ("a=ü 1", "a=ü 1"),
    ],
)
def test_a_field_selector_prints_sorted_and_escaped(text: str, printed: str) -> None:
    """The same text for the same meaning, as the server would print it."""
    assert str(FieldSelector.parse(text)) == printed


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("a", 1, "'a' has no '=', '==' or '!='"),
        ("a=b,c", 5, "'c' has no"),
        ("a=b=c", 4, "is written"),
        (r"ab=\x", 4, "is not an escape"),
        ("a=b\\", 4, "is not an escape"),
        ("=b", 1, "cannot be the field"),
        ("a=b,!=c", 5, "cannot be the field"),
    ],
)
def test_a_broken_field_selector_names_the_position(text: str, position: int, problem: str) -> None:
    """Escapes are easy to get wrong in a shell."""
    with pytest.raises(ValueError, match=problem) as caught:
        FieldSelector.parse(text)

    assert f"at position {position}: " in str(caught.value)


def test_a_missing_field_counts_as_empty() -> None:
    """So spec.nodeName= finds the pods that no node runs yet."""
    unscheduled = FieldSelector.parse("spec.nodeName=")

    assert unscheduled.matches({})
    assert not unscheduled.matches({"spec.nodeName": "node-1"})
    assert not FieldSelector.parse("spec.nodeName!=").matches({})


def test_all_terms_must_hold() -> None:
    """A comma means and."""
    selector = FieldSelector.of({"a": "1"}) & FieldSelector.parse("b!=2")

    assert selector.matches({"a": "1", "b": "3"})
    assert not selector.matches({"a": "1", "b": "2"})
    assert not selector.matches({"a": "2", "b": "3"})
    assert selector.find_exact("a") == "1"
    assert selector.find_exact("b") is None
    assert FieldSelector().selects_everything
    assert not selector.selects_everything


def test_a_field_that_cannot_be_written_is_refused() -> None:
    """The left side knows no escapes: the server would read another field."""
    for field in ("", "a=b", "a,b", "a!", "a\\"):
        with pytest.raises(ValueError, match="cannot be the field"):
            FieldTerm(field, "=", "")


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["=", "!="]), st.text())))
def test_what_is_printed_reads_back_as_the_same(terms: list[tuple[str, str, str]]) -> None:
    """Any value at all survives, commas and backslashes included."""
    selector = FieldSelector(tuple(FieldTerm(*term) for term in terms))  # type: ignore[arg-type]  # a sampled literal

    assert FieldSelector.parse(str(selector)) == selector
    assert hash(FieldSelector.parse(str(selector))) == hash(selector)


def test_escaping_covers_the_three_special_characters() -> None:
    """The list is apimachinery's."""
    assert escape_field_value("a,b=c\\") == r"a\,b\=c\\"
