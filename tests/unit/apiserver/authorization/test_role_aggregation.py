from typing import Any

from kubewright.apiserver.authorization.role_aggregation import aggregated_rules, stale_roles
from tests.unit.apiserver.authorization.roles import role, rule

Obj = dict[str, Any]


def labelled(name: str, label: str, *rules: Obj) -> Obj:
    found = role(name, *rules)
    found["metadata"]["labels"] = {label: "true"}
    return found


def gathering(name: str, *labels: str) -> Obj:
    selectors = [{"matchLabels": {label: "true"}} for label in labels]
    return role(name, aggregationRule={"clusterRoleSelectors": selectors})


def test_rules_come_once_in_the_order_of_names() -> None:
    """The order is fixed, so that nothing is written when nothing has changed."""
    pods, jobs = rule("get", "pods"), rule("get", "jobs")
    roles = [labelled("b", "view", pods), labelled("a", "view", jobs, pods), role("c", pods)]

    assert aggregated_rules(gathering("view", "view"), roles) == [jobs, pods]


def test_a_role_that_does_not_gather_is_left_alone() -> None:
    """Its rules are its own."""
    assert aggregated_rules(role("x", rule("get", "pods")), []) is None


def test_roles_that_gather_from_one_another_settle_in_one_call() -> None:
    """The role admin gathers view, which gathers what a CRD adds."""
    extra = labelled("crd", "to-view", rule("get", "shops"))
    view = gathering("view", "to-view")
    view["metadata"]["labels"] = {"to-edit": "true"}
    admin = gathering("admin", "to-edit")

    changed = stale_roles([admin, view, extra])

    assert {one["metadata"]["name"]: one["rules"] for one in changed} == {
        "admin": extra["rules"],
        "view": extra["rules"],
    }
    assert view["rules"] == []


def test_nothing_is_stale_twice() -> None:
    """Writing the result leads to no further write, not even for roles in a circle."""
    first, second = gathering("first", "x"), gathering("second", "x")
    first["metadata"]["labels"] = second["metadata"]["labels"] = {"x": "true"}
    source = labelled("source", "x", rule("get", "pods"))

    changed = {one["metadata"]["name"]: one for one in stale_roles([first, second, source])}

    assert stale_roles([changed["first"], changed["second"], source]) == []
