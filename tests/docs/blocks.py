"""The code blocks of a page of Markdown."""

import re
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})\s*(?P<language>[\w+-]*)")
NOT_RUN = re.compile(r"^<!-- not run: (?P<reason>\S.*) -->$")
OF_FILE = re.compile(r"^<!-- (?P<how>file|part of): (?P<path>\S+) -->$")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block.

    Attributes:
        language: What stands behind the opening fence.
        code: The text inside.
        line: The number of its first line in the page, counted from 1.
        not_run: Why it is only parsed, from a comment ``<!-- not run: why -->`` just before it.
        file: The file of this repository that it shows, from ``<!-- file: path -->``.
        part_of: The file that it shows a part of, from ``<!-- part of: path -->``.
    """

    language: str
    code: str
    line: int
    not_run: str | None = None
    file: str | None = None
    part_of: str | None = None

    @property
    def in_place(self) -> str:
        """The code behind as many empty lines as the page has before it, for true line numbers."""
        return "\n" * (self.line - 1) + self.code


def blocks(page: Path) -> list[Block]:
    """Return the blocks of *page* in order.

    Raises:
        ValueError: A fence is never closed; the rest of the page would be code.
    """
    found: list[Block] = []
    lines = page.read_text().splitlines()
    position = 0
    while position < len(lines):
        if not (opening := FENCE.match(lines[position])):
            position += 1
            continue
        end = _closing(page, lines, position, opening["fence"])
        indent = len(opening["indent"])
        code = "".join(f"{line[indent:]}\n" for line in lines[position + 1 : end])
        found.append(Block(opening["language"], code, position + 2, *_marks(lines, position)))
        position = end + 1
    return found


def _closing(page: Path, lines: list[str], start: int, fence: str) -> int:
    for number in range(start + 1, len(lines)):
        if lines[number].strip() == fence:
            return number
    raise ValueError(f"{page}:{start + 1}: the block is never closed")


def _marks(lines: list[str], opening: int) -> tuple[str | None, str | None, str | None]:
    before = next((line for line in reversed(lines[:opening]) if line.strip()), "")
    if not_run := NOT_RUN.match(before):
        return not_run["reason"], None, None
    if of_file := OF_FILE.match(before):
        path = of_file["path"]
        return (None, path, None) if of_file["how"] == "file" else (None, None, path)
    return None, None, None
