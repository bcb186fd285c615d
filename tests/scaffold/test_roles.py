"""Projects made of roles: clean, built by kustomize, and taken by API servers and by OLM."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubewright.testing import EmbeddedServer, probe
from tests.scaffold.commands import DEFINITIONS, crds_of, run, wait_until_served
from tests.scaffold.roles import ROLES
from tests.scaffold.variants import Variant

CHECKS = ("ruff check", "ruff format --check --diff", "mypy --strict tests", "make lint")


def make(variant: Variant, folder: Path) -> Path:
    """Make the project in *folder* by its commands."""
    root = folder / variant.name
    root.mkdir()
    for command in (f"init {variant.init}", *variant.commands):
        done = run(f"kubewright {command}", root)
        assert (done.returncode, done.stderr) == (0, ""), command
    return root


@pytest.mark.timeout(240)
@pytest.mark.parametrize("name", ["nothing yet", "with schemas"])
def test_a_project_is_clean_and_its_tests_pass(name: str, tmp_path: Path) -> None:
    """Where Ansible is not installed, they are skipped, and say what to do."""
    root = make(ROLES[name], tmp_path)

    for command in CHECKS:
        done = run(command, root)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    tested = run("python -m pytest -q -rs -p no:cacheprovider tests", root)
    assert tested.returncode == 0, tested.stdout
    ready = " passed" in tested.stdout or "not installed: make setup" in tested.stdout
    assert ready == (name != "nothing yet"), tested.stdout


@pytest.mark.timeout(120)
@pytest.mark.skipif(not shutil.which("kubectl"), reason="there is no kubectl on this machine")
@pytest.mark.parametrize("name", ROLES)
def test_kustomize_builds_a_project_made_of_roles(name: str, tmp_path: Path) -> None:
    """Ours and that of kubectl, with each folder that has a kustomization."""
    root = make(ROLES[name], tmp_path)

    for folder in sorted(path.parent for path in root.glob("config/*/kustomization.yaml")):
        built = run(f"kubectl kustomize {folder}", root)
        assert built.returncode == 0, f"{folder}\n{built.stderr}"
    ours = run("kubewright build-installer --image shop:1 --output -", root)
    assert ours.returncode == 0, ours.stderr
    assert run("kubewright manifests --check", root).stderr == ""
    theirs = list(yaml.safe_load_all(run("kubectl kustomize config/default", root).stdout))
    assert len(list(yaml.safe_load_all(ours.stdout))) == len(theirs)


@pytest.fixture
def server() -> Any:
    """Start an API server."""
    with EmbeddedServer() as started:
        yield started


@pytest.mark.timeout(60)
def test_a_typo_in_a_spec_is_refused_and_the_samples_are_right(
    tmp_path: Path, server: EmbeddedServer
) -> None:
    """That is what a schema is for."""
    root = make(ROLES["with schemas"], tmp_path)
    for crd in crds_of(root):
        answer = probe.ask(server, "POST", DEFINITIONS, body=crd)
        assert answer.status == 201, answer.body
        assert "NonStructuralSchema" not in answer.body.decode()
    shops = "/apis/web.example.com/v1/namespaces/default/shops"
    wait_until_served(server, shops)
    shop = yaml.safe_load((root / "config/samples/web_v1_shop.yaml").read_text())
    typo = {**shop, "metadata": {"name": "typo"}, "spec": {"massage": "Hello"}}

    right = probe.ask(server, "POST", f"{shops}?fieldValidation=Strict", body=shop)
    wrong = probe.ask(server, "POST", f"{shops}?fieldValidation=Strict", body=typo)

    assert right.status == 201, right.body
    assert (wrong.status, b'unknown field \\"spec.massage\\"' in wrong.body) == (400, True)


@pytest.mark.timeout(60)
def test_a_project_of_roles_is_bundled(tmp_path: Path) -> None:
    """With the rights and the sample of each kind, for OLM."""
    root = make(ROLES["at once"], tmp_path)

    done = run("make bundle IMG=example.com/nginx:1", root)

    assert done.returncode == 0, done.stderr
    names = [one.name for one in sorted((root / "bundle/manifests").iterdir())]
    assert "web.example.com_nginxes.yaml" in names
    [csv] = (root / "bundle/manifests").glob("*.clusterserviceversion.yaml")
    assert '"kind": "Nginx"' in csv.read_text()
    assert "ansible.sdk.operatorframework.io/v1" in csv.read_text()
