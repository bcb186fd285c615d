"""Docstrings and code as Markdown."""

import ast
import inspect
import re
from collections.abc import Iterator

_NOT_RUN = "<!-- not run: {} -->"
_SECTION = re.compile(r"^(Args|Attributes|Raises|Returns|Yields|Example|Examples):$")
_ENTRY = re.compile(r"^(\*{0,2}[\w., ]+?)(?: \([^)]*\))?: (.*)$")
_CODE = re.compile(r"(`+.*?`+)")


def code(text: str, what: str) -> Iterator[str]:
    """Yield a block of code; what is no Python by itself is shown as text."""
    language = "python"
    try:
        compile(text, "page", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST)
    except SyntaxError:
        language = "text"
    yield from (_NOT_RUN.format(what), f"```{language}", *text.splitlines(), "```", "")


def prose(doc: str) -> Iterator[str]:
    """Yield a docstring as Markdown: paragraphs, then its sections as lists and examples."""
    section = ""
    lines: list[str] = []
    for line in [*doc.splitlines(), "End:"]:
        match = _SECTION.match(line)
        if match or line == "End:":
            yield from _part(section, lines)
            section, lines = (match[1] if match else ""), []
        else:
            lines.append(line)


def _part(section: str, lines: list[str]) -> Iterator[str]:
    text = inspect.cleandoc("\n".join(lines)) if section else "\n".join(lines).strip()
    if not text:
        return
    if not section:
        yield from _paragraphs(text)
    elif section.startswith("Example"):
        yield from ("Example:", "")
        yield from _example(text)
    else:
        yield from (f"{section}:", "")
        yield from (*_entries(text.splitlines()), "")


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n{2,}", text):
        if paragraph.startswith("    "):
            yield from _example(inspect.cleandoc(paragraph))
        else:
            yield from (*map(escape, paragraph.splitlines()), "")


def _example(text: str) -> Iterator[str]:
    if text.startswith(">>>"):
        yield from (_NOT_RUN.format("from a docstring, where it is"), "```pycon")
        yield from (*text.splitlines(), "```", "")
    else:
        yield from code(text, "from a docstring")


def _entries(lines: list[str]) -> Iterator[str]:
    """Yield the list of a section: each entry on one line."""
    entry = ""
    for line in [*lines, "End"]:
        if not line.startswith(" ") and line:
            match = _ENTRY.match(entry)
            if entry:
                yield f"- `{match[1]}`: {escape(match[2])}" if match else f"- {escape(entry)}"
            entry = line
        elif line:
            entry += " " + line.strip()


def escape(text: str) -> str:
    """Return *text* so that Markdown takes no angle bracket of it for HTML."""
    parts = _CODE.split(text)
    return "".join(part if part.startswith("`") else part.replace("<", "\\<") for part in parts)


def joined(text: str) -> str:
    """Return *text* on one line."""
    return escape(" ".join(text.split()))
