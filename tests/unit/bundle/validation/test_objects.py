"""The other objects."""

import random

import pytest

from kubewright.bundle.validation.objects import check_objects
from tests.unit.bundle.sample import CSV_PATH, bundle, changed
from tests.unit.bundle.validation.saying import said

PATH = "manifests/x.yaml"


def test_a_sound_bundle_passes() -> None:
    """Without a warning even."""
    assert said(check_objects(bundle())) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: Service\nmetadata: {}\n", "error: line 2: this Service has no name"),
        (
            "kind: Service\nmetadata: {name: My_Service}\n",
            "error: line 2: metadata.name: 'My_Service'",
        ),
        (
            "kind: ServiceAccount\nmetadata: {name: shop-manager}\n",
            "error: line 1: OLM makes the service account shop-manager itself, since a deployment",
        ),
        (
            "kind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {maxUnavailable: 0}\n",
            "error: line 3: maxUnavailable of 0 keeps nodes from being drained",
        ),
        (
            "kind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {minAvailable: 100%}\n",
            "error: line 3: minAvailable of 100% keeps nodes from being drained",
        ),
        (
            "kind: PriorityClass\nmetadata: {name: a}\nglobalDefault: true\n",
            "error: line 3: globalDefault changes the priority of all other pods: leave it out",
        ),
        (
            (
                "kind: Role\nmetadata: {name: 'a:b'}\nrules:\n- {apiGroups: [policy], resources:"
                " [poddisruptionbudgets], verbs: [create]}\n"
            ),
            "warning: line 4: this role may keep nodes from being drained, by PodDisruptionBudgets",
        ),
        (
            (
                "kind: ClusterRole\nmetadata: {name: a}\nrules:\n- {apiGroups:"
                ""
                " [security.openshift.io],"
                " resources: [securitycontextconstraints], verbs: ['*'],"
                " resourceNames: [restricted]}\n"
            ),
            "error: line 4: this role may change the cluster's own security context restricted",
        ),
    ],
)
def test_what_does_harm_is_found(text: str, message: str) -> None:
    """An operator shares its cluster with others."""
    [found] = said(check_objects(bundle(**{PATH: f"{text}apiVersion: v1\n"})))

    assert found.replace(f"{PATH}, ", "").startswith(message)


@pytest.mark.parametrize("image", ["", "a b", "https://example.com/a", "example.com/a:", "/a"])
def test_related_images_are_images(image: str) -> None:
    """Whoever copies the catalog copies them, too."""
    found = changed(CSV_PATH, "spec", "relatedImages", value=[{"name": "a", "image": image}])

    assert said(check_objects(found))[0].endswith(f"{image!r} is not the name of an image")


def test_a_bundle_can_be_too_large() -> None:
    """OLM keeps it in a ConfigMap."""
    noise = "".join(random.Random(1).choices("0123456789abcdef", k=2_300_000))
    near, over = noise[:1_700_000], noise

    def size(text: str) -> list[str]:
        value = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {{a: '{text}'}}\n"
        return said(check_objects(bundle(**{PATH: value})))

    assert size(near)[0].startswith("warning: manifests: the manifests are ")
    assert size(over)[0].endswith("1,048,576. Shorten the descriptions in CRDs")
