"""What the files in ``cases`` expect of a type checker.

A line that must be refused ends in ``# E: text``, once or more; each text is a part of an error
that mypy reports there. A line without one must pass.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
CASES = tuple(sorted(Path(__file__).parent.glob("cases/*.py")))

_EXPECTED = re.compile(r"# E: (.+?)(?=\s+# E: |$)")


class Error(NamedTuple):
    """An error that is reported, or of which *text* is a part that is expected."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


def expected(path: Path) -> Iterator[Error]:
    """Yield what the comments in the file at *path* ask for."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for text in _EXPECTED.findall(line):
            yield Error(path.name, number, text)


def missing(wanted: Iterable[Error], reported: Iterable[Error]) -> list[str]:
    """Return what of *wanted* was not *reported*: wrong code that passes."""
    found = list(reported)
    return [
        str(one)
        for one in wanted
        if not any(one[:2] == other[:2] and one.text in other.text for other in found)
    ]


def surprising(wanted: Iterable[Error], reported: Iterable[Error]) -> list[str]:
    """Return what was *reported* on lines of which nothing is *wanted*: right code refused."""
    marked = {one[:2] for one in wanted}
    return [str(one) for one in reported if one[:2] not in marked]
