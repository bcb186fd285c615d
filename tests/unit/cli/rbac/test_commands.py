"""The command line of ``kubewright rbac``."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kubewright.cli import app as command
from tests.unit.cli.rbac.world import log_of

runner = CliRunner()


def test_help_names_every_option_and_shows_examples() -> None:
    """Nobody reads the sources to compare a role."""
    done = runner.invoke(command.app, ["rbac", "audit", "--help"], env={"COLUMNS": "200"})

    assert done.exit_code == 0
    for option in (
        "--operator", "--role", "--audit-log", "--user", "--allow-unused", "--keep-going", "--fix",
        "--dry-run", "--output", "--verbose", "PYTEST_ARGUMENT",
    ):  # fmt: skip
        assert option in done.output
    assert "kubewright rbac audit --operator at.py --role rbac.yaml test_at.py" in done.output
    assert "Exit status: 0 if nothing is missing and nothing unused" in done.output


def test_a_family_without_a_command_shows_its_commands() -> None:
    """As kubectl does."""
    done = runner.invoke(command.app, ["rbac"])

    assert "audit" in done.output


def test_the_command_ends_with_the_status_of_the_audit(project: Path) -> None:
    """Scripts look at nothing else."""
    log = log_of(project, ("list", "nodes"))
    arguments = ["rbac", "audit", "--audit-log", str(log), "--user", "me", "--output", "json"]

    assert runner.invoke(command.app, arguments).exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--output", "yaml"], "'yaml' is not one of 'text', 'json'"),
        (["--role", ""], "it is empty. Name a path"),
        (["--fxi"], "No such option"),
        (["--dry-run"], "kubewright: --dry-run is for --fix"),
        (["--user", "me"], "kubewright: --user is for --audit-log"),
    ],
)
def test_wrong_options_are_told_with_status_2(arguments: list[str], said: str) -> None:
    """Before anything runs."""
    done = subprocess.run(
        [sys.executable, "-m", "kubewright", "rbac", "audit", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"COLUMNS": "200"},
    )

    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
