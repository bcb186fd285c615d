"""The script that builds the real servers: what it does without building."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "real-apiserver"
PROGRAMS = {
    "kubernetes-1.20.2-3/bin": ("kube-apiserver", "kube-controller-manager"),
    "apiextensions-1/bin": ("apiextensions-apiserver", "etcd"),
}


def run(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the script with its cache in *cache*."""
    environ = {**os.environ, "KUBEWRIGHT_CACHE": str(cache)}
    return subprocess.run(
        [SCRIPT, *arguments], env=environ, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A cache in which everything is built."""
    for folder, names in PROGRAMS.items():
        (tmp_path / folder).mkdir(parents=True)
        for name in names:
            program = tmp_path / folder / name
            program.write_text("#!/bin/sh\n")
            program.chmod(0o755)
    return tmp_path


def test_find_prints_nothing_and_succeeds_if_nothing_is_built(tmp_path: Path) -> None:
    """The Makefile asks this before every target."""
    done = run(tmp_path, "--find")

    assert (done.returncode, done.stdout, list(tmp_path.iterdir())) == (0, "", [])


def test_what_is_built_is_linked_into_one_folder(built: Path) -> None:
    """Only the folder is on standard output, so it can be assigned to KUBEBUILDER_ASSETS."""
    first = run(built)
    second = run(built)
    found = run(built, "--find")

    folder = Path(first.stdout.strip())
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout == found.stdout
    assert {path.name for path in folder.iterdir()} >= {
        name for names in PROGRAMS.values() for name in names
    }


def test_a_folder_with_a_program_missing_is_not_found(built: Path) -> None:
    """A build of another recipe leaves links that lead nowhere."""
    run(built)
    (built / "apiextensions-1/bin/etcd").unlink()

    assert run(built, "--find").stdout == ""


def test_another_argument_is_refused(tmp_path: Path) -> None:
    """A spelling mistake must not start a build of ten minutes."""
    done = run(tmp_path, "--fnid")

    assert done.returncode == 1
    assert "unknown argument --fnid" in done.stderr
