import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.api.meta import LabelSelector, LabelSelectorRequirement
from kubewright.api.selectors import (
    Operator,
    Requirement,
    Selector,
    selector_from,
)


@pytest.mark.parametrize(
    ("text", "labels", "fits"),
    [
        ("", {}, True),
        ("a=1", {"a": "1", "b": "2"}, True),
        ("a=1", {"a": "2"}, False),
        ("a=1", {}, False),
        ("a=", {}, False),
        ("a=", {"a": ""}, True),
        ("a!=1", {}, True),
        ("a!=1", {"a": "2"}, True),
        ("a!=1", {"a": "1"}, False),
        ("a in (1,2)", {"a": "2"}, True),
        ("a in (1,2)", {"a": "3"}, False),
        ("a in (1,2)", {}, False),
        ("a notin (1,2)", {"a": "2"}, False),
        ("a notin (1,2)", {}, True),
        ("a", {"a": ""}, True),
        ("a", {"b": "1"}, False),
        ("!a", {"a": ""}, False),
        ("!a", {"b": "1"}, True),
        ("a>1", {"a": "2"}, True),
        ("a>1", {"a": "1"}, False),
        ("a>1", {"a": "10"}, True),
        ("a<1", {"a": "0"}, True),
        ("a<1", {"a": "x"}, False),
        ("a<1", {}, False),
        ("a>1", {"a": "1_0"}, False),
        ("a>1,a<5", {"a": "3"}, True),
        ("a>1,a<5", {"a": "7"}, False),
        ("a=1,b=2", {"a": "1"}, False),
    ],
)
def test_matching_follows_kubernetes(text: str, labels: dict[str, str], fits: bool) -> None:
    """An absent label satisfies != and notin, and nothing else; that is where others go wrong."""
    assert Selector.parse(text).matches(labels) is fits


def test_everything_and_nothing_are_what_they_say() -> None:
    """The two ends of the scale."""
    assert Selector.EVERYTHING.matches({})
    assert Selector.EVERYTHING.selects_everything
    assert Selector.parse("") == Selector.EVERYTHING == Selector.of({})
    assert not Selector.NOTHING.matches({})
    assert not Selector.NOTHING.matches({"": "", "a": "b", "nothing": ""})
    assert not Selector.NOTHING.selects_everything
    assert Selector.NOTHING != Selector.EVERYTHING


def test_nothing_prints_as_a_selector_that_a_server_takes_for_nothing() -> None:
    """An empty text, which Go prints, would make a server return everything."""
    sent = Selector.parse(str(Selector.NOTHING))

    assert not sent.matches({})
    assert not sent.matches({"nothing": ""})


def test_both_of_two_selectors_must_hold() -> None:
    """A namespace's selector and a user's combine without building text."""
    both = Selector.of({"b": "1"}) & Selector.parse("a in (x,y)")

    assert str(both) == "a in (x,y),b=1"
    assert both.matches({"a": "x", "b": "1"})
    assert not both.matches({"a": "x"})
    assert both & Selector.NOTHING == Selector.NOTHING
    assert both & Selector.EVERYTHING == both


def test_selectors_are_values() -> None:
    """They are keys of the informer map: one per kind and selector."""
    selector = Selector.parse("b in (y,x),a")

    assert {selector: 1}[Selector.parse("a,b in (x,y)")] == 1
    assert pickle.loads(pickle.dumps(selector)) == selector
    assert copy.deepcopy(Selector.NOTHING) == Selector.NOTHING
    assert repr(selector) == "Selector.parse('a,b in (x,y)')"
    assert selector != "a,b in (x,y)"
    with pytest.raises(AttributeError, match="cannot change"):
        selector.requirements = ()
    with pytest.raises(AttributeError, match="cannot change"):
        del selector.requirements


def test_the_api_type_becomes_a_selector() -> None:
    """What stands in spec.selector of a Deployment selects as the server selects."""
    written = LabelSelector(
        match_labels={"app": "shop"},
        match_expressions=[
            LabelSelectorRequirement(key="tier", operator="In", values=["web", "api"]),
            LabelSelectorRequirement(key="env", operator="NotIn", values=["test"]),
            LabelSelectorRequirement(key="owner", operator="Exists"),
            LabelSelectorRequirement(key="canary", operator="DoesNotExist"),
        ],
    )

    selector = selector_from(written)

    assert str(selector) == "app=shop,!canary,env notin (test),owner,tier in (api,web)"


def test_an_absent_selector_selects_nothing_and_an_empty_one_everything() -> None:
    """The difference deletes clusters when it is got wrong."""
    assert selector_from(None) is Selector.NOTHING
    assert selector_from(LabelSelector()) == Selector.EVERYTHING


def test_text_and_dicts_are_selectors_too() -> None:
    """Callers pass what they have."""
    selector = Selector.of({"a": "1"})

    assert selector_from("a=1") == selector
    assert selector_from({"a": "1"}) == selector
    assert selector_from(selector) is selector


def test_an_unknown_operator_is_refused_with_those_that_exist() -> None:
    """Gt is an operator of node affinity, and people try it here."""
    written = LabelSelector(
        match_expressions=[LabelSelectorRequirement(key="a", operator="Gt", values=["1"])]
    )

    with pytest.raises(ValueError, match=r"'Gt' is not an operator .* In, NotIn, Exists"):
        selector_from(written)


def test_the_one_value_of_a_key_is_found_for_an_index() -> None:
    """A cache looks up an index instead of scanning when a label must have one value."""
    selector = Selector.parse("a=1,b in (2),c in (3,4),d!=5,e")

    assert [selector.find_exact(key) for key in "abcdef"] == ["1", "2", None, None, None, None]


names = st.from_regex(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,8}[A-Za-z0-9])?", fullmatch=True)
values = st.one_of(st.just(""), names)


@st.composite
def requirements(draw: st.DrawFn) -> Requirement:
    operator = draw(st.sampled_from(Operator))
    if operator in (Operator.EXISTS, Operator.DOES_NOT_EXIST):
        chosen: list[str] = []
    elif operator in (Operator.GREATER_THAN, Operator.LESS_THAN):
        chosen = [str(draw(st.integers(0, 2**63 - 1)))]
    elif operator in (Operator.IN, Operator.NOT_IN):
        chosen = draw(st.lists(values, min_size=1, max_size=3))
    else:
        chosen = [draw(values)]
    return Requirement(draw(names), operator, tuple(chosen))


@given(st.lists(requirements(), max_size=4))
def test_what_is_printed_reads_back_as_the_same_selector(terms: list[Requirement]) -> None:
    """The server must understand by our text what we mean."""
    selector = Selector(terms)

    assert Selector.parse(str(selector)) == selector


@given(st.lists(requirements(), max_size=4), st.dictionaries(names, values, max_size=4))
def test_a_selector_holds_when_each_of_its_requirements_holds(
    terms: list[Requirement], labels: dict[str, str]
) -> None:
    """The compiled form must not differ from the meaning."""
    assert Selector(terms).matches(labels) is all(_meaning(one, labels) for one in terms)


def _meaning(one: Requirement, labels: dict[str, str]) -> bool:
    """Say the rules of Kubernetes in the plainest way, as an oracle."""
    value = labels.get(one.key)
    match one.operator:
        case Operator.EXISTS:
            return one.key in labels
        case Operator.DOES_NOT_EXIST:
            return one.key not in labels
        case Operator.IN | Operator.EQUALS | Operator.DOUBLE_EQUALS:
            return value is not None and value in one.values
        case Operator.NOT_IN | Operator.NOT_EQUALS:
            return value is None or value not in one.values
        case _:
            if value is None or not (value.isascii() and value.isdigit()):
                return False
            bound = int(one.values[0])
            return (
                int(value) > bound if one.operator is Operator.GREATER_THAN else int(value) < bound
            )


@pytest.mark.parametrize(
    ("terms", "labels", "selected"),
    [
        ("k{0}!=v", {"k7": "w"}, True),
        ("k{0}!=v", {"k7": "v"}, False),
        ("!k{0}", {"other": "v"}, True),
        ("!k{0}", {"k7": ""}, False),
        ("n>{0}", {"n": "30000"}, True),
        ("n>{0}", {"n": "29999"}, False),
        ("k in (v{0},a)", {"k": "a"}, True),
        ("k in (v{0},a)", {"k": "v7"}, False),
    ],
)
def test_an_object_is_matched_by_its_labels_however_long_the_selector_is(
    terms: str, labels: dict[str, str], *, selected: bool
) -> None:
    """The tests that are left do not grow with thousands of terms."""
    selector = Selector.parse(",".join(terms.format(number) for number in range(30_000)))

    assert selector.matches(labels) is selected
    assert len(selector._tests) + len(selector._bounds) <= 2
