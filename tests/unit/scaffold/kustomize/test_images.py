"""Images, and how many pods run them."""

from typing import Any

import pytest

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.configuration import DEFAULT
from kubewright.scaffold.kustomize.fields import Image, Replicas
from kubewright.scaffold.kustomize.images import (
    image_reference,
    set_image,
    set_replicas,
    split_image,
)
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.resource import resources


@pytest.mark.parametrize(
    ("reference", "parts"),
    [
        ("a", ("a", "", "")),
        ("a:1", ("a", "1", "")),
        ("host:5000/a", ("host:5000/a", "", "")),
        ("host:5000/a:1@sha256:2", ("host:5000/a", "1", "sha256:2")),
        ("a@sha256:2", ("a", "", "sha256:2")),
    ],
)
def test_references_are_taken_apart(reference: str, parts: tuple[str, str, str]) -> None:
    """The port of a registry is no tag."""
    assert split_image(reference) == parts


@pytest.mark.parametrize(
    ("image", "reference"),
    [
        (Image(new_name="b"), "b:1@sha256:2"),
        (Image(new_tag="3"), "a:3"),
        (Image(digest="sha256:4"), "a@sha256:4"),
        (Image(new_tag="3", digest="sha256:4"), "a:3@sha256:4"),
        (Image(tag_suffix="-x"), "a:1-x"),
    ],
)
def test_a_new_tag_makes_the_old_digest_void(image: Image, reference: str) -> None:
    """The old digest would win over the new tag."""
    assert image_reference("a:1@sha256:2", image) == reference


def test_containers_are_found_wherever_they_are() -> None:
    """Custom resources contain pods, too; a CustomResourceDefinition only describes them."""
    pod = "{containers: [{image: 'a:1'}], initContainers: [{image: ab}]}"
    text = "".join(
        f"kind: {kind}\nmetadata: {{name: a}}\nspec: {{deep: [{pod}]}}\n---\n"
        for kind in ("Shop", "CustomResourceDefinition")
    )
    found = Collection(resources(text, place=""))

    set_image(found, Image(name="a", new_tag="2"), DEFAULT.images)

    shop, definition = (one.finished()["spec"]["deep"][0] for one in found)
    assert shop == {"containers": [{"image": "a:2"}], "initContainers": [{"image": "ab"}]}
    assert definition["containers"] == [{"image": "a:1"}]


def test_replicas_are_set_by_name() -> None:
    """The name is that in the file, or the present one."""
    text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"
    found = Collection(resources(text, place=""))

    set_replicas(found, Replicas(name="a", count=3), DEFAULT.replicas)

    spec: Any = next(iter(found)).finished()["spec"]
    assert spec == {"replicas": 3}
    with pytest.raises(ProblemError) as caught:
        set_replicas(found, Replicas(name="b", count=3), DEFAULT.replicas)
    assert str(caught.value) == (
        "nothing called 'b' has replicas; those kinds do: Deployment, ReplicaSet,"
        " ReplicationController, StatefulSet"
    )


@pytest.mark.parametrize(
    ("name", "image", "why"),
    [
        ("a[", "a", r"'a\[' is no name of an image"),
        ("a", "{a: b}", "there is a mapping, and should be the name of an image"),
    ],
)
def test_what_is_no_image_is_refused(name: str, image: str, why: str) -> None:
    """The container would not start."""
    text = f"kind: Pod\nmetadata: {{name: a}}\nspec: {{containers: [{{image: {image}}}]}}\n"
    found = Collection(resources(text, place=""))

    with pytest.raises(ProblemError, match=why):
        set_image(found, Image(name=name, new_tag="2"), DEFAULT.images)


@pytest.mark.parametrize(
    ("name", "changed"),
    [("*", ["a:2", "b/c:2"]), ("a|c", ["a:2", "b/c:2"]), ("(?i)A", ["a:2", "b/c"])],
)
def test_a_name_is_a_pattern_of_gos(name: str, changed: list[str]) -> None:
    """It stands between ``^`` and ``$``, and a star there repeats the beginning."""
    text = "kind: Pod\nmetadata: {name: a}\nspec: {containers: [{image: a}, {image: b/c}]}\n"
    found = Collection(resources(text, place=""))

    set_image(found, Image(name=name, new_tag="2"), DEFAULT.images)

    spec: Any = next(iter(found)).finished()["spec"]
    assert [one["image"] for one in spec["containers"]] == changed
