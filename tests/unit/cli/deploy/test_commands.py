"""The commands as they are typed."""

import pytest

from tests.unit.cli.deploy.place import run

COMMANDS = [
    "install", "uninstall", "deploy", "undeploy", "build-installer", "docker-build",
    "docker-push", "docker-buildx",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_says_what_it_does_and_how_it_ends(command: str) -> None:
    """Scripts rely on the exit status."""
    done = run(command, "--help")

    assert done.status == 0
    assert "Exit status: " in done.out


def test_the_commands_have_kubebuilders_names() -> None:
    """They are those of its Makefile."""
    done = run("--help")

    assert all(f"  {command} " in done.out for command in COMMANDS)
