from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "rbac.authorization.k8s.io"
ROLE = {"kind": "ClusterRole", "name": "admin"}
RULE = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}


def test_api_groups_are_filled_in() -> None:
    """Clients usually leave the API groups out."""
    subjects = [{"kind": "User", "name": "u"}, {"kind": "ServiceAccount", "name": "s"}]

    found = KindServer(GROUP, "rolebindings").create({"roleRef": ROLE, "subjects": subjects})

    assert found["roleRef"]["apiGroup"] == GROUP
    assert [item.get("apiGroup") for item in found["subjects"]] == [GROUP, None]


def test_a_role_shows_its_rules_even_if_there_are_none() -> None:
    """Go writes null for an empty list."""
    assert KindServer(GROUP, "roles").create() == {
        "metadata": {
            "name": "x",
            "namespace": "default",
            "creationTimestamp": "2026-01-01T12:00:00Z",
        },
        "rules": None,
    }


@pytest.mark.parametrize(
    ("plural", "rule", "problem"),
    [
        ("roles", {}, "rules[0].verbs: Required value: verbs must contain at least one value"),
        ("roles", {**RULE, "apiGroups": []}, "resource rules must supply at least one api group"),
        ("roles", {**RULE, "resources": []}, "resource rules must supply at least one resource"),
        (
            "roles",
            {"verbs": ["get"], "nonResourceURLs": ["/a"]},
            'Invalid value: ["/a"]: namespaced rules cannot apply to non-resource URLs',
        ),
        (
            "clusterroles",
            {**RULE, "nonResourceURLs": ["/a"]},
            "rules cannot apply to both regular resources and non-resource URLs",
        ),
        ("clusterroles", {"verbs": ["get"], "nonResourceURLs": ["/a"]}, ""),
        ("roles", RULE, ""),
    ],
)
def test_a_rule_is_about_something(plural: str, rule: dict[str, Any], problem: str) -> None:
    """An incomplete rule would allow nothing, in silence."""
    found = KindServer(GROUP, plural).refusal({"rules": [rule]})

    assert problem in found
    assert bool(problem) == bool(found)


def test_an_aggregated_role_says_which_roles_it_takes() -> None:
    """An empty aggregation is a mistake."""
    problem = KindServer(GROUP, "clusterroles").refusal({"aggregationRule": {}})

    assert problem.endswith(
        "at least one clusterRoleSelector required if aggregationRule is non-nil"
    )


@pytest.mark.parametrize(
    ("plural", "content", "problem"),
    [
        ("rolebindings", {"roleRef": {}}, "roleRef.kind: Unsupported value"),
        ("rolebindings", {"roleRef": {"kind": "Role"}}, "roleRef.name: Required value"),
        (
            "clusterrolebindings",
            {"roleRef": {"kind": "Role", "name": "a"}},
            'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
        ),
        (
            "clusterrolebindings",
            {"roleRef": ROLE, "subjects": [{"kind": "ServiceAccount", "name": "a"}]},
            "subjects[0].namespace: Required value",
        ),
        (
            "rolebindings",
            {"roleRef": ROLE, "subjects": [{"kind": "X", "name": "a"}]},
            'supported values: "ServiceAccount", "User", "Group"',
        ),
        (
            "rolebindings",
            {"roleRef": ROLE, "subjects": [{"kind": "User", "name": "a", "apiGroup": "x"}]},
            f'subjects[0].apiGroup: Unsupported value: "x": supported values: "{GROUP}"',
        ),
    ],
)
def test_a_binding_gives_a_role_to_somebody(
    plural: str, content: dict[str, Any], problem: str
) -> None:
    """A typing error must not pass for a right."""
    assert problem in KindServer(GROUP, plural).refusal(content)


def test_a_binding_cannot_be_turned_to_another_role() -> None:
    """A user who may update a binding must not gain rights by that."""
    server = KindServer(GROUP, "rolebindings")
    found = server.create({"roleRef": ROLE})

    problem = server.refused_change(found, roleRef={"kind": "Role", "name": "y"})

    assert problem == (
        f'roleRef: Invalid value: {{"APIGroup":"{GROUP}","Kind":"Role","Name":"y"}}:'
        " field is immutable"
    )


def test_names_of_roles_only_have_to_fit_into_a_path() -> None:
    """Names such as ``system:node`` contain a colon."""
    rule = KindServer(GROUP, "roles").strategy.name_rule

    assert not rule("system:node")
    assert rule("a/b") == ["may not contain '/'"]
