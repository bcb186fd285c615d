import shutil
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from kubewright.cli.app import app
from kubewright.errors import ConfigError
from tests.unit.cli.project.running import run

NAMES = ("--group", "web", "--version", "v1", "--kind", "Nginx")
CRD = "config/crd/bases/web.example.com_nginxes.yaml"
DEFAULTS = "roles/nginx/defaults/main.yml"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a project whose CRD has the schema of a role, and go there."""
    monkeypatch.chdir(tmp_path)
    run("init", "--plugins", "ansible", "--project-name", "town", "--domain", "example.com",
        *NAMES, "--generate-role", "--crd-schema", "defaults")  # fmt: skip
    return tmp_path


def manifests(*words: str) -> tuple[int, str]:
    """Run the command; return its exit status and what it prints."""
    done = CliRunner().invoke(app, ["manifests", *words])
    if isinstance(done.exception, ConfigError):
        raise done.exception
    return done.exit_code, done.output


def test_a_new_variable_gets_into_the_crd(project: Path) -> None:
    """And until then the check fails, as in CI."""
    assert manifests("--check") == (0, "")
    defaults = project / DEFAULTS
    defaults.write_text(f"{defaults.read_text()}\n# What it is worth.\nthe_price: 1.5\n")

    assert manifests("--check")[0] == 1
    assert manifests() == (0, f"update  {CRD}\n")

    [version] = yaml.safe_load((project / CRD).read_text())["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert spec["properties"]["thePrice"] == {"description": "What it is worth.", "type": "number"}


def test_a_crd_without_a_schema_is_the_users(project: Path) -> None:
    """What somebody wrote into it stays."""
    run("create", "api", "--group", "web", "--version", "v1", "--kind", "Shop", "--generate-role")
    crd = project / "config/crd/bases/web.example.com_shops.yaml"
    crd.write_text(f"{crd.read_text()}# mine\n")

    assert manifests() == (0, "")
    assert crd.read_text().endswith("# mine\n")


def test_a_role_that_is_gone_is_told(project: Path) -> None:
    """Its CRD would be removed otherwise, and the objects with it."""
    shutil.rmtree(project / "roles/nginx")

    with pytest.raises(ConfigError, match=r"there is no role in .*nginx, where PROJECT has that"):
        manifests()


@pytest.mark.parametrize(
    ("path", "text", "fault"),
    [
        (DEFAULTS, "a: b: c\n", f"{DEFAULTS}:1: this is"),
        (DEFAULTS, "- a\n", f"{DEFAULTS}:1: values are a mapping, not a"),
        (CRD, "mine\n", "these files do not begin as those that are written here do"),
    ],
)
def test_what_is_broken_is_told_with_its_place(
    path: str, text: str, fault: str, project: Path
) -> None:
    """Nothing is written then."""
    before = (project / CRD).read_text()
    (project / path).write_text(text)

    with pytest.raises(ConfigError) as refused:
        manifests()

    assert fault in str(refused.value)
    assert (project / CRD).read_text() in {before, text}
