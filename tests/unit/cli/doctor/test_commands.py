from typer.testing import CliRunner

from kubewright.cli import app as command


def test_help_names_every_option_and_the_exit_codes() -> None:
    """Nobody reads a manual at three in the morning."""
    done = CliRunner().invoke(command.app, ["doctor", "--help"], env={"COLUMNS": "200"})

    assert done.exit_code == 0
    for text in (
        "--kubeconfig", "--context", "--namespace", "--deployment", "--service-account",
        "--output", "--timeout", "--stuck-after", "--verbose", "Exit status: 0", "Examples:",
    ):  # fmt: skip
        assert text in done.output
