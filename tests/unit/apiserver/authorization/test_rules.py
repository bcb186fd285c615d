import pytest

from kubewright.apiserver.authorization.rules import aggregate, described, go_list, uncovered
from tests.unit.apiserver.authorization.roles import paths, rule


@pytest.mark.parametrize(
    ("owned", "wanted"),
    [
        (rule("*", "*", groups="*"), rule("get", "pods/log")),
        (rule("get", "*/log"), rule("get", "pods/log")),
        (rule("get list", "pods jobs"), rule("list", "jobs")),
        (rule("get", "pods"), rule("get", "pods", names="a")),
        (paths("*", "*"), paths("get", "/x/y")),
        (paths("get", "/x/*"), paths("get", "/x/*")),
    ],
)
def test_who_has_more_has_less(owned: dict[str, object], wanted: dict[str, object]) -> None:
    """Stars cover, and so do all names one name."""
    assert uncovered([wanted], [owned]) == []


@pytest.mark.parametrize(
    ("owned", "wanted"),
    [
        (rule("get", "pods"), rule("*", "pods")),
        (rule("get", "pods"), rule("get", "*")),
        (rule("get", "pods", names="a"), rule("get", "pods")),
        (rule("get", "pods", names="a"), rule("get", "pods", names="b")),
        (rule("get", "pods"), rule("get", "pods/log")),
        (paths("get", "/x"), paths("get", "/x/*")),
        (rule("*", "*", groups="*"), paths("get", "/x")),
    ],
)
def test_who_has_less_has_not_more(owned: dict[str, object], wanted: dict[str, object]) -> None:
    """A star is only covered by a star, and a path by no resource."""
    assert uncovered([wanted], [owned]) != []


def test_rules_are_described_by_resource_with_all_their_verbs() -> None:
    """Each name has a line of its own."""
    missing = uncovered([rule("get list", "pods"), rule("get", "pods", names="a b")], [])

    assert described(missing) == [
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get"]}',
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}',
        '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
    ]


def test_lists_and_errors_read_as_go_prints_them() -> None:
    """The same error is told once."""
    assert go_list(["a", 'b"']) == '["a" "b\\""]'
    assert aggregate(["x", "x"]) == "x"
    assert aggregate(["x", "y", "x"]) == "[x, y]"
