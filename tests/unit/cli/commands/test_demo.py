from typer.testing import CliRunner

from kubewright.cli import app as command

runner = CliRunner()


def test_help_says_what_it_does_to_this_machine() -> None:
    """It starts a process under the user's name, who should know before."""
    done = runner.invoke(command.app, ["demo", "--help"], env={"COLUMNS": "200"})

    assert done.exit_code == 0
    assert "runs as a local process under your user" in " ".join(done.output.split())
