"""The options of ``kubewright alpha update``."""

import pytest
from typer.testing import CliRunner

from kubewright.cli import app as command

runner = CliRunner()


def test_help_names_every_option() -> None:
    """Most come from kubebuilder, and look for the same."""
    done = runner.invoke(command.app, ["alpha", "update", "--help"], env={"COLUMNS": "200"})

    assert done.exit_code == 0
    for option in (
        "--from-version", "--to-version", "--from-branch", "--output-branch", "--force",
        "--dry-run", "Exit status",
    ):  # fmt: skip
        assert option in done.output


@pytest.mark.parametrize(
    "arguments",
    [["update", "--from-version"], ["update", "extra"], ["update", "--no-such-option"]],
    ids=lambda arguments: arguments[-1],
)
def test_misspelt_arguments_are_refused_with_status_2(arguments: list[str]) -> None:
    """As all commands do."""
    assert runner.invoke(command.app, ["alpha", *arguments]).exit_code == 2
