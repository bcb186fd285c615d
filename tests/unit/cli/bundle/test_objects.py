"""Where the objects of a bundle come from."""

from pathlib import Path

import pytest

from kubewright.cli.bundle.objects import from_folders, from_input, from_overlay
from kubewright.cli.deploy.image import parse_image
from kubewright.errors import ConfigError
from tests.unit.cli.bundle.place import Place, feed

SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"


def test_an_overlay_is_built_with_the_image(place: Place) -> None:
    """The files keep the name controller."""
    place.write("config/crd/bases/shop.example.com_stalls.yaml", SERVICE)
    place.write("config/rbac/role.yaml", SERVICE.replace("name: a", "name: b"))

    found = from_overlay(place.root, "config/default", parse_image("a.b/c:1"))

    [deployment] = [one for one in found if one["kind"] == "Deployment"]
    containers = deployment["spec"]["template"]["spec"]["containers"]
    assert [one["image"] for one in containers] == ["a.b/c:1"]


def test_folders_are_read_without_kustomizations(tmp_path: Path) -> None:
    """They are no objects."""
    (tmp_path / "a.yaml").write_text(SERVICE)
    (tmp_path / "kustomization.yaml").write_text("resources: [a.yaml]\n")

    assert [one["metadata"]["name"] for one in from_folders([tmp_path])] == ["a"]


def test_the_input_may_have_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kubectl prints objects so."""
    item = SERVICE.replace("\n", "\n  ")
    feed(monkeypatch, f"apiVersion: v1\nkind: List\nmetadata: {{}}\nitems:\n- {item}")

    assert [one["kind"] for one in from_input()] == ["Service"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the input is empty. Write it as in: kustomize build config/manifests | kubewright"),
        ("a: b: c", "the input: this is not YAML"),
        (
            f"{SERVICE}---\nkind: A\n",
            "the input, line 5: this is not an object: it needs apiVersion",
        ),
    ],
)
def test_what_is_no_object_is_refused(
    monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    """Something has gone wrong in the pipe."""
    feed(monkeypatch, text)

    with pytest.raises(ConfigError) as caught:
        from_input()

    assert str(caught.value).startswith(message)


def test_folders_without_objects_are_refused(tmp_path: Path) -> None:
    """And so is one that is not there."""
    with pytest.raises(ConfigError, match="there are no objects in "):
        from_folders([tmp_path])
    with pytest.raises(ConfigError, match="`kubewright generate kustomize manifests` makes it, or"):
        from_overlay(tmp_path, "config/manifests", None)
