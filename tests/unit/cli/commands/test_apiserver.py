import pytest
from typer.testing import CliRunner

from kubewright.cli import app as command

runner = CliRunner()


def test_help_names_every_option() -> None:
    """Nobody reads the sources to start a server."""
    done = runner.invoke(command.app, ["apiserver", "--help"])

    assert done.exit_code == 0
    for option in ("--port", "--host", "--kubeconfig", "--data-dir", "--rbac", "--audit-log"):
        assert option in done.output


@pytest.mark.parametrize(
    "option",
    [
        "--data-dir",
        "--kubeconfig",
        "--audit-log",
        "--authorization-webhook-config-file",
        "--authentication-token-webhook-config-file",
    ],
)
def test_an_empty_path_is_refused(option: str) -> None:
    """It would be the current folder; a variable of a script was not set."""
    done = runner.invoke(command.app, ["apiserver", option, ""])

    assert done.exit_code == 2
    assert f"'{option}': it is empty" in done.output
