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


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a project whose CRD has the schema of a chart, and go there."""
    monkeypatch.chdir(tmp_path)
    run("init", "--plugins", "helm", "--project-name", "town", "--domain", "example.com", *NAMES,
        "--crd-schema", "values")  # fmt: skip
    return tmp_path


def manifests(*words: str) -> tuple[int, str]:
    """Run the command; return its exit status and what it prints."""
    done = CliRunner().invoke(app, ["manifests", *words])
    if isinstance(done.exception, ConfigError):
        raise done.exception
    return done.exit_code, done.output


def test_a_new_value_gets_into_the_crd(project: Path) -> None:
    """And until then the check fails, as in CI."""
    assert manifests("--check") == (0, "")
    values = project / "helm-charts/nginx/values.yaml"
    values.write_text(f"{values.read_text()}\n# What it is worth.\nprice: 1.5\n")

    assert manifests("--check")[0] == 1
    assert manifests() == (0, f"update  {CRD}\n")

    [version] = yaml.safe_load((project / CRD).read_text())["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert spec["properties"]["price"] == {"description": "What it is worth.", "type": "number"}


def test_a_crd_without_a_schema_is_the_users(project: Path) -> None:
    """What somebody wrote into it stays."""
    run("create", "api", "--group", "web", "--version", "v1", "--kind", "Shop")
    crd = project / "config/crd/bases/web.example.com_shops.yaml"
    crd.write_text(f"{crd.read_text()}# mine\n")

    assert manifests() == (0, "")
    assert crd.read_text().endswith("# mine\n")


def test_a_chart_that_is_gone_is_told(project: Path) -> None:
    """Its CRD would be removed otherwise, and the objects with it."""
    shutil.rmtree(project / "helm-charts/nginx")

    with pytest.raises(
        ConfigError, match=r"there is no chart in .*nginx, where PROJECT has that of"
    ):
        manifests()


def test_a_crd_that_no_kustomization_lists_is_told(project: Path) -> None:
    """It would not be deployed."""
    (project / "config/crd/kustomization.yaml").write_text("resources: []\n")

    status, said = manifests("--check")

    assert status == 1
    assert f"{CRD} is not deployed" in said


@pytest.mark.parametrize(
    ("path", "text", "fault"),
    [
        (
            "helm-charts/nginx/Chart.yaml",
            "name: [\n",
            "helm-charts/nginx/Chart.yaml:2: this is not",
        ),
        ("helm-charts/nginx/Chart.yaml", "apiVersion: v2\n", "there is no 'name', which every"),
        ("helm-charts/nginx/Chart.yaml", "", "Chart.yaml:1: a chart says its name and version"),
        ("helm-charts/nginx/values.yaml", "a: b: c\n", "helm-charts/nginx/values.yaml:1: this is"),
        ("helm-charts/nginx/values.yaml", "- a\n", "values.yaml:1: values are a mapping, not a"),
        ("helm-charts/nginx/values.schema.json", "{\n,", "values.schema.json:2: this is not JSON"),
        (
            "helm-charts/nginx/values.schema.json",
            "3",
            "values.schema.json:1: a schema is an object",
        ),
        ("config/crd/kustomization.yaml", "a: [", "config/crd/kustomization.yaml is not YAML"),
        (
            "config/rbac/kustomization.yaml",
            "- a",
            "config/rbac/kustomization.yaml is not a mapping",
        ),
        (CRD, "mine\n", "these files do not begin as those that are written here do"),
        ("PROJECT", "version: '3'\nlayout: [x/v1]\n", "its layout is x/v1, so another tool"),
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


def test_what_is_broken_in_project_is_told(project: Path) -> None:
    """People mend it by hand, and mistype."""
    file = project / "PROJECT"
    file.write_text(file.read_text().replace("        chart:", "        chat:"))

    with pytest.raises(ConfigError, match=r"v1: resources\[0\]\.options has no chart\. Add it"):
        manifests()
