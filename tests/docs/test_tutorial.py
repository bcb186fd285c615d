"""README and tutorial work as they are typed: files saved, commands run, output seen."""

import ast
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.blocks import Block, blocks
from tests.docs.page import ROOT, page_id
from tests.docs.session import Command, Session, agrees, commands, session

SINCE = 27
"""The first minor version of kubectl that prints what the pages show."""
PAGES = sorted((ROOT / "docs" / "tutorial").glob("*.md"))


def follow(page: Path, reader: Session) -> None:
    """Do what *page* says, block by block."""
    for block in blocks(page):
        try:
            do(block, reader)
        except AssertionError as error:
            raise AssertionError(f"{page_id(page)}:{block.line}: {error}") from error


def do(block: Block, reader: Session) -> None:
    """Save the file that *block* shows, or type the commands in it."""
    if path := block.file or block.part_of:
        reader.save(ROOT / path)
    elif block.language == "console" and not block.not_run:
        for command in commands(block):
            reader.type(command)


def require_kubectl() -> None:
    """Skip where kubectl is missing, or prints other things than on the pages."""
    program = shutil.which("kubectl")
    if program is None:
        pytest.skip("kubectl is not on the PATH")
    said = subprocess.run(
        [program, "version", "--client", "--output=json"], capture_output=True, check=True
    )
    version = json.loads(said.stdout)["clientVersion"]
    if int(version["minor"].rstrip("+")) < SINCE:
        pytest.skip(
            f"the pages show what kubectl 1.{SINCE} prints; this is {version['gitVersion']}"
        )


def imports(code: str) -> set[str]:
    """Return the names that the imports in *code* make known."""
    found = [
        one for one in ast.walk(ast.parse(code)) if isinstance(one, ast.Import | ast.ImportFrom)
    ]
    return {alias.asname or alias.name for one in found for alias in one.names}


def test_a_page_tells_every_import_that_its_changes_need() -> None:
    """Who changes the file as the page says has the imports of the page before, and no others."""
    known: set[str] = set()
    for page in PAGES:
        shown = [block for block in blocks(page) if block.file or block.part_of]
        sources = [(ROOT / (one.file or one.part_of or "")) for one in shown]
        told = set(re.findall(r"`((?:from|import) [^`]+)`", page.read_text()))
        for block, source in zip(shown, sources, strict=True):
            if block.part_of and "Replace" in page.read_text():
                tree = ast.walk(ast.parse(block.code))
                used = {one.id for one in tree if isinstance(one, ast.Name)}
                needed = used & imports(source.read_text())

                assert needed <= known.union(*map(imports, told)), f"{page_id(page)}:{block.line}"
        for source in sources:
            known |= imports(source.read_text()) if source.suffix == ".py" else set()


@pytest.mark.timeout(300)
def test_readme_and_tutorial_work_from_the_first_line_to_the_last(tmp_path: Path) -> None:
    """A newcomer who is stuck on the second page does not come back."""
    require_kubectl()

    with session(tmp_path) as reader:
        for page in (ROOT / "README.md", *PAGES):
            follow(page, reader)
        reader.end()

        assert reader.clusters == []


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_block_of_the_tutorial_can_fail(page: Path) -> None:
    """What is only shown is wrong one day."""
    shown_only = [
        block.line
        for block in blocks(page)
        if not (block.language == "console" or block.file or block.part_of)
    ]

    assert not shown_only


@pytest.mark.parametrize(
    ("shown", "printed", "agreed"),
    [
        ("NAME   AGE|cats   3s", "NAME AGE|cats 12s", True),
        ("NAME   AGE|cats   3s", "NAME AGE|dogs 3s", False),
        ("NAME   AGE|cats   3s", "NAME AGE|cats 3s|dogs 3s", False),
        ("NAME   AGE|cats   3s", "NAME AGE", False),
        ("NAME   AGE|...", "NAME AGE|cats 3s|dogs 3s", True),
        ("...|dogs   3s", "NAME AGE|cats 3s|dogs 3s", True),
        ("...|birds   3s|...", "NAME AGE|cats 3s|dogs 3s", False),
    ],
)
def test_output_is_compared_but_for_what_differs_each_time(
    shown: str, printed: str, agreed: bool
) -> None:
    """A comparison that is always true would let every page pass."""
    assert agrees(shown.split("|"), printed.split("|"), home="/nowhere") == agreed


def test_a_command_that_fails_or_shows_something_else_is_noticed(tmp_path: Path) -> None:
    """The reader would have stopped there."""
    reader = Session(tmp_path)

    reader.type(Command("cd /; export GREETING=hello", ()))
    reader.type(Command("echo $GREETING from $PWD", ("hello from /",)))
    for wrong in (Command("false", ()), Command("echo hello", ("bye",))):
        with pytest.raises(AssertionError, match="but the page shows"):
            reader.type(wrong)
