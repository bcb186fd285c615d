"""A page of Markdown as one Python module."""

import ast
import asyncio
import inspect
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.blocks import Block, blocks

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])


def page_id(page: Path) -> str:
    """Return the name by which a failed test calls *page*."""
    return str(page.relative_to(ROOT))


def run_page(
    page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, *, also: str | None = None
) -> None:
    """Run the Python blocks of *page* in order, in one module, as a reader would type them.

    Those that show a file, or a part of one, are compiled only: the file itself is run elsewhere.

    Args:
        page: The page.
        folder: Where its source goes: a real file with true line numbers, since descriptions of
            fields are read from the source.
        monkeypatch: Takes the module out of the way again.
        also: The reason, among those for which blocks are only compiled, that does not hold here.
    """
    python = [block for block in blocks(page) if block.language == "python"]
    source = folder / f"{page.stem}.py"
    source.write_text(_source(page, python))
    module = ModuleType(f"page_{page.stem.replace('-', '_')}")
    module.__file__ = str(source)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.chdir(folder)
    for block in python:
        if (block.not_run and block.not_run != also) or block.file or block.part_of:
            compile(block.code, str(page), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        else:
            run(block, module, str(source))


def run(block: Block, module: ModuleType, name: str) -> None:
    """Run *block* inside *module*; top-level ``await`` works, as in ``python -m asyncio``."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code = compile(block.in_place, name, "exec", flags=flags, dont_inherit=True)
    if code.co_flags & inspect.CO_COROUTINE:
        asyncio.run(eval(code, vars(module)))  # the result of such code is a coroutine
    else:
        exec(code, vars(module))


def _source(page: Path, python: list[Block]) -> str:
    lines = [""] * len(page.read_text().splitlines())
    for block in python:
        code = block.code.splitlines()
        lines[block.line - 1 : block.line - 1 + len(code)] = code
    return "\n".join(lines) + "\n"
