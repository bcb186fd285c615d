"""Roles from manifests."""

from pathlib import Path
from typing import Any

import pytest

from kubewright.cli.rbac.roles import bound_roles, read_documents, read_roles
from kubewright.crd import PolicyRule
from kubewright.errors import ConfigError

PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}


def role(kind: str = "ClusterRole", name: str = "a", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "metadata": {"name": name, **more}, "rules": [PODS]}


def binding(kind: str, role_kind: str, name: str = "a", **more: Any) -> dict[str, Any]:
    return {
        "kind": kind,
        "metadata": {"name": "b", **more},
        "roleRef": {"kind": role_kind, "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": "manager"}],
    }


def rules_of(*documents: dict[str, Any]) -> list[PolicyRule]:
    return [rule for one in bound_roles({"f.yaml": documents}) for rule in one.rules]


def test_a_role_holds_in_its_namespace() -> None:
    """A ClusterRole holds everywhere."""
    everywhere = role(), binding("ClusterRoleBinding", "ClusterRole")
    there = role("Role", namespace="shop"), binding("RoleBinding", "Role", namespace="shop")

    assert rules_of(*everywhere) == [PolicyRule(("",), ("pods",), ("get",))]
    assert rules_of(*there) == [PolicyRule(("",), ("pods",), ("get",), namespace="shop")]


def test_a_cluster_role_that_is_bound_in_a_namespace_holds_there() -> None:
    """The binding decides."""
    found = rules_of(role(), binding("RoleBinding", "ClusterRole", namespace="shop"))

    assert [rule.namespace for rule in found] == ["shop"]


def test_roles_for_people_are_not_the_operators() -> None:
    """A project has roles for editors and viewers of its kinds, which nobody binds."""
    found = bound_roles(
        {"f.yaml": [role(), role(name="viewer"), binding("ClusterRoleBinding", "ClusterRole")]}
    )

    assert [one.name for one in found] == ["a"]


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        ([role()], "no role is bound to a service account in f.yaml"),
        ([binding("RoleBinding", "Role")], "names the Role a, which no file has"),
        ([{**binding("RoleBinding", "Role"), "roleRef": 7}], "names the None None"),
        ([{**role(), "metadata": {}}], "f.yaml: a ClusterRole has no metadata.name"),
        ([{**role(), "rules": "get"}], "f.yaml: ClusterRole a: rules is a list"),
        ([{**role(), "rules": ["get"]}], "f.yaml: ClusterRole a: rules[0] is a mapping"),
        ([{**role(), "rules": [{**PODS, "verbs": "get"}]}], "rules[0].verbs is a list of texts"),
        ([{**role(), "rules": [{**PODS, "verb": ["get"]}]}], "rules[0] has verb; there are: api"),
        ([{**role(), "rules": [{**PODS, "verbs": []}]}], "rules[0] is not valid"),
        ([{**role(), "rules": [{"verbs": ["get"]}]}], "must have either resources or urls"),
    ],
)
def test_wrong_roles_are_told_with_their_place(documents: list[dict[str, Any]], said: str) -> None:
    """A typing error in a role is a right that nobody has."""
    with pytest.raises(ConfigError) as refused:
        bound_roles({"f.yaml": documents})

    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind: ConfigMap\n", "has no ClusterRole and no Role"),
        ("a: [", "this is not YAML"),
        ("- a\n", "a manifest is a mapping"),
        ("", "has no ClusterRole and no Role"),
    ],
)
def test_a_file_without_a_role_is_told_by_its_name(text: str, said: str, tmp_path: Path) -> None:
    """It is easy to name another one."""
    path = tmp_path / "f.yaml"
    path.write_text(text)

    with pytest.raises(ConfigError) as refused:
        read_roles(path)

    assert str(path) in str(refused.value)
    assert said in str(refused.value)


def test_a_file_that_is_not_there_or_not_text_is_told(tmp_path: Path) -> None:
    """Before any test is run."""
    (tmp_path / "binary").write_bytes(b"\xff\xfe")

    with pytest.raises(ConfigError, match="there is no file"):
        read_documents(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match="cannot read the role"):
        read_documents(tmp_path / "binary")
