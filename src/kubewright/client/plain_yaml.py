"""The plain YAML that programs write, read without a YAML library.

Nearly every kubeconfig is written by kubectl or another program: block mappings and lists of short
values. Reading those takes 60 lines here, while importing PyYAML takes 10 ms and 2 MB, a tenth of
what a small operator needs to start. Anything that is not certainly plain is left to PyYAML.
"""

import re
from typing import Any, TypeAlias

_Lines: TypeAlias = list[tuple[int, str]]
"""The indentation and the content of each line."""

_entry = re.compile(r"([A-Za-z_][\w./-]*):(?: +(.*))?", re.ASCII).fullmatch
_quoted = re.compile(r"\"([^\"\\]*)\"|'([^']*)'").fullmatch
_number = re.compile("0|[1-9][0-9]{0,17}").fullmatch
# It starts with a letter, so it is not a number or a date; colons and spaces are only inside.
# A token may begin with digits: it is a text from the first letter on, unless that marks a base.
_text = re.compile(
    r"-{0,2}[A-Za-z_/](?:[\w./@=+,%~-]|:(?=[\w./@=+,%~-])| (?=[\w/]))*"
    r"|(?!0[A-Za-z])[0-9]+[A-Za-z][\w=+/-]*",
    re.ASCII,
).fullmatch
_VALUES: dict[str, Any] = {"true": True, "false": False, "null": None}
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


class _NotPlainError(Exception):
    """Something needs a real parser."""


def find_mapping(text: str) -> dict[str, Any] | None:
    """Return the mapping that *text* is the YAML of; ``None`` if it is not surely plain."""
    try:
        lines = _lines(text)
        if not lines:
            return None
        found, end = _block(lines, 0)
        return found if end == len(lines) and isinstance(found, dict) else None
    except _NotPlainError:
        return None


def _lines(text: str) -> _Lines:
    if not text.isprintable() and re.search(r"[^\n -~]", text):
        raise _NotPlainError
    stripped = ((line, line.strip(" ")) for line in text.split("\n"))
    return [
        (len(line) - len(line.lstrip(" ")), content)
        for line, content in stripped
        if content and not content.startswith("#")
    ]


def _block(lines: _Lines, start: int) -> tuple[Any, int]:
    """Return the value that begins in line *start*, and the line after it."""
    return _list(lines, start) if lines[start][1].startswith("- ") else _mapping(lines, start)


def _list(lines: _Lines, start: int) -> tuple[list[Any], int]:
    indent, at = lines[start][0], start
    found: list[Any] = []
    while at < len(lines) and lines[at][0] == indent and lines[at][1].startswith("- "):
        content = lines[at][1][2:].lstrip(" ")
        if _entry(content):
            # A mapping in a list: its first line is indented as far as the others.
            lines[at] = (indent + len(lines[at][1]) - len(content), content)
            value, at = _mapping(lines, at)
        else:
            value, at = _scalar(content), at + 1
        found.append(value)
    return found, at


def _mapping(lines: _Lines, start: int) -> tuple[dict[str, Any], int]:
    indent, at = lines[start][0], start
    found: dict[str, Any] = {}
    while at < len(lines) and lines[at][0] == indent and (entry := _entry(lines[at][1])):
        key, content = entry.groups()
        if key in found or key.lower() in _WORDS:
            raise _NotPlainError
        at += 1
        if content:
            found[key] = _scalar(content)
        elif at < len(lines) and _is_inside(lines[at], indent):
            found[key], at = _block(lines, at)
        else:
            found[key] = None
    if at == start or (at < len(lines) and lines[at][0] > indent):
        raise _NotPlainError
    return found, at


def _is_inside(line: tuple[int, str], indent: int) -> bool:
    """Whether *line* belongs to the key before it; a list may stand right below its key."""
    return line[0] > indent or (line[0] == indent and line[1].startswith("- "))


def _scalar(content: str) -> Any:
    if content in _VALUES:
        return _VALUES[content]
    if quoted := _quoted(content):
        return quoted[1] if quoted[1] is not None else quoted[2]
    if _number(content):
        return int(content)
    if content in {"{}", "[]"}:
        return {} if content == "{}" else []
    if _text(content) and content.lower() not in _WORDS:
        return content
    raise _NotPlainError
