"""Foreign text, taken apart: paragraphs, lists, code, links. Everything else is literal."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

_SPAN = re.compile(
    r"``(?P<long>(?:(?!``).)+)``|`(?P<code>[^`\n]+)`|(?P<link>https?://[^\s<>`\"'|]+)"
)
_ITEM = re.compile(r"\s*(?:[-*•]|\d+[.)])\s+(?P<text>.*)")
_MARKER = re.compile(r"\s*\+[a-zA-Z][\w:.=-]*.*")
_AFTER_LINK = ".,;:!?)]}"


class Span(NamedTuple):
    """A part of a line."""

    kind: Literal["text", "code", "link"]
    text: str


class Block(NamedTuple):
    """A paragraph, or a list of items."""

    kind: Literal["paragraph", "list"]
    texts: list[str]


def spans(text: str) -> Iterator[Span]:
    """Yield the parts of a line: code in backquotes, links, and the text between.

    Example:
        >>> [one.kind for one in spans("See `a` at https://example.com/x.")]
        ['text', 'code', 'text', 'link', 'text']
    """
    end = 0
    for found in _SPAN.finditer(text):
        if found.start() > end:
            yield Span("text", text[end : found.start()])
        end = found.end()
        if link := found["link"]:
            kept = link.rstrip(_AFTER_LINK)
            end -= len(link) - len(kept)
            yield Span("link", kept)
        else:
            yield Span("code", (found["long"] or found["code"]).strip() or " ")
    if end < len(text):
        yield Span("text", text[end:])


def blocks(text: str) -> list[Block]:
    """Return the paragraphs and lists of *text*; line breaks inside a paragraph are spaces.

    Comments for code generators, such as ``+optional``, are left out.
    """
    found: list[Block] = []
    is_open = False
    for line in text.splitlines():
        item = _ITEM.fullmatch(line)
        if not line.strip() or _MARKER.fullmatch(line):
            is_open = False
        elif item:
            if not (found and found[-1].kind == "list"):
                found.append(Block("list", []))
            found[-1].texts.append(item["text"])
            is_open = True
        elif is_open:
            found[-1].texts[-1] += f" {line.strip()}"
        else:
            found.append(Block("paragraph", [line.strip()]))
            is_open = True
    return found
