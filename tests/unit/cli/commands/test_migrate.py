from typer.testing import CliRunner

from kubewright.cli import app as command

runner = CliRunner()


def test_help_names_every_option_of_migrate_storage() -> None:
    """Whoever moves the objects of a cluster wants to know what can be stopped and repeated."""
    done = runner.invoke(command.app, ["migrate-storage", "--help"], env={"COLUMNS": "200"})

    assert done.exit_code == 0
    for option in ("--dry-run", "--restart", "--page-size", "--workers", "--timeout"):
        assert option in done.output
