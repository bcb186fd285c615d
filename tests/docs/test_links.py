"""Links between pages lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])
LINK = re.compile(r"(?<!!)\[[^\]]+\]\((?P<target>[^)\s]+)\)")
FENCED = re.compile(r"^( *)(```|~~~).*?^\1\2", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes for headings of *page*; of code, its functions."""
    if page.suffix == ".py":
        return set(re.findall(r"^(?:async )?def (\w+)", page.read_text(), re.MULTILINE))
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    """Return the targets inside this repository that *page* links to."""
    found = LINK.findall(FENCED.sub("", page.read_text()))
    return [target for target in found if not re.match(r"[a-z]+:", target)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_a_file_and_a_heading(page: Path) -> None:
    """A dead link is worse than none."""
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page

        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_can_be_found_from_the_index() -> None:
    """A page that nothing links to is not read."""
    index = ROOT / "docs" / "index.md"
    reached, waiting = set(), [index]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        waiting += [(page.parent / link.partition("#")[0]).resolve() for link in links(page)]

    assert {page for page in PAGES if page.is_relative_to(ROOT / "docs")} <= reached
