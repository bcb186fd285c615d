"""Every sort of project that the commands make is one that its owners can begin with at once."""

import shutil
from pathlib import Path

import pytest

from tests.scaffold.commands import run
from tests.scaffold.variants import VARIANTS, Variant

CHECKS = (
    "ruff check",
    "ruff format --check --diff",
    "kubewright manifests --check",
)
"""What ``make lint test`` runs in a project, but for mypy, whose cache several projects share."""
CONVERTS_ALONE = "moved"
"""Its operator looks after one namespace and converts for the whole cluster, which OLM refuses."""
TESTS = "pytest -q -p no:cacheprovider"
AUDIT = "kubewright rbac audit -- -p no:cacheprovider"
"""Runs the tests, too, and fails if they do, or if the role has too little or too much."""
WITHOUT_CALLS = frozenset({"empty", "kinds of others"})
"""The projects whose tests have nothing to compare with a role."""


def make(variant: Variant, folder: Path) -> Path:
    """Make the project in *folder* by its commands."""
    root = folder / variant.name
    root.mkdir()
    for command in (f"init {variant.init}", *variant.commands):
        done = run(f"kubewright {command}", root)
        assert (done.returncode, done.stderr) == (0, ""), command
    return root


@pytest.fixture(scope="module")
def types(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder for what mypy knows of the libraries, which all projects use."""
    return tmp_path_factory.mktemp("types")


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", VARIANTS)
def test_a_project_is_clean_and_its_tests_pass(name: str, tmp_path: Path, types: Path) -> None:
    """What users see first must not be broken, nor badly written by their own linter."""
    root = make(VARIANTS[name], tmp_path)

    tests = TESTS if name in WITHOUT_CALLS else AUDIT
    for command in (*CHECKS, tests, f"mypy --cache-dir {types}"):
        done = run(command, root)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


@pytest.mark.timeout(120)
@pytest.mark.skipif(not shutil.which("kubectl"), reason="there is no kubectl on this machine")
@pytest.mark.parametrize("name", VARIANTS)
def test_kubectl_builds_the_manifests_after_each_command(name: str, tmp_path: Path) -> None:
    """Nothing is listed that is missing, also without ``kubewright manifests``."""
    variant = VARIANTS[name]
    root = tmp_path / variant.name
    root.mkdir()

    for command in (f"init {variant.init}", *variant.commands):
        assert run(f"kubewright {command} --no-manifests", root).returncode == 0
        built = run("kubectl kustomize config/default", root)
        assert built.returncode == 0, f"after {command}: {built.stderr}"
    for folder in sorted(path.parent for path in root.glob("config/*/kustomization.yaml")):
        if folder.name != "certmanager":  # a component, which others build
            assert run(f"kubectl kustomize {folder}", root).returncode == 0, folder


@pytest.mark.timeout(60)
@pytest.mark.skipif(not shutil.which("kubectl"), reason="there is no kubectl on this machine")
def test_cert_manager_is_one_line_away(tmp_path: Path) -> None:
    """Its component gives the certificate to the operator, and the authority to the rest."""
    root = make(VARIANTS["three versions"], tmp_path)
    default = root / "config/default/kustomization.yaml"
    default.write_text(f"{default.read_text()}\ncomponents:\n- ../certmanager\n")

    built = run("kubectl kustomize config/default", root).stdout

    assert "--webhook-cert-path=/etc/webhook-certificate" in built
    assert "secretName: town-webhook-cert-manager" in built
    assert built.count("cert-manager.io/inject-ca-from: town-system/town-serving-cert") == 1


@pytest.mark.timeout(60)
def test_make_runs_what_the_checks_run(tmp_path: Path) -> None:
    """People have `make lint test` in their fingers."""
    root = make(VARIANTS["empty"], tmp_path)

    helped = run("make help", root)
    done = run("make lint test", root)

    assert "docker-build" in helped.stdout
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.timeout(60)
def test_a_project_can_be_installed(tmp_path: Path) -> None:
    """The image installs it as a package, without what is beside it."""
    root = make(VARIANTS["one group"], tmp_path)
    place = tmp_path / "installed"

    done = run(
        f"python -m pip install -q --no-deps --no-build-isolation --target {place} {root}", tmp_path
    )

    assert done.returncode == 0, done.stderr
    assert (place / "town/controller/shop.py").is_file()
    assert not (place / "tests").exists()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", VARIANTS)
def test_every_project_has_a_bundle(name: str, tmp_path: Path) -> None:
    """``make bundle`` works at once, webhooks and conversions included, and again."""
    root = make(VARIANTS[name], tmp_path)
    if name == CONVERTS_ALONE:
        done = run("make bundle IMG=registry.example.com/shop:v1", root)
        assert "can be installed for AllNamespaces only: " in done.stderr
        return

    first = run("make bundle IMG=registry.example.com/shop:v1", root)
    second = run("make bundle IMG=registry.example.com/shop:v1", root)

    assert (first.returncode, second.returncode) == (0, 0), first.stdout + first.stderr
    assert "bundle is valid\n" in first.stdout
    assert "bundle is up to date\n" in second.stdout
    assert "registry.example.com/shop:v1" in (root / "bundle/manifests" / _csv(root)).read_text()


def _csv(root: Path) -> str:
    """Return the name of the file with the ClusterServiceVersion."""
    [path] = (root / "bundle/manifests").glob("*.clusterserviceversion.yaml")
    return path.name
