import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kubewright.cli.app import app

runner = CliRunner()


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (
            ["init"],
            ["--domain", "--project-name", "--owner", "--license", "--multigroup", "--namespaced",
             "--project-version", "--plugins", "--force", "--dry-run", "--group", "--version",
             "--kind", "--helm-chart", "--helm-chart-repo", "--helm-chart-version"],
        ),
        (
            ["create", "api"],
            ["--group", "--version", "--kind", "--plural", "--resource", "--no-resource",
             "--controller", "--namespaced", "--force", "--dry-run", "--image",
             "--image-container-command", "--image-container-port", "--run-as-user",
             "--external-api-path", "--external-api-domain", "--helm-chart",
             "--helm-chart-repo", "--helm-chart-version", "--crd-schema"],
        ),
        (
            ["create", "webhook"],
            ["--group", "--version", "--kind", "--defaulting", "--programmatic-validation",
             "--conversion", "--spoke", "--force", "--dry-run"],
        ),
        (
            ["edit"],
            ["--multigroup", "--namespaced", "--owner", "--license", "--force", "--dry-run"],
        ),
    ],
)  # fmt: skip
def test_options_have_the_names_that_kubebuilder_gave_them(
    words: list[str], options: list[str]
) -> None:
    """People come with those habits; each command shows examples, too."""
    shown = runner.invoke(app, [*words, "--help"], env={"COLUMNS": "200"}).output

    assert [option for option in options if option not in shown] == []
    assert f"Examples:\n    kubewright {' '.join(words)} --" in shown
    assert "Exit status: 0" in shown


@pytest.mark.parametrize("missing", ["--group", "--version", "--kind"])
@pytest.mark.parametrize("what", ["api", "webhook"])
def test_a_kind_has_three_names(what: str, missing: str, project: Path) -> None:
    """One that is left out is asked for by name."""
    words = [
        word for one in ("--group", "--version", "--kind") if one != missing for word in (one, "a")
    ]

    done = runner.invoke(app, ["create", what, *words])

    assert f"Missing option '{missing}'" in f"{done.output}{done.exception}"


def test_a_mistake_is_one_line_and_status_2(tmp_path: Path) -> None:
    """Not a stack trace."""
    command = [sys.executable, "-m", "kubewright", "init", "--project-name", "json"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("kubewright: a project 'json' would have the Python package")
    assert done.stderr.count("\n") == 1
