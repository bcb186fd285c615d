import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from kubewright.cli.app import app
from kubewright.cli.shell.completion import SCRIPTS, candidates

PROGRAM = get_command(app)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("cre", ["create"]),
        ("create ", ["api", "webhook"]),
        ("create api --external", ["--external-api-path", "--external-api-domain"]),
        ("create api --no-re", ["--no-resource"]),
        ("version --output ", ["text", "json"]),
        ("version --output=json --out", ["--output"]),
        ("run --log-level de", ["debug"]),
        ("completion ", ["bash", "zsh", "fish", "powershell"]),
        ("run --workers ", []),
        ("run ", ["bundle", "bundle-upgrade"]),
        ("run bundle --dir", ["--direct"]),
        ("run bundle --security-context-config ", ["restricted", "legacy"]),
        ("run --inst", ["--install-webhooks", "--install-crds"]),
        ("create nothing-like-it ", ["api", "webhook"]),
        ("create api --group api --help", ["--help"]),
    ],
)
def test_the_word_at_the_cursor_is_completed(typed: str, found: list[str]) -> None:
    """Commands, options, and the values that there are few of."""
    words = typed.split(" ")

    assert [word for word, _ in candidates(PROGRAM, words)] == found


def test_hidden_commands_stay_hidden() -> None:
    """They are for scripts."""
    names = [word for word, _ in candidates(PROGRAM, [""])]

    assert "init" in names
    assert "__complete" not in names


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts_are_ones_of_their_shells(shell: str, tmp_path: Path) -> None:
    """A script with a fault breaks each new terminal."""
    if not shutil.which(shell):
        pytest.skip(f"there is no {shell} on this machine")
    script = tmp_path / "script"
    script.write_text(SCRIPTS[shell])

    checked = subprocess.run(
        [shell, "-n", str(script)], capture_output=True, text=True, check=False
    )

    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash on this machine")
@pytest.mark.parametrize(
    ("typed", "found"),
    [("create w", "webhook"), ("version --output ", "text json"), ("create api --ima", "--image")],
)
def test_bash_completes_a_line(typed: str, found: str, tmp_path: Path) -> None:
    """As if the tab key were pressed."""
    program = tmp_path / "kubewright"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kubewright "$@"\n')
    program.chmod(0o755)
    words = " ".join(shlex.quote(word) for word in ["kubewright", *typed.split(" ")])
    code = f"""{SCRIPTS["bash"]}
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _kubewright
echo "${{COMPREPLY[*]}}"
"""
    path = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}

    done = subprocess.run(
        ["bash", "-c", code], env=os.environ | path, capture_output=True, text=True, check=True
    )

    assert done.stdout.startswith(found)
    assert done.stderr == ""
