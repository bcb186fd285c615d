"""RBAC rules are merged, collapsed and sorted as controller-gen does it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright.api.kind import RESTMapping
from kubewright.crd import READ, PolicyRule, merged_rules, roles, rules_for
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import Pod, Secret


def rule(group: str, resource: str, *verbs: str, **options: Any) -> PolicyRule:
    """Return a rule for one resource."""
    return PolicyRule(groups=(group,), resources=(resource,), verbs=verbs, **options)


def test_equal_things_join_their_verbs() -> None:
    """Two places in a program may need the same kind."""
    merged = merged_rules([rule("", "pods", "list", "get"), rule("core", "pods", "watch", "get")])

    assert merged == [rule("", "pods", "get", "list", "watch")]


def test_resources_then_groups_join_where_all_else_is_equal() -> None:
    """So a role stays short."""
    merged = merged_rules(
        [
            rule("", "secrets", "get"),
            rule("", "pods", "get"),
            rule("apps", "pods", "get"),
            rule("apps", "secrets", "get"),
            rule("apps", "deployments", "list"),
        ]
    )

    assert merged == [
        PolicyRule(groups=("", "apps"), resources=("pods", "secrets"), verbs=("get",)),
        rule("apps", "deployments", "list"),
    ]


def test_a_star_swallows_its_neighbours() -> None:
    """It means all of them anyway."""
    [merged] = merged_rules([rule("", "pods", "get"), rule("", "pods", "*")])

    assert merged.verbs == ("*",)


def test_names_and_namespaces_keep_rules_apart() -> None:
    """Joining them would allow more than was asked for."""
    rules = [
        rule("", "secrets", "get", resource_names=("a",)),
        rule("", "secrets", "list"),
        rule("", "secrets", "get", namespace="shop"),
    ]

    assert len(merged_rules(rules)) == 3


def test_urls_join_each_other_and_nothing_else() -> None:
    """They belong to no group."""
    rules = [
        PolicyRule(urls=("/metrics",), verbs=("get",)),
        PolicyRule(urls=("/healthz",), verbs=("get",)),
        rule("", "pods", "get"),
    ]

    assert merged_rules(rules) == [
        PolicyRule(urls=("/healthz", "/metrics"), verbs=("get",)),
        rule("", "pods", "get"),
    ]


names = st.lists(st.sampled_from(["a", "b", "c", "*"]), min_size=1, max_size=2).map(tuple)
rules = st.builds(
    PolicyRule,
    groups=names,
    resources=names,
    verbs=names,
    resource_names=st.lists(st.sampled_from(["x", "y"]), max_size=1).map(tuple),
)


def allowed(found: list[PolicyRule], group: str, resource: str, verb: str, name: str) -> bool:
    """Say whether *found* allow a request."""

    def covers(given: tuple[str, ...], one: str) -> bool:
        return one in given or "*" in given

    return any(
        covers(one.groups, group)
        and covers(one.resources, resource)
        and covers(one.verbs, verb)
        and (not one.resource_names or name in one.resource_names)
        for one in found
    )


@settings(deadline=None, max_examples=50)
@given(st.lists(rules, max_size=6))
def test_merging_changes_no_permission(found: list[PolicyRule]) -> None:
    """Neither more nor less than was declared, and merging twice changes nothing."""
    merged = merged_rules(found)

    for group in "abcd":
        for resource in "abcd":
            for verb in "abcd":
                for name in "xyz":
                    request = (group, resource, verb, name)
                    assert allowed(found, *request) == allowed(merged, *request)
    assert len(merged) <= len(found)


def test_kinds_and_verbs_give_rules() -> None:
    """The declared kinds are all that a program needs to say."""
    found = rules_for({Pod: READ, Secret: READ, Deployment: ["patch"]})

    assert found == [
        PolicyRule(groups=("",), resources=("pods", "secrets"), verbs=READ),
        rule("apps", "deployments", "patch"),
    ]


def test_subresources_have_rules_of_their_own() -> None:
    """``pods`` does not cover ``pods/status``."""
    pods = RESTMapping("", "v1", "Pod", "pods")

    [found] = rules_for({pods: ["update"]}, subresource="status", namespace="shop")

    assert (found.resources, found.namespace) == (("pods/status",), "shop")


def test_roles_are_documents_one_for_each_namespace() -> None:
    """The ClusterRole first, then the Roles by namespace."""
    found = roles(
        "shop",
        [
            rule("", "pods", "get", namespace="b"),
            rule("", "pods", "get", namespace="a", resource_names=("x",)),
            rule("core", "nodes", "list"),
        ],
    )

    assert [(one["kind"], one["metadata"]) for one in found] == [
        ("ClusterRole", {"name": "shop"}),
        ("Role", {"name": "shop", "namespace": "a"}),
        ("Role", {"name": "shop", "namespace": "b"}),
    ]
    assert found[0]["rules"] == [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}]
    assert found[1]["rules"][0]["resourceNames"] == ["x"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": ("",), "resources": ("pods",)}, "allows nothing: give it verbs"),
        ({"verbs": ("get",)}, "must have either resources or urls"),
        ({"verbs": ("get",), "resources": ("pods",), "urls": ("/a",)}, "either resources or urls"),
        ({"verbs": ("get",), "resources": ("pods",)}, "has no groups: the core group is called"),
        ({"verbs": ("get",), "urls": ("/a",), "namespace": "a"}, "URLs belong to no namespace"),
        ({"verbs": "get", "urls": ("/a",)}, "verbs is a tuple; write ('get',)"),
    ],
)
def test_a_rule_that_allows_nothing_is_refused(options: dict[str, Any], message: str) -> None:
    """It would be found out much later, by a 403."""
    with pytest.raises((ValueError, TypeError)) as caught:
        PolicyRule(**options)

    assert message in str(caught.value)
