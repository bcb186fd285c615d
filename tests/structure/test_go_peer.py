"""The script that builds the client-go program: what it does without building."""

import os
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "tools" / "go-peer"


def run(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the script with its cache in *cache*."""
    environ = {**os.environ, "KUBEWRIGHT_CACHE": str(cache)}
    return subprocess.run(
        [SCRIPT, *arguments], env=environ, capture_output=True, text=True, timeout=60, check=False
    )


def program_name(cache: Path) -> str:
    """Return what the program of the present source is called, from the script itself."""
    script = SCRIPT.read_text().replace("case ${1:-} in", 'echo "$program"; exit\ncase ${1:-} in')
    environ = {**os.environ, "KUBEWRIGHT_CACHE": str(cache)}
    copy = cache / "tools" / "go-peer"
    copy.parent.mkdir()
    (cache / "bench").symlink_to(SCRIPT.parents[1] / "bench")
    copy.write_text(script)
    done = subprocess.run(["bash", copy], env=environ, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_find_prints_nothing_and_succeeds_if_nothing_is_built(tmp_path: Path) -> None:
    """Who asks may go on without client-go."""
    done = run(tmp_path, "--find")

    assert (done.returncode, done.stdout, list(tmp_path.iterdir())) == (0, "", [])


def test_a_program_that_is_built_is_printed_and_not_built_again(tmp_path: Path) -> None:
    """Only the path is on standard output, so that it can be assigned."""
    program = Path(program_name(tmp_path))
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)

    built, found = run(tmp_path), run(tmp_path, "--find")

    assert built.stdout == found.stdout == f"{program}\n"
    assert built.stderr == ""


def test_an_unknown_argument_is_refused(tmp_path: Path) -> None:
    """A mistyped --find must not download half of Debian."""
    done = run(tmp_path, "--fnid")

    assert done.returncode == 1
    assert "unknown argument --fnid" in done.stderr
