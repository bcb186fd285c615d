import re

import pytest
import yaml

from kubewright.errors import ConfigError
from kubewright.scaffold.creation import Scaffold
from kubewright.scaffold.helm.chart import default_chart
from kubewright.scaffold.helm.creation import Contents, helm_api_files, helm_files, helm_manifests
from kubewright.scaffold.project import HELM, Project
from kubewright.scaffold.templates import Templates
from tests.golden.scaffold.rewrite import CHART, Tree, charts


@pytest.fixture(scope="module")
def tree() -> Tree:
    """Make a project with two kinds."""
    return charts()


def test_all_files_are_well_formed(tree: Tree) -> None:
    """But for the templates of charts, which are YAML when they are rendered."""
    for path, text in tree.files.items():
        assert text.endswith("\n"), path
        if not path.startswith("helm-charts/"):
            assert not re.search(r"[ \t]$|\n\n\n|(?<!\$)\{\{ |\{%", text, re.MULTILINE), path
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


def test_rules_are_added_once(tree: Tree) -> None:
    """Two charts often install the same kinds."""
    role = yaml.safe_load(tree.files["config/rbac/role.yaml"])

    assert len(role["rules"]) == len({str(rule) for rule in role["rules"]})
    assert {"apiGroups": ["apps"], "resources": ["deployments"]}.items() <= role["rules"][
        -1
    ].items()


@pytest.mark.parametrize("namespaced", [False, True])
def test_the_role_is_as_wide_as_the_operator(namespaced: bool) -> None:
    """An operator of one namespace has a Role in it."""
    project = Project(domain="a.b", project_name="shop", layout=[HELM], namespaced=namespaced)

    role = yaml.safe_load(helm_files(project, Templates())["config/rbac/role.yaml"])

    assert role["kind"] == ("Role" if namespaced else "ClusterRole")
    assert role["metadata"].get("namespace") == ("system" if namespaced else None)


@pytest.mark.parametrize("path", ["watches.yaml", "config/rbac/role.yaml"])
def test_a_file_to_add_to_must_be_there(path: str) -> None:
    """The kind would not be reconciled, and nobody would know why."""
    tree = charts()
    del tree.files[path]
    [resource, _] = tree.project.resources
    contents = Contents(default_chart("Nginx", tree.templates))

    with pytest.raises(ConfigError, match=f"there is no {path} in this project"):
        helm_api_files(tree.project, resource, tree.templates, tree.files.get, contents)


def test_only_crds_with_a_schema_are_made_anew(tree: Tree) -> None:
    """The others are the user's."""
    made = helm_manifests(tree.project, {"helm-charts/memcached": CHART})

    path = "config/crd/bases/cache.example.com_memcacheds.yaml"
    assert made == {path: tree.files[path]}


def test_a_scaffold_has_nothing_of_projects_with_code(tree: Tree) -> None:
    """There is nothing to import, and nothing to test."""
    assert not [path for path in tree.files if path.endswith((".py", ".toml"))]
    assert "python" not in tree.files["config/manager/manager.yaml"]
    assert Scaffold().removed == []
