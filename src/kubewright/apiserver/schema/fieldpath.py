"""Field paths in rules, such as ``.spec.size`` or ``['my key']``."""

import re
from collections.abc import Iterator
from typing import Any

RawSchema = dict[str, Any]

_PART = re.compile(r"'(?:[^']|(?<=\\)')*'|[.\[\]]|[^.\[\]]+")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "'": "'",
    "\\": "\\",
}


class FieldPathError(ValueError):
    """The schema has no field at a path; the text is the real server's."""


def resolve(path: str, source: RawSchema, *, arrays: bool = True) -> tuple[str, RawSchema]:
    """Return a path as errors show it, and the schema that it leads to.

    Args:
        path: A path that starts with a dot or a bracket.
        source: The schema at which it starts.
        arrays: Whether keys in brackets are allowed.

    Raises:
        FieldPathError: It is not a path, or the schema has no such field.
    """
    parts = iter(_PART.findall(path))
    shown = ""
    for part in parts:
        if part == ".":
            name = _next(parts)
        elif part == "[":
            name = _bracketed(parts, arrays=arrays)
        else:
            raise FieldPathError(f"expected [ or . but got: {part}")
        shown, source = _descend(shown, source, name)
    return shown, source


def _next(parts: Iterator[str]) -> str:
    part = next(parts, None)
    if part is None:
        raise FieldPathError("unexpected end of JSON path")
    return part


def _bracketed(parts: Iterator[str], *, arrays: bool) -> str:
    if not arrays:
        raise FieldPathError("array notation is not allowed")
    part = _next(parts)
    if len(part) < 2 or part[0] != "'" or part[-1] != "'":  # noqa: PLR2004  # two quotes
        raise FieldPathError(f"expected single quoted string but got {part}")
    name = _ESCAPE.sub(_unescaped, part[1:-1])
    if (end := _next(parts)) != "]":
        raise FieldPathError(f"expected ] but got {end}")
    return name


def _unescaped(match: re.Match[str]) -> str:
    char = match.group(1)
    if char not in _ESCAPED:
        raise FieldPathError(f"invalid string literal: invalid escape char \\{char}")
    return _ESCAPED[char]


def _descend(shown: str, source: RawSchema, name: str) -> tuple[str, RawSchema]:
    properties, additional = source.get("properties"), source.get("additionalProperties")
    if properties:
        if name not in properties:
            raise FieldPathError("does not refer to a valid field")
        return (f"{shown}.{name}" if shown else name), properties[name]
    if isinstance(additional, dict):
        return f"{shown}[{name}]", additional
    raise FieldPathError("does not refer to a valid field")
