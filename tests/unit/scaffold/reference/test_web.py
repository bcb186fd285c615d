"""The reference as a page in HTML."""

import re
from html.parser import HTMLParser

import pytest

from kubewright.scaffold.reference.kind import kinds_of
from kubewright.scaffold.reference.web import MARK, inline, web_page
from tests.unit.scaffold.reference.shop import shop_crd

VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Notes what a browser would: the tags, whether they match, anchors and links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [value for name, value in attrs if name in {"href", "src"} and value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def page() -> str:
    """The page about a shop."""
    samples = {("shops.example.com/v1", "Shop"): ["kind: Shop # </code><script>"]}
    return web_page(kinds_of([shop_crd()], samples), title="All <shops>")


def test_the_page_is_whole(page: str) -> None:
    """Every tag that is opened is closed, in order: browsers guess otherwise, each its own way."""
    assert Reader(page).open == []
    assert MARK in page


def test_the_page_needs_nothing_else(page: str) -> None:
    """It is opened from a disk, sent by mail, and put on any server."""
    found = Reader(page)

    assert not found.tags & {"script", "link", "img", "iframe", "object", "embed", "form"}
    assert not [one for one in found.attributes if one.startswith("on")]
    assert "url(" not in page
    assert "@import" not in page
    assert "default-src &#x27;none&#x27;" in page


def test_links_lead_to_anchors_that_are_there(page: str) -> None:
    """In the navigation, and at each field."""
    found = Reader(page)

    inside = {one[1:] for one in found.links if one.startswith("#")}

    assert inside <= set(found.ids)
    assert len(found.ids) == len(set(found.ids))
    assert {"shop", "shop-v1", "shop-v1-spec-ports-name"} <= inside


def test_only_the_web_is_linked(page: str) -> None:
    """A link of another scheme in a description would run a script at a click."""
    outside = {one for one in Reader(page).links if not one.startswith("#")}

    assert outside == {"https://example.com/docs"}


def test_foreign_text_says_just_what_it_says(page: str) -> None:
    """Titles, descriptions, defaults, messages and samples are all foreign."""
    assert "<title>All &lt;shops&gt;</title>" in page
    assert "<p>&lt;script&gt;alert(1)&lt;/script&gt; | [x](javascript:alert(1))" in page
    assert "default <code>&quot;&lt;Small&gt;&quot;</code>" in page
    assert "kind: Shop # &lt;/code&gt;&lt;script&gt;" in page


def test_it_fits_a_phone_and_a_dark_room(page: str) -> None:
    """The style knows both; whether it looks good, somebody must look."""
    assert "prefers-color-scheme: dark" in page
    assert "max-width: 52rem" in page
    assert 'name="viewport"' in page


def test_a_description_is_paragraphs_and_lists(page: str) -> None:
    """As its author has written it."""
    flat = re.sub(r"\n", "", page)

    assert (
        "<p>What it should be.</p><ul><li>one</li><li>two, see"
        ' <a href="https://example.com/docs" rel="noopener noreferrer">https://example.com/docs</a>'
        ".</li></ul>"
    ) in flat


def test_code_in_a_text_is_code() -> None:
    """In backquotes, as everybody writes it."""
    assert inline("a `<b>` c") == "a <code>&lt;b&gt;</code> c"
