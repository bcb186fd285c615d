"""The same code as in ``test_typing``, as pyright and the editors that use it see it.

Run by ``make verifytypes``: pyright needs Node.js, and may have to be fetched first.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.typing.expectations import CASES, ROOT, Error, expected, missing, surprising


def pyright_errors() -> list[Error]:
    """Check all cases at once."""
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run(
        [*command, *map(str, CASES)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr  # more: it could not check at all
    found = json.loads(done.stdout)["generalDiagnostics"]
    return [
        Error(Path(one["file"]).name, one["range"]["start"]["line"] + 1, one["message"])
        for one in found
        if one["severity"] == "error"
    ]


@pytest.mark.skipif(shutil.which("node") is None, reason="pyright needs Node.js")
@pytest.mark.timeout(300)  # it may have to be fetched
def test_pyright_refuses_the_same_lines() -> None:
    """Its words are others than mypy's, so only the lines are compared."""
    wanted = [error._replace(text="") for path in CASES for error in expected(path)]

    reported = pyright_errors()

    assert missing(wanted, reported) == []
    assert surprising(wanted, reported) == []
