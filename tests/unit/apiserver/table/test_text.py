"""Parts of objects as short text."""

from kubewright.apiserver.table import text


def test_what_is_not_there_is_said_in_the_words_of_kubectl() -> None:
    """Each place has its own."""
    assert text.labels(None) == text.labels({}) == text.selector({}) == "<none>"
    assert text.with_more([]) == text.go_bool(None) == "<unset>"
    assert text.containers({}) == ("", "")
    assert text.part({"spec": None}, "spec") == text.part({}, "spec") == {}


def test_maps_and_lists_become_one_line() -> None:
    """By key, and no longer than it must be."""
    assert text.labels({"b": "2", "a": "1"}) == "a=1,b=2"
    assert text.selector({"matchLabels": {"a": "1"}}) == "a=1"
    assert text.selector({"matchExpressions": [{"key": "a", "operator": "Odd"}]}) == "<error>"
    assert text.with_more(["a", "b", "c"]) == "a,b,c"
    assert text.with_more(["a", "b", "c", "d", "e"]) == "a,b,c + 2 more..."
    spec = {"containers": [{"name": "a", "image": "x"}, {"name": "b"}]}
    assert text.containers(spec) == ("a,b", "x,")


def test_conditions_are_found_by_their_type() -> None:
    """One that is not there does not hold."""
    conditions = [{"type": "Ready", "status": "True"}, {"type": "Bad", "status": "Unknown"}]

    assert text.condition(conditions, "Bad") == conditions[1]
    assert text.condition(None, "Bad") is None
    kinds = ("Ready", "Bad", "None")
    assert [text.is_true(conditions, kind) for kind in kinds] == [True, False, False]
    assert [text.go_bool(value) for value in (True, False)] == ["True", "False"]
