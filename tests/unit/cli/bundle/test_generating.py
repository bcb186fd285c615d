"""The commands of ``kubewright generate`` about bundles, as people type them."""

import pytest

from tests.unit.cli.bundle.place import Place, run


@pytest.mark.parametrize(
    ("words", "example"),
    [
        (("kustomize", "manifests"), "kubewright generate kustomize manifests --interactive"),
        (("bundle",), "kubewright generate bundle --version 0.1.0 --stdout"),
        (
            ("catalog",),
            "kubewright generate catalog bundle --image registry.example.com/shop-bundle",
        ),
    ],
)
def test_the_help_has_examples(words: tuple[str, ...], example: str) -> None:
    """That is what people copy."""
    done = run("generate", *words, "--help")

    assert done.status == 0
    assert example in done.out


def test_a_typo_is_answered_by_what_was_meant() -> None:
    """At every level."""
    assert "Did you mean manifests?" in run("generate", "kustomize", "manifest").err
    assert "Did you mean bundle?" in run("generate", "bundl").err


def test_the_image_of_the_environment_is_for_the_project_only(
    ready: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make exports IMG, and files have their images already."""
    monkeypatch.setenv("IMG", "a.b/c:2")
    ready.write("out/a.yaml", ready.read("config/manager/manager.yaml"))
    words = ("generate", "bundle", "--version", "0.1.0", "--stdout")

    assert "image: a.b/c:2\n" in run(*words).out
    assert "image: controller:latest\n" in run(*words, "--input-dir", "out").out
