"""Calls beside rights, as RBAC sees them."""

import pytest

from kubewright.application.calls import Call, Calls, Trace
from kubewright.application.coverage import allows, compare
from kubewright.application.rights import Right
from kubewright.crd import PolicyRule

POD = Call("get", "", "pods", "shop", "web")


def made(*calls: Call) -> Calls:
    return {call: Trace(1, "test", "a.py:1") for call in calls}


def rule(group: str, resource: str, *verbs: str, names: tuple[str, ...] = ()) -> PolicyRule:
    return PolicyRule((group,), (resource,), verbs, names)


def verbs_unused(calls: Calls, *rules: PolicyRule) -> list[str]:
    return [one.right.verb for one in compare(calls, rules).unused]


@pytest.mark.parametrize(
    ("right", "call", "allowed"),
    [
        (Right("", "", "pods", "get"), POD, True),
        (Right("", "", "pods", "*"), POD, True),
        (Right("", "*", "pods", "get"), POD, True),
        (Right("", "", "*", "get"), POD, True),
        (Right("shop", "", "pods", "get"), POD, True),
        (Right("", "", "pods", "get", "web"), POD, True),
        (Right("", "", "pods", "list"), POD, False),
        (Right("", "apps", "pods", "get"), POD, False),
        (Right("", "", "pods/status", "get"), POD, False),
        (Right("", "", "*/status", "get"), POD, False),
        (Right("bar", "", "pods", "get"), POD, False),
        (Right("", "", "pods", "get", "other"), POD, False),
        (Right("", "", "*", "get"), Call("get", "", "pods/log", "shop", "web"), True),
        (Right("", "", "*/log", "get"), Call("get", "", "pods/log", "shop", "web"), True),
        (Right("", "", "pods/*", "get"), Call("get", "", "pods/log", "shop", "web"), False),
        (Right("", "", "pods", "get"), Call("get", "", "pods/log", "shop", "web"), False),
        (Right("shop", "", "pods", "list"), Call("list", "", "pods"), False),
        (Right("", "", "pods", "create", "web"), Call("create", "", "pods", "shop"), False),
        (Right("", "", "", "get", url="/metrics"), Call("get", url="/metrics"), True),
        (Right("", "", "", "get", url="/logs/*"), Call("get", url="/logs/a"), True),
        (Right("", "", "", "get", url="*"), Call("get", url="/logs/a"), True),
        (Right("", "", "", "get", url="/metrics"), Call("get", url="/metrics/a"), False),
        (Right("", "", "", "get", url="*"), POD, False),
        (Right("", "*", "*", "*"), Call("get", url="/metrics"), False),
    ],
)
def test_a_right_allows_what_rbac_says(right: Right, call: Call, *, allowed: bool) -> None:
    """Wildcards, subresources, names, namespaces and URLs; anything else would mislead."""
    assert allows(right, call) is allowed


def test_what_no_rule_allows_is_missing_with_where_it_was_done() -> None:
    """Whoever reads it wants to see the line."""
    calls = made(POD, Call("get", "", "pods", "shop", "web-2"), Call("get", "", "nodes"))

    found = compare(calls, [rule("", "nodes", "get")]).missing

    [one] = found
    assert one.right == Right("shop", "", "pods", "get")
    assert (one.names, one.trace) == (["web", "web-2"], Trace(2, "test", "a.py:1"))


def test_what_everybody_may_do_needs_no_rule() -> None:
    """Each client asks what the server has."""
    calls = made(
        Call("get", url="/apis/apps/v1"),
        Call("create", "authorization.k8s.io", "selfsubjectaccessreviews"),
    )

    assert compare(calls, []).missing == []


def test_a_right_that_no_call_needed_is_unused() -> None:
    """It could go."""
    calls = made(Call("create", "", "pods", "shop"))

    assert verbs_unused(calls, rule("", "pods", "create", "delete")) == ["delete"]


@pytest.mark.parametrize(
    ("called", "unused"),
    [("watch", []), ("list", []), ("get", ["list", "watch"]), ("create", ["get", "list", "watch"])],
)
def test_rights_to_read_are_judged_together(called: str, unused: list[str]) -> None:
    """Who may list sees all; but a right to get one Secret is less than one to list them."""
    calls = made(Call(called, "", "secrets", "shop"))

    granted = rule("", "secrets", "get", "list", "watch")

    assert verbs_unused(calls, granted) == unused


def test_each_name_of_a_rule_is_judged_alone() -> None:
    """One of them may be of long ago."""
    granted = rule("", "configmaps", "update", names=("a", "b"))
    calls = made(Call("update", "", "configmaps", "shop", "a"))

    assert [one.right.name for one in compare(calls, [granted]).unused] == ["b"]


@pytest.mark.parametrize(
    "granted",
    [
        rule("", "events", "create", "patch"),
        PolicyRule(
            ("coordination.k8s.io",), ("leases",), ("create", "get", "update"), namespace="a"
        ),
        rule("authentication.k8s.io", "tokenreviews", "create"),
        rule("authorization.k8s.io", "subjectaccessreviews", "create"),
        rule("example.com", "shops/finalizers", "update"),
    ],
)
def test_what_a_cluster_needs_and_no_test_shows_may_stay(granted: PolicyRule) -> None:
    """Leader election, metrics, events of failures, and what an admission plugin asks for."""
    found = compare(made(POD), [granted])

    assert found.unused == []
    assert all(one.reason for one in found.exempt)
    assert len(found.exempt) == len(granted.verbs)


def test_more_than_what_is_needed_is_unused_there_too() -> None:
    """Who copied a role for leader election has rights to spare."""
    leases = PolicyRule(("coordination.k8s.io",), ("leases",), ("delete", "get"))

    assert verbs_unused(made(POD), leases) == ["delete"]


def test_the_caller_may_exempt_more() -> None:
    """In whichever namespace it is."""
    secret = PolicyRule(("",), ("secrets",), ("update",), ("cert",))
    here = PolicyRule(("",), ("secrets",), ("update",), ("cert",), namespace="shop-system")

    found = compare(made(POD), [here], exempt=[(secret, "why")])

    assert [(one.right.namespace, one.reason) for one in found.exempt] == [("shop-system", "why")]
    assert found.unused == []


def test_an_unused_right_says_where_it_comes_from() -> None:
    """There it can be taken away."""
    granted = PolicyRule(("",), ("pods",), ("delete",), namespace="shop")

    [one] = compare(made(POD), [granted], origins={Right("", "", "pods", "delete"): ["x"]}).unused

    assert one.declared == ["x"]
