"""Every block of every page works.

The Python blocks of a page run in order, in one module, as a reader would type them. Other blocks
are parsed by what would read them.
"""

import doctest
import json
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.docs.blocks import Block, blocks
from tests.docs.page import PAGES, ROOT, page_id, run_page
from tests.docs.session import commands

SHELL = {"bash", "console", "sh", "shell"}
KNOWN = {"python", "pycon", "yaml", "json", "toml", "text", "make", "diff", "mermaid", "", *SHELL}


def of(page: Path, *languages: str) -> list[Block]:
    """Return the blocks of *page* in one of *languages*."""
    return [block for block in blocks(page) if block.language in languages]


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader copies a block and it works."""
    run_page(page, tmp_path, monkeypatch)


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_interpreter_sessions_print_what_they_show(page: Path) -> None:
    """Output on a page is a promise."""
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    session = "".join(block.code for block in of(page, "pycon") if not block.not_run)

    runner.run(parser.get_doctest(session, {"__name__": "__main__"}, page.name, str(page), 0))

    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_shell_blocks_are_valid(page: Path) -> None:
    """A quote that is not closed is found here and not in somebody's terminal."""
    for block in of(page, *SHELL):
        code = block.code
        if block.language == "console":
            code = "\n".join(command.text for command in commands(block))
        done = subprocess.run(
            ["bash", "-n"], input=code, capture_output=True, text=True, check=False
        )

        assert done.returncode == 0, f"{page_id(page)}:{block.line}: {done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_data_blocks_are_valid(page: Path) -> None:
    """YAML, JSON and TOML on a page are what they say."""
    for block in of(page, "yaml"):
        list(yaml.safe_load_all(block.code))
    for block in of(page, "json"):
        json.loads(block.code)
    for block in of(page, "toml"):
        tomllib.loads(block.code)


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_block_says_what_it_is(page: Path) -> None:
    """A misspelt language would not be run, and nobody would notice."""
    assert {block.language for block in blocks(page)} <= KNOWN


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_blocks_of_files_are_what_is_in_the_files(page: Path) -> None:
    """Who copies from the page and who copies the file get the same."""
    for block in blocks(page):
        if block.file:
            assert block.code == (ROOT / block.file).read_text(), f"{page_id(page)}:{block.line}"
        if block.part_of:
            text = (ROOT / block.part_of).read_text()

            assert f"\n{block.code}" in f"\n{text}", f"{page_id(page)}:{block.line}"
