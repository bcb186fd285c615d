"""README and tutorial work as they are typed: files saved, commands run, output seen."""

import shutil
from pathlib import Path

import pytest

from tests.docs.blocks import Block, blocks
from tests.docs.page import ROOT, page_id
from tests.docs.session import Command, Session, agrees, commands, session

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


@pytest.mark.timeout(300)
@pytest.mark.skipif(not shutil.which("kubectl"), reason="kubectl is not on the PATH")
def test_readme_and_tutorial_work_from_the_first_line_to_the_last(tmp_path: Path) -> None:
    """A newcomer who is stuck on the second page does not come back."""
    with session(tmp_path) as reader:
        for page in (ROOT / "README.md", *PAGES):
            follow(page, reader)

    clusters = tmp_path / ".local" / "state" / "kubewright" / "clusters"
    assert not clusters.exists() or not list(clusters.iterdir())


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
