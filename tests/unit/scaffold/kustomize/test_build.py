"""The build of an overlay, as ``kubewright deploy`` calls it."""

from typing import Any

import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.kustomize import build

MANAGER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: system}
spec: {template: {spec: {containers: [{image: controller}], serviceAccountName: own}}}
"""
OPERATOR = {
    "config/default/kustomization.yaml": """\
namespace: shop-system
namePrefix: shop-
resources: [../manager, ../rbac]
""",
    "config/manager/kustomization.yaml": """\
resources: [manager.yaml]
images: [{name: controller, newName: old, newTag: v1}]
""",
    "config/manager/manager.yaml": MANAGER,
    "config/rbac/kustomization.yaml": "resources: [account.yaml]\n",
    "config/rbac/account.yaml": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: own}\n",
}


def test_an_overlay_is_built_from_its_folders() -> None:
    """Names, namespaces and images are those that will be deployed."""
    account, deployment = build("config/default", OPERATOR.get)

    assert account["metadata"] == {"name": "shop-own", "namespace": "shop-system"}
    assert deployment["metadata"] == {"name": "shop-manager", "namespace": "shop-system"}
    assert deployment["spec"]["template"]["spec"] == {
        "containers": [{"image": "old:v1"}],
        "serviceAccountName": "shop-own",
    }


@pytest.mark.parametrize("image", ["registry:5000/x/y:tag", "x@sha256:abc", "x/y:1@sha256:abc"])
def test_an_image_wins_over_what_the_files_say(image: str) -> None:
    """``make deploy IMG=…`` deploys that one, also after somebody has edited the base."""
    _, deployment = build("./config//default/", OPERATOR.get, images={"controller": image})

    assert deployment["spec"]["template"]["spec"]["containers"] == [{"image": image}]


def test_only_files_that_are_named_are_read() -> None:
    """The reader may be slow, and may log what is asked of it."""
    asked: list[str] = []

    def read(path: str) -> str | None:
        asked.append(path)
        return OPERATOR.get(path)

    build("config/rbac", read)

    assert asked == [
        "config/rbac/kustomization.yaml",
        "config/rbac/kustomization.yml",
        "config/rbac/Kustomization",
        "config/rbac/account.yaml",
    ]


def test_a_generated_name_is_followed_by_its_references() -> None:
    """A changed setting restarts the pods that use it."""
    files = {
        "kustomization.yaml": """\
resources: [a.yaml]
configMapGenerator: [{name: s, literals: [a=b]}]
""",
        "a.yaml": """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {volumes: [{configMap: {name: s}}]}
""",
    }

    settings, found = build(".", files.get)

    assert settings["metadata"]["name"] == "s-4h2mbtbbt6"
    assert found["spec"]["volumes"] == [{"configMap": {"name": "s-4h2mbtbbt6"}}]


def wrong(**changes: str) -> dict[str, str]:
    """Return the operator with other files."""
    return OPERATOR | {path.replace("__", "/") + ".yaml": text for path, text in changes.items()}


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (
            {},
            "config/default: there is neither a file config/default nor a kustomization.yaml in it",
        ),
        (
            wrong(config__default__kustomization="resources: [../none]\n"),
            (
                "config/default/kustomization.yaml, line 1: resources[0]: there is neither a file"
                " config/none nor a kustomization.yaml in it"
            ),
        ),
        (
            wrong(config__rbac__kustomization="resources:\n- account.yml\n"),
            (
                "config/rbac/kustomization.yaml, line 2: resources[0]: there is neither a file"
                " config/rbac/account.yml nor a kustomization.yaml in it"
            ),
        ),
        (
            wrong(config__rbac__account="kind: ServiceAccount\n"),
            "config/rbac/account.yaml, line 1: metadata.name of the ServiceAccount is missing",
        ),
        (
            wrong(config__rbac__account=MANAGER),
            (
                "config/default/kustomization.yaml, line 3: resources[1]: Deployment.v1.apps"
                " manager in namespace system is there twice (config/manager/manager.yaml, line 1"
                " and config/rbac/account.yaml, line 1); remove one of them"
            ),
        ),
        (
            wrong(config__rbac__kustomization="components: [../manager]\n"),
            (
                "config/rbac/kustomization.yaml, line 1: components[0]:"
                " config/manager/kustomization.yaml should have `kind: Component` to be used as one"
            ),
        ),
        (
            wrong(config__manager__kustomization="kind: Component\nresources: [manager.yaml]\n"),
            (
                "config/default/kustomization.yaml, line 3: resources[0]:"
                " config/manager/kustomization.yaml is a component; name its folder under"
                " `components:`"
            ),
        ),
        (
            wrong(config__rbac__kustomization="configurations: [none.yaml]\nresources: []\n"),
            (
                "config/rbac/kustomization.yaml, line 1: configurations[0]: there is no file"
                " config/rbac/none.yaml"
            ),
        ),
        (
            wrong(config__rbac__kustomization="secretGenerator:\n- name: a\n  envs: [none]\n"),
            (
                "config/rbac/kustomization.yaml, line 2: secretGenerator[0]: there is no file"
                " config/rbac/none"
            ),
        ),
        (
            wrong(config__rbac__account="kind: A\nmetadata: {name: a}\nspec: {a: .inf}\n"),
            (
                "config/rbac/account.yaml, line 1: A shop-a in namespace shop-system: spec.a: JSON"
                " has no .inf"
            ),
        ),
        (
            wrong(config__rbac__kustomization="crds: [account.yaml]\n"),
            (
                "config/rbac/kustomization.yaml, line 1: crds[0]: this has no OpenAPI definitions;"
                " a CustomResourceDefinition belongs under `resources:`"
            ),
        ),
    ],
)
def test_mistakes_are_told_with_file_line_and_remedy(files: dict[str, Any], why: str) -> None:
    """The user sees nothing else of all this."""
    with pytest.raises(ConfigError) as caught:
        build("config/default", files.get)

    assert str(caught.value) == why


def test_a_folder_outside_is_refused() -> None:
    """The reader knows only what is below its root."""
    with pytest.raises(ConfigError) as caught:
        build("../other", OPERATOR.get)

    assert str(caught.value) == (
        "../other: ../other leads out of the folder that all files are read from"
    )
