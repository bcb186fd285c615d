"""JSONPath as printer columns and selectable fields use it, which is a part of kubectl's.

Fields, quoted fields, indexes, slices, ``*``, ``..``, unions and filters such as
``[?(@.type=="Ready")]``. A missing key finds nothing.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import msgspec

Step = Callable[[Any], Iterator[Any]]

_FIELD = re.compile(r"\.((?:\\.|[^.\[\]\s\\])+)")
_QUOTED = re.compile(r"""'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)\"""", re.DOTALL)
_INDEX = re.compile(r"(-?\d+)$")
_SLICE = re.compile(r"(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$")
_FILTER = re.compile(r"\?\(\s*(.*?)\s*(?:(==|!=|<=|>=|<|>)\s*(.*?))?\s*\)$", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class PathError(ValueError):
    """A text is not a JSONPath that we support."""


class JSONPath:
    """A path that was read once and finds values often."""

    __slots__ = ("_steps", "text")

    def __init__(self, text: str) -> None:
        self.text: str = text
        self._steps = tuple(_steps(text))

    def find(self, value: Any) -> list[Any]:
        """Return all values at the path; empty if a part of it is missing."""
        found = [value]
        for step in self._steps:
            found = [item for each in found for item in step(each)]
            if not found:
                break
        return found


@lru_cache(maxsize=1024)
def parse(text: str) -> JSONPath:
    """Return the path that *text* is, such as ``.spec.size``; braces around it are allowed.

    Raises:
        PathError: It is not a path.
    """
    return JSONPath(text.removeprefix("{").removesuffix("}"))


def as_text(value: Any) -> str:
    """Return a value that was found as kubectl prints it."""
    if isinstance(value, dict | list):
        return msgspec.json.encode(value, order="sorted").decode()
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "<nil>"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:  # noqa: PLR2004  # Go's limit for plain digits
        return str(int(value))
    return str(value)


def _steps(text: str) -> Iterator[Step]:
    position = 1 if text.startswith(("$", "@")) else 0
    while position < len(text):
        if text.startswith("..", position):
            yield _everything
            position += 1 if text[position + 2 : position + 3] not in {"[", ""} else 2
        elif text[position] == "[":
            end = _closing(text, position)
            yield _bracket(text[position + 1 : end].strip())
            position = end + 1
        elif match := _FIELD.match(text, position):
            name = _ESCAPE.sub(r"\1", match.group(1))
            yield _wildcard if name == "*" else _field(name)
            position = match.end()
        elif text[position:] == ".":
            return
        else:
            raise PathError(f"cannot read JSONPath {text!r} at {text[position:]!r}")


def _closing(text: str, start: int) -> int:
    """Return where the bracket that opens at *start* closes."""
    depth, position = 0, start
    while position < len(text):
        if (quoted := _QUOTED.match(text, position)) is not None:
            position = quoted.end()
            continue
        depth += {"[": 1, "]": -1}.get(text[position], 0)
        if depth == 0:
            return position
        position += 1
    raise PathError(f"cannot read JSONPath {text!r}: unterminated array")


def _bracket(inside: str) -> Step:
    if inside == "*":
        return _wildcard
    if (condition := _FILTER.match(inside)) is not None:
        return _filter(*condition.groups())
    parts = _split(inside)
    if len(parts) > 1:
        steps = [_bracket(part) for part in parts]
        return lambda value: (item for step in steps for item in step(value))
    if (quoted := _QUOTED.fullmatch(inside)) is not None:
        return _field(_ESCAPE.sub(r"\1", quoted.group(1) or quoted.group(2) or ""))
    if (index := _INDEX.match(inside)) is not None:
        return _index(int(index.group(1)))
    if (bounds := _SLICE.match(inside)) is not None and ":" in inside:
        return _slice(*bounds.groups())
    raise PathError(f"cannot read JSONPath: invalid array index {inside}")


def _split(inside: str) -> list[str]:
    """Return the members of a union."""
    parts, start, position = [], 0, 0
    while position < len(inside):
        if (quoted := _QUOTED.match(inside, position)) is not None:
            position = quoted.end()
            continue
        if inside[position] == ",":
            parts.append(inside[start:position].strip())
            start = position + 1
        position += 1
    return [*parts, inside[start:].strip()]


def _field(name: str) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, dict) and name in value:
            yield value[name]

    return step


def _index(place: int) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, list) and -len(value) <= place < len(value):
            yield value[place]

    return step


def _slice(start: str, stop: str | None, stride: str | None) -> Step:
    bounds = slice(*(int(part) if part else None for part in (start, stop, stride)))

    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, list):
            yield from value[bounds]

    return step


def _wildcard(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _everything(value: Any) -> Iterator[Any]:
    yield value
    inner: Iterable[Any] = ()
    if isinstance(value, dict):
        inner = value.values()
    elif isinstance(value, list):
        inner = value
    for item in inner:
        yield from _everything(item)


def _filter(left: str, operator: str | None, right: str | None) -> Step:
    first = _operand(left)
    second = _operand(right) if operator and right is not None else None

    def step(value: Any) -> Iterator[Any]:
        for item in value if isinstance(value, list) else ():
            mine = first(item)
            if second is None:
                if mine:
                    yield item
            elif mine and (other := second(item)) and _compare(mine[0], operator or "", other[0]):
                yield item

    return step


def _operand(text: str) -> Callable[[Any], list[Any]]:
    if text.startswith(("@", ".", "$")):
        return parse(text).find
    if (quoted := _QUOTED.fullmatch(text)) is not None:
        constant: Any = _ESCAPE.sub(r"\1", quoted.group(1) or quoted.group(2) or "")
    elif text in {"true", "false"}:
        constant = text == "true"
    else:
        try:
            constant = float(text) if "." in text else int(text)
        except ValueError:
            raise PathError(f"cannot read JSONPath: unrecognized operand {text}") from None
    return lambda _: [constant]


def _compare(mine: Any, operator: str, other: Any) -> bool:
    if operator in {"==", "!="}:
        same = type(mine) is type(other) or {type(mine), type(other)} <= {int, float}
        return (same and mine == other) == (operator == "==")
    try:
        return bool(
            {"<": mine < other, "<=": mine <= other, ">": mine > other, ">=": mine >= other}[
                operator
            ]
        )
    except TypeError:
        return False
