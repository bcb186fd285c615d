import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.project import (
    ANSIBLE,
    API,
    HELM,
    ChartUse,
    Image,
    Project,
    ProjectResource,
    RoleUse,
    Webhooks,
)

TEXT = """\
cliVersion: '0.1'
domain: example.com
layout:
- python.kubewright.dev/v1
projectName: shop
repo: shop
resources:
- api:
    crdVersion: v1
    namespaced: true
  controller: true
  domain: example.com
  group: shop
  kind: Class
  path: shop.api.v1.class_
  version: v1
- controller: true
  core: true
  group: core
  kind: Pod
  path: kubewright.kinds.core.v1
  version: v1
version: '3'
"""


def with_images(resources: str) -> str:
    """Return the file with this in the plugin for images."""
    return f"{TEXT}plugins: {{deploy-image.python.kubewright.dev/v1: {{resources: {resources}}}}}\n"


def test_the_file_is_read_and_written_as_it_was() -> None:
    """Git shows only what a command has changed."""
    project = Project.read(TEXT)

    assert project.text().endswith(TEXT)
    assert project.namespace == "shop-system"


def test_fields_of_others_stay() -> None:
    """Newer versions and plugins have some of their own."""
    before = TEXT + "mine: 1\n"
    project = Project.read(before)

    project.multigroup = True

    assert "mine: 1\n" in project.text(before)
    assert "multigroup: true\n" in project.text(before)


def test_fields_of_others_stay_also_inside() -> None:
    """A newer kubewright, or a tool of the user's own, may say more of an API or a webhook."""
    text = TEXT.replace("    crdVersion: v1\n", "    crdVersion: v1\n    ours: [1]\n")
    text = text.replace("  kind: Class\n", "  kind: Class\n  webhooks:\n    theirs: 2\n")
    text += "plugins:\n  deploy-image.python.kubewright.dev/v1:\n    mine: 3\n"
    project = Project.read(text)
    project.resources[0].webhooks = Webhooks(webhook_version="v1", defaulting=True)
    project.put_image(project.resources[0], Image(image="a"))

    said = project.text(text)

    assert "    ours:\n    - 1\n" in said
    assert "    theirs: 2\n    webhookVersion: v1\n" in said
    assert "    mine: 3\n" in said


def test_the_core_group_has_a_name_in_the_file_only() -> None:
    """Servers know it by the empty name, and people as core."""
    pod = Project.read(TEXT).find("core", "v1", "Pod")

    assert pod is not None
    assert (pod.api_group, pod.plural_name) == ("", "pods")


def test_a_kind_that_is_a_word_of_python_has_a_module_nevertheless() -> None:
    """``import shop.api.v1.class`` is no Python; the names in manifests keep the word."""
    found = Project.read(TEXT).find("shop", "v1", "Class")

    assert found is not None
    assert (found.module, found.singular, found.plural_name) == ("class_", "class", "classes")


def test_a_resource_that_changes_keeps_its_place() -> None:
    """The first version of a kind is the one that is stored."""
    project = Project.read(TEXT)
    changed = ProjectResource(
        kind="Class", version="v1", group="shop", domain="example.com", api=API(namespaced=True)
    )

    project.put(changed)

    assert [one.kind for one in project.resources] == ["Class", "Pod"]
    assert project.resources[0] is changed


def test_images_are_kept_in_kubebuilders_format() -> None:
    """Updates of the scaffold make the controller again from them."""
    project = Project.read(TEXT)
    resource = project.resources[0]
    image = Image(image="a:1", container_command="a,-b", container_port="80", run_as_user="7")

    project.put_image(resource, image)
    project.put_image(resource, image)

    again = Project.read(project.text())
    assert again.image_of(resource) == image
    assert again.image_of(project.resources[1]) is None
    assert (image.command, image.port, image.user) == (["a", "-b"], 80, 7)
    options = again.plugins["deploy-image.python.kubewright.dev/v1"]["resources"]
    assert [one["kind"] for one in options] == ["Class"]


def test_owner_and_license_are_kept() -> None:
    """Updates of the scaffold need them."""
    project = Project.read(TEXT)

    project.head(owner="Shop AG", license_name="apache2")

    again = Project.read(project.text())
    assert (again.owner, again.license) == ("Shop AG", "apache2")
    assert (Project.read(TEXT).owner, Project.read(TEXT).license) == ("", "none")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("- a", "is not a mapping"),
        ("a: [", "is not YAML"),
        ("version: 3\n", "its version is the number 3, and should be a text: write version: '3'$"),
        ("version: '2'\n", "its version is '2'"),
        ("version: '3'\nlayout: [go.kubebuilder.io/v4]\n", "another tool has made the project"),
        ("version: '3'\nlayout: 3\n", "its layout is 3, so another tool has made the project"),
        ("version: '3'\nlayout: go.kubebuilder.io/v3\n", "its layout is go.kubebuilder.io/v3, so"),
        ("version: '3'\nlayout: [python.kubewright.dev/v1]\n", "it has no domain. Add"),
        (TEXT.replace("repo: shop", "repo: github.com/x/y"), "its repo is 'github.com/x/y', which"),
        (TEXT.replace("repo: shop", "repo: class"), "its repo is 'class', which is not a Python"),
        (
            with_images("3"),
            "plugins: deploy-image.python.kubewright.dev/v1: resources: expected array, got int",
        ),
        (
            with_images("[{kind: Class, options: {chart: 3}}]").replace(
                "deploy-image.python", "helm"
            ),
            r"plugins: helm.kubewright.dev/v1: resources.*options.chart: expected str, got int",
        ),
        (with_images("[3]"), r"resources\[0\]: expected object, got int"),
        (with_images("[{kind: Class}]"), r"resources\[0\] has no options. Add it, or undo"),
        (
            with_images("[{kind: Class, options: {image: a, containerPort: b}}]"),
            r"resources\[0\].options: containerPort is 'b', and not a number in quotes",
        ),
    ],
)
def test_files_of_others_are_refused(text: str, fault: str) -> None:
    """The command would make a mess of them."""
    with pytest.raises(ConfigError, match=fault):
        Project.read(text)


@pytest.mark.parametrize("layout", [HELM, ANSIBLE])
def test_a_project_without_code_has_no_package(layout: str) -> None:
    """One in Python has; commands would look for a module without a name."""
    text = f"domain: a.b\nlayout:\n- {layout}\nprojectName: shop\nversion: '3'\n"

    found = Project.read(text)

    assert (found.is_helm, found.is_ansible) == (layout == HELM, layout == ANSIBLE)
    assert (found.is_codeless, found.repo) == (True, "")
    assert not Project.read(TEXT).is_codeless
    with pytest.raises(ConfigError, match=r"it has no repo\. Add one, such as `repo: shop`"):
        Project.read(TEXT.replace("repo: shop\n", ""))


def test_the_chart_of_a_kind_is_noted() -> None:
    """The manifests are made of it."""
    project = Project.read(TEXT)
    [shop, pod] = project.resources
    use = ChartUse(chart="helm-charts/shop", crd_schema="values")

    project.put_chart(shop, ChartUse(chart="old"))
    project.put_chart(shop, use)

    again = Project.read(project.text())
    assert again.chart_of(shop) == use
    assert again.chart_of(pod) is None


def test_the_role_of_a_kind_is_noted() -> None:
    """With its playbook, which is run instead, if there is one."""
    project = Project.read(TEXT)
    [shop, pod] = project.resources
    alone = RoleUse(role="shop", crd_schema="defaults")
    both = RoleUse(role="shop", playbook="playbooks/shop.yml")

    project.put_role(shop, alone)
    project.put_role(pod, both)

    again = Project.read(project.text())
    assert [again.role_of(one) for one in project.resources] == [alone, both]
