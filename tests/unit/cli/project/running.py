"""The command line in this process, in a folder of a test."""

from pathlib import Path

from typer.testing import CliRunner

from kubewright.cli.app import app
from kubewright.errors import ConfigError

__all__ = ["run", "tree_of"]


def run(*words: str) -> str:
    """Run ``kubewright`` with *words* in the current folder, and return what it prints.

    Raises:
        ConfigError: It refuses; the program would print that and end with 2.
    """
    manifests = () if words[-1] == "--dry-run" else ("--no-manifests",)
    done = CliRunner().invoke(app, [*words, *manifests])
    if isinstance(done.exception, ConfigError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def tree_of(root: Path) -> dict[str, bytes]:
    """Return all files below *root*."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
