"""Runs the tests of a project, and hears which calls the operator makes in them."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from kubewright.application.calls import Calls, decode_calls, merged_calls
from kubewright.errors import ConfigError
from kubewright.testing.recorder import FOLDER

__all__ = ["Recording", "record"]

_FAILED = 1
_WRONG = 4
_NOTHING = 5
_COUNT = re.compile(r"(\d+) passed")
_LAST = 4000


class Recording(NamedTuple):
    """What a run of the tests gave.

    Attributes:
        calls: The calls of the operator.
        passed: How many tests passed.
        failed: Whether some failed.
        output: What pytest printed, unless it was shown.
    """

    calls: Calls
    passed: int
    failed: bool
    output: str


def record(root: Path, arguments: Sequence[str], *, show: bool) -> Recording:
    """Run pytest in the folder *root*, and return the calls of operators.

    Args:
        root: Where to run it.
        arguments: What it is given.
        show: Whether its output goes to the terminal.

    Raises:
        ConfigError: There is no pytest, it finds no tests, or it cannot run them.
    """
    if find_spec("pytest") is None:
        raise ConfigError("cannot run the tests: there is no pytest. Run `pip install pytest`")
    with TemporaryDirectory(prefix="kubewright-audit-") as folder:
        done = subprocess.run(  # noqa: S603  # the user's tests, with the user's arguments
            [sys.executable, "-m", "pytest", *arguments],
            cwd=root,
            env={**os.environ, FOLDER: folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        if show:
            sys.stderr.write(done.stdout)
        _check(done.returncode, root, done.stdout)
        files = sorted(Path(folder).glob("*.json"))
        found = [decode_calls(one.read_bytes(), place=str(one)) for one in files]
    if not files:
        raise ConfigError(
            "the tests ran, and nothing was recorded: pytest did not load its plugin kubewright."
            " Is it switched off, with -p no:kubewright or PYTEST_DISABLE_PLUGIN_AUTOLOAD?"
        )
    passed = _COUNT.findall(done.stdout)
    return Recording(
        merged_calls(found),
        int(passed[-1]) if passed else 0,
        done.returncode == _FAILED,
        "" if show else done.stdout,
    )


def _check(status: int, root: Path, output: str) -> None:
    if status == _NOTHING:
        raise ConfigError(
            f"pytest found no tests in {root}. Name the files: kubewright rbac audit tests"
        )
    if status not in {0, _FAILED}:
        why = "its arguments are wrong" if status == _WRONG else f"it ended with status {status}"
        raise ConfigError(f"pytest did not run the tests: {why}.\n{output[-_LAST:].strip()}")
