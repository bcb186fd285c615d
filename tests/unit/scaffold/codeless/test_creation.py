import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.codeless.creation import common_files, finish, kind_files, sample_path
from kubewright.scaffold.project import ANSIBLE, API, HELM, Project, ProjectResource
from kubewright.scaffold.templates import Templates

SHOP = ProjectResource(
    kind="Shop",
    version="v1",
    group="web",
    domain="a.b",
    api=API(crd_version="v1", namespaced=True),
)


def project(layout: str = ANSIBLE) -> Project:
    """Return a project with a kind."""
    return Project(
        domain="a.b", project_name="shop", version="3", layout=[layout], resources=[SHOP]
    )


@pytest.mark.parametrize(("layout", "part"), [(HELM, "helm-init"), (ANSIBLE, "ansible-init")])
def test_each_sort_of_project_has_its_own_files_and_the_common_ones(layout: str, part: str) -> None:
    """Nothing of a template that is not for it is left in them."""
    found = common_files(project(layout), Templates(), part)

    assert {"watches.yaml", "Makefile", "Dockerfile", "config/rbac/role.yaml"} <= found.keys()
    other = "helm" if layout == ANSIBLE else "ansible"
    assert not [path for path, text in found.items() if other in text.lower()]


def test_a_kind_is_in_all_lists() -> None:
    """Also if a kustomization was not there yet; PROJECT is written as well."""
    templates = Templates()
    files = common_files(project(), templates, "ansible-init")
    found = kind_files(project(), SHOP, templates)

    done = finish(found, project(), SHOP, files.get, rules=(), runs={"role": "shop"})

    assert "  role: shop\n" in done.changed["watches.yaml"]
    assert "shop_viewer_role.yaml" in done.changed["config/rbac/kustomization.yaml"]
    assert sample_path(SHOP).rpartition("/")[2] in done.shared["config/samples/kustomization.yaml"]
    assert "bases/web.a.b_shops.yaml" in done.shared["config/crd/kustomization.yaml"]
    assert "kind: Shop" in done.changed["PROJECT"]


@pytest.mark.parametrize("path", ["watches.yaml", "config/rbac/role.yaml"])
def test_a_file_to_add_to_must_be_there(path: str) -> None:
    """The kind would not be reconciled, and nobody would know why."""
    files = common_files(project(), Templates(), "ansible-init")
    del files[path]
    found = kind_files(project(), SHOP, Templates())

    with pytest.raises(ConfigError, match=f"there is no {path} in this project"):
        finish(found, project(), SHOP, files.get, rules=(), runs={"role": "shop"})
