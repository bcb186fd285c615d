from typer.testing import CliRunner

from kubewright.cli import app as command

runner = CliRunner()


def test_help_names_every_option_of_dev() -> None:
    """Nobody reads the sources to try an operator."""
    done = runner.invoke(command.app, ["dev", "--help"], env={"COLUMNS": "200"})

    assert done.exit_code == 0
    for option in ("--simulate", "--samples", "--nodes", "--no-rbac", "--name", "--log-level"):
        assert option in done.output
