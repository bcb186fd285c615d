import pytest

from kubewright.scaffold.context import (
    class_path,
    import_line,
    init_context,
    names_of,
    resource_context,
)
from kubewright.scaffold.project import API, Image, Project, ProjectResource


def project(*, multigroup: bool = False) -> Project:
    """Return a project."""
    return Project(domain="example.com", project_name="town", repo="town", multigroup=multigroup)


def shop(**more: object) -> ProjectResource:
    """Return a kind of the project."""
    given = {"kind": "Shop", "version": "v1", "group": "shop", "domain": "example.com", **more}
    return ProjectResource(path="town.api.v1.shop", api=API(namespaced=True), **given)  # type: ignore[arg-type]


def test_paths_have_the_group_only_where_there_are_several() -> None:
    """As kubebuilder's have."""
    single = resource_context(project(), shop())
    several = resource_context(project(multigroup=True), shop(group="my-shop"))

    assert (single["api"], single["role_"], single["controller_test"]) == (
        "api/v1", "", "test_shop_controller",
    )  # fmt: skip
    assert (several["api"], several["role_"], several["controller_test"]) == (
        "api/my_shop/v1", "my_shop_", "test_my_shop_shop_controller",
    )  # fmt: skip
    assert class_path(project(multigroup=True), shop(group="my-shop")) == (
        "town.api.my_shop.v1.shop"
    )


@pytest.mark.parametrize(
    ("kind", "variable"),
    [("Shop", "shop"), ("Operator", "operator_object"), ("Class", "class_"), ("V1", "v1_object")],
)
def test_variables_hide_nothing(kind: str, variable: str) -> None:
    """The generated code uses some names itself."""
    assert resource_context(project(), shop(kind=kind))["variable"] == variable


def test_a_second_version_is_not_stored() -> None:
    """Objects stay as they are until somebody migrates them."""
    town = project()
    town.put(shop())

    context = resource_context(town, shop(version="v2"))

    assert (context["storage"], context["stored"]) == (False, "v1")


def test_all_versions_of_a_kind_run_its_image() -> None:
    """Otherwise the second one would have other fields."""
    town = project()
    town.put(shop())
    town.put_image(shop(), Image(image="a:1"))

    assert resource_context(town, shop(version="v2"))["image"] == Image(image="a:1")


def test_a_kind_without_a_class_is_a_constant() -> None:
    """Kubectl's names are enough to work with it."""
    issuer = ProjectResource(
        kind="Issuer", version="v1", group="cert-manager", domain="io", external=True
    )

    names = names_of(project(), issuer)

    assert names.constant == 'ISSUER: kw.Kind = kw.Kind("cert-manager.io/v1", "Issuer")'
    assert (names.reference, names.type) == ("ISSUER", "kw.Unstructured")


def test_imports_are_sorted_and_broken_as_ruff_has_them() -> None:
    """A project is formatted from the start."""
    assert import_line("a.b", "c", "B", "IMAGE", "B") == "from a.b import IMAGE, B, c"
    assert import_line("a" * 90, "B", "C") == f"from {'a' * 90} import (\n    B,\n    C,\n)"


def test_files_of_the_project_know_its_owner_and_license() -> None:
    """They are in the file PROJECT, from which the scaffold can be made again."""
    town = project()
    town.head(owner="Me", license_name="apache2")

    context = init_context(town)

    assert (context["owner"], context["license"]) == ("Me", "apache2")
    assert "app.kubernetes.io/name: town" in context["labels"]
