import re

import pytest
import yaml

from kubewright.scaffold.ansible.creation import ansible_files, ansible_manifests
from kubewright.scaffold.ansible.role import Role
from kubewright.scaffold.project import ANSIBLE, Project
from kubewright.scaffold.templates import Templates
from tests.golden.scaffold.rewrite import ROLE, Tree, roles


@pytest.fixture(scope="module")
def tree() -> Tree:
    """Make a project with two kinds."""
    return roles()


def test_all_files_are_well_formed(tree: Tree) -> None:
    """Nothing of a template of ours is left."""
    for path, text in tree.files.items():
        assert text.endswith("\n"), path
        assert not re.search(r"[ \t]$|\n\n\n(?!def|async|@)|\{%|<<", text, re.MULTILINE), path
        if path.endswith((".yaml", ".yml")):
            assert list(yaml.safe_load_all(text)), path


def test_a_kind_is_in_all_lists(tree: Tree) -> None:
    """One that is missing in a kustomization is not deployed."""
    for folder, name in {
        "crd": "bases/cache.example.com_memcacheds.yaml",
        "samples": "cache_v1alpha1_memcached.yaml",
        "rbac": "memcached_viewer_role.yaml",
        "default": "../crd",
    }.items():
        text = tree.files[f"config/{folder}/kustomization.yaml"]
        assert name in yaml.safe_load(text)["resources"]
    assert [one["kind"] for one in yaml.safe_load(tree.files["watches.yaml"])] == [
        "Nginx", "Memcached",
    ]  # fmt: skip


@pytest.mark.parametrize("namespaced", [False, True])
def test_the_role_is_as_wide_as_the_operator(namespaced: bool) -> None:
    """An operator of one namespace has a Role in it."""
    project = Project(domain="a.b", project_name="shop", layout=[ANSIBLE], namespaced=namespaced)

    role = yaml.safe_load(ansible_files(project, Templates())["config/rbac/role.yaml"])

    assert role["kind"] == ("Role" if namespaced else "ClusterRole")


def test_only_crds_with_a_schema_are_made_anew(tree: Tree) -> None:
    """The others are the user's."""
    made = ansible_manifests(tree.project, {"memcached": Role("memcached", ROLE)})

    path = "config/crd/bases/cache.example.com_memcacheds.yaml"
    assert made == {path: tree.files[path]}


def test_the_pod_has_what_ansible_needs(tree: Tree) -> None:
    """A folder to write to, and memory for its processes."""
    _, deployment = yaml.safe_load_all(tree.files["config/manager/manager.yaml"])

    [container] = deployment["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["kubewright", "run"]
    assert container["volumeMounts"] == [{"name": "tmp", "mountPath": "/tmp"}]
    assert container["resources"]["limits"]["memory"] == "768Mi"
