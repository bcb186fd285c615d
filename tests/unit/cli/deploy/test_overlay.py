"""Overlays with the image that is deployed."""

from pathlib import Path
from typing import Any

import pytest

from kubewright.cli.deploy.image import parse_image
from kubewright.cli.deploy.overlay import build_overlay, reader
from kubewright.errors import ConfigError
from tests.unit.cli.deploy.place import Place


def image_of(documents: list[dict[str, Any]]) -> str:
    """Return the image of the operator."""
    (found,) = [one for one in documents if one["kind"] == "Deployment"]
    image: str = found["spec"]["template"]["spec"]["containers"][0]["image"]
    return image


def test_the_image_is_set_without_a_change_of_the_files(place: Place) -> None:
    """``git status`` is clean after a deployment, unlike with ``kustomize edit``."""
    before = (place.root / "config/manager/kustomization.yaml").read_text()

    documents = build_overlay(place.root, "config/default", image=parse_image("a.b:5000/shop:v1"))

    assert image_of(documents) == "a.b:5000/shop:v1"
    assert (place.root / "config/manager/kustomization.yaml").read_text() == before


def test_an_image_that_the_files_name_gives_way(place: Place) -> None:
    """Projects that come from kubebuilder have it in config/manager."""
    place.write(
        "config/manager/kustomization.yaml",
        "resources: [manager.yaml]\nimages: [{name: controller, newName: old, newTag: v0}]\n",
    )

    documents = build_overlay(place.root, "config/default", image=parse_image("new"))
    unchanged = build_overlay(place.root, "config/default")

    assert image_of(documents) == "new:latest"
    assert image_of(unchanged) == "old:v0"


def test_another_namespace_moves_everything(place: Place) -> None:
    """Two of one operator side by side, for a try."""
    documents = build_overlay(place.root, "./config/default/", namespace="elsewhere")

    found = {one["kind"]: one["metadata"] for one in documents}
    assert found["Namespace"]["name"] == "elsewhere"
    assert found["ServiceAccount"]["namespace"] == "elsewhere"
    assert found["Deployment"] == {"name": "shop-controller-manager", "namespace": "elsewhere"}


@pytest.mark.parametrize(
    ("overlay", "options", "said"),
    [
        ("config/none", {}, "there is no kustomization in"),
        ("config/crd/bases", {}, "none of kustomization.yaml, kustomization.yml, Kustomization"),
        ("../other", {}, "--overlay: ../other is not in the project"),
        ("/etc", {}, "--overlay: /etc is not in the project"),
        ("config/crd", {"image": parse_image("a:b")}, "so --image changes nothing"),
        ("config/default", {"namespace": "A_b"}, "--namespace: 'A_b' is not a valid name"),
    ],
)
def test_what_cannot_be_built_is_said(
    overlay: str, options: dict[str, Any], said: str, place: Place
) -> None:
    """With the option that is wrong."""
    with pytest.raises(ConfigError) as refused:
        build_overlay(place.root, overlay, **options)

    assert said in str(refused.value)


def test_files_are_read_as_a_build_wants_them(tmp_path: Path) -> None:
    """No file is not an error: resources may be folders. Bytes that are no text survive."""
    (tmp_path / "a").write_bytes(b"x\xff\r\n")
    (tmp_path / "folder").mkdir()
    read = reader(tmp_path)

    text = read("a")

    assert text is not None
    assert text.encode("utf-8", "surrogateescape") == b"x\xff\r\n"
    assert [read("b"), read("folder"), read("a/c")] == [None, None, None]
