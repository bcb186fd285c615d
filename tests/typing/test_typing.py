"""Code of users that must, and must not, type-check; the code is in ``cases``."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.typing.expectations import CASES, ROOT, Error, expected, missing, surprising

REPORT = re.compile(r"(?P<path>.+?):(?P<line>\d+): error: (?P<text>.+)")


def mypy_errors() -> list[Error]:
    """Check all cases at once, as the repository checks itself: strictly, and from its cache."""
    command = [sys.executable, "-m", "mypy", "--no-pretty", "--no-error-summary", "--strict"]
    done = subprocess.run(
        [*command, *map(str, CASES)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr  # 2: it could not check at all
    return [
        Error(Path(found["path"]).name, int(found["line"]), found["text"])
        for found in map(REPORT.fullmatch, done.stdout.splitlines())
        if found
    ]


@pytest.mark.timeout(300)  # without a cache, mypy reads everything first
def test_mypy_refuses_what_is_wrong_and_nothing_else() -> None:
    """Whoever misspells a field learns it in the editor, not in the cluster."""
    wanted = [error for path in CASES for error in expected(path)]

    reported = mypy_errors()

    assert {error.file for error in wanted} == {path.name for path in CASES}
    assert missing(wanted, reported) == []
    assert surprising(wanted, reported) == []


def test_comments_are_read_with_their_lines(tmp_path: Path) -> None:
    """The judge itself: two errors of one line, and none of a plain comment."""
    case = tmp_path / "case.py"
    case.write_text('a = 1  # plain\nb()  # E: has "a"  # E: lacks b\n')

    assert list(expected(case)) == [Error("case.py", 2, 'has "a"'), Error("case.py", 2, "lacks b")]


def test_wrong_code_that_passes_is_missing() -> None:
    """The judge itself: the line and the text both count."""
    wanted = [Error("a.py", 1, "lacks"), Error("a.py", 2, "lacks"), Error("a.py", 3, "lacks")]
    reported = [Error("a.py", 1, "it lacks b"), Error("a.py", 2, "it has"), Error("b.py", 3, "")]

    assert missing(wanted, reported) == ["a.py:2: lacks", "a.py:3: lacks"]


def test_right_code_that_is_refused_is_surprising() -> None:
    """The judge itself: an error needs a comment on its own line of its own file."""
    wanted = [Error("a.py", 1, "lacks")]
    reported = [Error("a.py", 1, "it lacks b"), Error("a.py", 2, "x"), Error("b.py", 1, "y")]

    assert surprising(wanted, reported) == ["a.py:2: x", "b.py:1: y"]
