"""The files of this repository, as the structure tests see them."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def files() -> tuple[Path, ...]:
    """Return every file that is committed or would be, relative to the root."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = {Path(name) for name in done.stdout.split("\0") if name}
    return tuple(sorted(path for path in found if (ROOT / path).is_file()))


def python_files(*folders: str) -> tuple[Path, ...]:
    """Return the Python files under any of *folders*."""
    return tuple(
        path
        for path in files()
        if path.suffix == ".py" and any(path.is_relative_to(folder) for folder in folders)
    )
