import pytest
from typer.testing import CliRunner

from kubewright.cli.app import app
from kubewright.cli.options import LogFormat, LogLevel

runner = CliRunner()


@pytest.mark.parametrize("command", ["run", "dev"])
def test_commands_that_run_an_operator_take_it_in_the_same_way(command: str) -> None:
    """What is learnt once holds for all."""
    shown = runner.invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output

    assert "[FILE_OR_MODULE[:NAME]]" in shown


def test_levels_and_formats_are_words() -> None:
    """They are typed in lower case."""
    assert [one.value for one in LogLevel] == ["debug", "info", "warning", "error"]
    assert [one.value for one in LogFormat] == ["console", "json"]
