"""Each guarantee names the tests that prove it."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.structure.tree import ROOT

PAGE = ROOT / "docs" / "guarantees.md"
SECTIONS = [
    "Ordering",
    "Delivery",
    "Staleness",
    "Writes",
    "Leadership",
    "Shutdown",
    "Records",
    "Volumes",
    "Access",
]
LINK = re.compile(r"\[test\]\((?P<file>[^)#]+)#(?P<name>\w+)\)")
PROVED = re.compile(rf"^- (?P<claim>[^\[\]]+\.) {LINK.pattern}(?:, \[test\]\([^)]+\))*$")

LINES = [line for line in PAGE.read_text().splitlines() if line.startswith("- ")]


@cache
def claims_in(path: Path) -> set[str]:
    """Return the names of the tests in the file at *path*."""
    return {
        node.name
        for node in ast.walk(ast.parse(path.read_text(), str(path)))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    }


def test_the_page_has_its_sections() -> None:
    """A line before the first section, or in a misspelt one, would be overlooked."""
    assert re.findall(r"^## (.*)$", PAGE.read_text(), re.MULTILINE) == SECTIONS
    assert len(LINES) > len(SECTIONS)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[2:42])
def test_every_guarantee_ends_with_tests_that_exist(line: str) -> None:
    """A promise without a proof is a hope, and a test that was renamed proves nothing."""
    assert PROVED.match(line), "write `- The claim. [test](file.py#test_name)`, one line each"

    for match in LINK.finditer(line):
        path = (PAGE.parent / match["file"]).resolve()
        assert path.is_file(), match["file"]
        assert path.is_relative_to(ROOT / "tests"), match["file"]
        assert match["name"] in claims_in(path), match[0]


def test_every_line_is_a_guarantee_or_says_that_it_is_none() -> None:
    """What is neither proved nor excluded is where misunderstandings come from."""
    body = PAGE.read_text().partition("\n## ")[2].splitlines()[1:]
    prose = [line for line in body if line and not line.startswith(("- ", "## "))]

    assert prose
    assert all(line.startswith("Not promised: ") for line in prose)
