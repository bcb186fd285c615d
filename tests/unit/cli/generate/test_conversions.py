"""How a project converts, read beside its CRDs."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from kubewright.cli.generate.conversions import with_conversions
from kubewright.cli.generate.source import Source, read_source
from kubewright.crd import to_yaml
from kubewright.errors import ConfigError
from tests.unit.cli.generate.crds import shop_crd, write_crds

NAME = "shops.example.com"
WEBHOOK = {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"]}}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a kind that is converted, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    write_crds(tmp_path / "config/crd/bases/shops.yaml", shop_crd())
    patch = shop_crd() | {"spec": {"conversion": WEBHOOK}}
    place = tmp_path / "config/default/crd_conversion_patch.yaml"
    place.parent.mkdir(parents=True)
    place.write_text(to_yaml(patch))
    return tmp_path


def conversion_in(text: str | Path) -> Any:
    """Return what is said of the conversion of Shop in a source."""
    source = Source(str(text))
    return with_conversions(read_source(source), source).crds[NAME]["spec"].get("conversion")


@pytest.mark.parametrize(
    "text",
    ["config/crd/bases", "./config/crd", "config/crd/bases/shops.yaml", "{project}/config/crd"],
)
def test_the_overlay_says_how_a_kind_of_the_project_is_converted(text: str, project: Path) -> None:
    """Whatever of the project is named."""
    assert conversion_in(text.format(project=project)) == WEBHOOK


def test_a_revision_is_read_with_its_own_overlay(project: Path) -> None:
    """What it said then counts, and not what is in the folder now."""
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *words]
        subprocess.run(command, cwd=project, check=True)
    (project / "config/default/crd_conversion_patch.yaml").unlink()

    assert conversion_in("HEAD:config/crd/bases") == WEBHOOK
    assert conversion_in("config/crd/bases") is None


def test_what_a_definition_says_itself_counts(project: Path) -> None:
    """A patch would not be needed then, and may be for somebody else."""
    said = shop_crd()
    said["spec"]["conversion"] = {"strategy": "None"}
    write_crds(project / "config/crd/bases/shops.yaml", said)

    assert conversion_in("config/crd/bases") == {"strategy": "None"}


def test_files_elsewhere_are_taken_as_they_are(project: Path) -> None:
    """A folder of CRDs is not a project."""
    write_crds(project / "crds/shops.yaml", shop_crd())

    assert conversion_in("crds") is None


def test_a_patch_that_is_not_yaml_is_named(project: Path) -> None:
    """It is not taken for none: the comparison would be wrong."""
    (project / "config/default/crd_conversion_patch.yaml").write_text("spec: [")

    with pytest.raises(ConfigError, match=r"config/default/crd_conversion_patch\.yaml"):
        conversion_in("config/crd/bases")
