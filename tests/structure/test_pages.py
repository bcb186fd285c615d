"""The pages that every visitor of a repository looks for."""

import re
import tomllib

import pytest

from tests.structure.tree import ROOT

PAGES = [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "docs/architecture.md",
    "docs/index.md",
]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))


@pytest.mark.parametrize("name", PAGES)
def test_page_is_there(name: str) -> None:
    """A missing page is found by a newcomer before it is found by us."""
    assert (ROOT / name).stat().st_size > 0


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_decision_has_its_four_parts(path: str) -> None:
    """A decision without user code is an opinion."""
    text = (ROOT / path).read_text()

    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
        "Context",
        "Decision",
        "Example",
        "Consequences",
    ]


def test_decisions_are_numbered_without_gaps() -> None:
    """Numbers are references; two of one number would break them."""
    numbers = [int(path.name[:4]) for path in DECISIONS]

    assert numbers == list(range(1, len(numbers) + 1))


def test_every_make_target_that_a_page_names_exists() -> None:
    """A command that is copied from a page must work."""
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    pages = [ROOT / name for name in PAGES if name.endswith(".md")]

    named = {
        target
        for page in pages
        for target in re.findall(r"(?:^|`)make ([a-z0-9-]+)", page.read_text(), re.MULTILINE)
    }

    assert named <= targets


def test_license_is_the_one_in_the_metadata() -> None:
    """Two licences are one too many."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert project["license"] == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text()
