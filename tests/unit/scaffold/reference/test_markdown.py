"""The reference as Markdown."""

import re

import pytest

from kubewright.scaffold.reference.kind import kinds_of
from kubewright.scaffold.reference.markdown import MARK, escaped, markdown_pages
from tests.unit.scaffold.reference.shop import shop_crd

SAMPLE = "# ```\nkind: Shop"


@pytest.fixture
def pages() -> dict[str, str]:
    """The pages about a shop."""
    samples = {("shops.example.com/v1", "Shop"): [SAMPLE]}
    return markdown_pages(kinds_of([shop_crd()], samples), title="All *shops*")


def test_there_is_an_index_and_a_page_for_each_kind(pages: dict[str, str]) -> None:
    """A page for all kinds of a large project would be too long for most viewers."""
    assert sorted(pages) == ["index.md", "shops.shops.example.com.md"]
    assert all(text.startswith(MARK) for text in pages.values())
    assert "# All \\*shops\\*" in pages["index.md"]
    assert "[v1](shops.shops.example.com.md#shop-v1)" in pages["index.md"]


def test_links_lead_to_anchors_that_are_there(pages: dict[str, str]) -> None:
    """Also those that people have sent to one another: to a single field."""
    page = pages["shops.shops.example.com.md"]
    anchors = re.findall(r'<a id="([^"]+)"></a>', page)

    wanted = re.findall(r"\.md#([a-z0-9-]+)\)", pages["index.md"])

    assert set(wanted) <= set(anchors)
    assert "shop-v1-spec-ports-name" in anchors
    assert len(anchors) == len(set(anchors))


def test_a_table_has_a_row_for_each_field(pages: dict[str, str]) -> None:
    """A bar in a pattern, or a line break in a description, would tear the row apart."""
    rows = [
        line for line in pages["shops.shops.example.com.md"].splitlines() if line.startswith("|")
    ]

    cells = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}

    assert cells == {4}


def test_foreign_text_says_just_what_it_says(pages: dict[str, str]) -> None:
    """Descriptions are somebody else's, and the page may be shown by a server of yours."""
    page = pages["shops.shops.example.com.md"]

    assert "<script" not in page
    assert (
        "&lt;script&gt;alert(1)&lt;/script&gt; \\| \\[x\\](javascript:alert(1)) `a\\|b` \\*b\\*"
        " &lt;/code&gt;"
    ) in page
    assert 'default `"<Small>"`' in page  # in code, nothing is HTML


def test_names_of_several_lines_stay_on_one() -> None:
    """An empty line ends what backquotes began, and the rest of the name would be HTML."""
    hostile, crd = "a\n\n<img src=x onerror=alert(1)>", shop_crd()
    crd["spec"]["names"] |= {"shortNames": [hostile, ""], "categories": [hostile]}
    version = crd["spec"]["versions"][1]
    version["selectableFields"] = [{"jsonPath": hostile}]
    version["additionalPrinterColumns"][0] |= {"name": hostile, "jsonPath": hostile}
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"] |= {hostile: {"type": "object", "properties": {hostile: {}}}}

    page = markdown_pages(kinds_of([crd], {}), title="Shops")["shops.shops.example.com.md"]

    seen = [re.sub(r"(`+).*?\1", "", line) for line in page.splitlines()]
    assert not [line for line in seen if "<img" in line]
    assert "- Short names: `a <img src=x onerror=alert(1)>`, ` `" in page.splitlines()


def test_an_example_cannot_leave_its_fence(pages: dict[str, str]) -> None:
    """Samples are written by people, too, and may hold a fence."""
    assert f"````yaml\n{SAMPLE}\n````" in pages["shops.shops.example.com.md"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# no heading", "&#35; no heading"),
        ("- no list", "&#45; no list"),
        ("1. no list", "&#49;. no list"),
        ("a_b $x$ ~y~ ![z]", "a\\_b \\$x\\$ \\~y\\~ !\\[z\\]"),
        ("lone ` sign", "lone \\` sign"),
        ("https://example.com/a_b|c", "<https://example.com/a_b>\\|c"),
        ("two\nlines", "two lines"),
    ],
)
def test_signs_that_mean_something_are_escaped(text: str, expected: str) -> None:
    """And those that mean nothing in the middle of a line stay readable."""
    assert escaped(text) == expected
