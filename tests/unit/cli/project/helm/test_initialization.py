from pathlib import Path

import pytest
import yaml

from kubewright.cli.project.folder import get_project
from kubewright.errors import ConfigError
from tests.unit.cli.project.running import run, tree_of

INIT = ("init", "--plugins", "helm", "--domain", "example.com")


def test_a_project_without_code_has_no_code(folder: Path) -> None:
    """It says in PROJECT what it is."""
    said = run(*INIT)

    assert said.endswith("Next: kubewright create api --group GROUP --version v1 --kind KIND\n")
    found = get_project().project
    assert found.is_helm
    assert (found.layout, found.repo, found.plugins) == (["helm.kubewright.dev/v1"], "", {})
    assert not list(folder.rglob("*.py"))


def test_the_first_kind_can_be_made_at_once(folder: Path) -> None:
    """As operator-sdk does it; the files are those of two commands."""
    run(*INIT, "--helm-chart", "../memcached", "--kind", "Memcached", "--group", "cache")
    at_once = tree_of(folder)
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()

    run(*INIT)
    run("create", "api", "--helm-chart", "../memcached", "--kind", "Memcached", "--group", "cache")

    assert tree_of(folder) == at_once


def test_a_new_chart_is_made_for_a_kind(folder: Path) -> None:
    """With all three names, since there is no chart to make them of."""
    run(*INIT, "--group", "web", "--version", "v1", "--kind", "Nginx", "--crd-schema", "values")

    [entry] = yaml.safe_load((folder / "watches.yaml").read_text())
    assert entry["chart"] == "helm-charts/nginx"


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--kind", "Shop"), "Missing option '--group'"),
        (("--group", "a", "--version", "v1"), "Missing option '--kind'"),
        (("--crd-schema", "values"), "Missing option '--group'"),
        (("--helm-chart-repo", "https://a.b"), "--helm-chart-repo goes with --helm-chart"),
        (("--helm-chart", "../nothing"), "there is no folder and no archive ../nothing"),
        (("--helm-chart", "."), ". has no file Chart.yaml, so it is not a helm chart"),
        (("--owner", "Me"), "--owner goes into pyproject.toml"),
        (("--domain", "x_y"), "--domain: 'x_y' is not a domain"),
        (("--project-name", "My Shop"), "a project cannot be called 'My Shop'"),
        (("--license", "mit"), "--license: 'mit' is not known"),
        (("--project-version", "2"), "--project-version: only 3 is known"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(
    words: tuple[str, ...], fault: str, folder: Path
) -> None:
    """Half a project is worse than none."""
    with pytest.raises(ConfigError) as refused:
        run(*INIT, *words)

    assert fault in str(refused.value)
    assert not list(folder.iterdir())


def test_a_project_may_be_called_like_a_module_of_python(folder: Path) -> None:
    """Nothing is imported from it."""
    run(*INIT, "--project-name", "json")

    assert get_project().project.project_name == "json"


def test_a_python_project_takes_no_chart(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says how to make one that does."""
    run("init", "--domain", "example.com")

    with pytest.raises(ConfigError, match="--helm-chart is for projects made of charts, and this"):
        run("create", "api", "--helm-chart", "../memcached")
