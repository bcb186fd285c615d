"""Reads mappings out of a file that may be YAML, a template of it, or a text in YAML.

What a task makes is often written in a block string, or in a template, and neither is read as YAML
before a run. So the lines are looked at, and how far they are indented.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Block", "blocks_of"]

_LINE = re.compile(r"( *)((?:- +)*)([\w./-]+)[ \t]*:(?:[ \t]+(.*))?")
_ITEM = re.compile(r"( *)- *\S")


@dataclass(slots=True)
class Block:
    """A mapping: keys that are indented alike, below one another.

    Attributes:
        line: Its first line.
        column: How far it is indented.
        above: The keys that it is below, outermost first.
        said: The scalar values of its keys, without quotes; empty for others.
    """

    line: int
    column: int
    above: tuple[str, ...]
    said: dict[str, str] = field(default_factory=dict)

    @property
    def last(self) -> str:
        """The key that was read last."""
        return next(reversed(self.said), "")


def blocks_of(text: str) -> Iterator[Block]:
    r"""Yield the mappings in *text*.

    Example:
        >>> [(one.above, one.said) for one in blocks_of("a:\n  kind: Pod\n")]
        [(('a',), {'kind': 'Pod'}), ((), {'a': ''})]
    """
    opened: list[Block] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("---"):
            yield from _closed(opened, -1)
        found = _LINE.fullmatch(line.rstrip())
        if found is None:
            item = _ITEM.match(line)
            if item is not None:
                yield from _closed(opened, len(item[1]))
            continue
        start, column = len(found[1]), len(found[1] + found[2])
        yield from _closed(opened, start if found[2] else column)
        if not opened or opened[-1].column < column:
            above = (*opened[-1].above, opened[-1].last) if opened else ()
            opened.append(Block(number, column, above))
        opened[-1].said[found[3]] = _plain(found[4] or "")
    yield from _closed(opened, -1)


def _closed(opened: list[Block], column: int) -> Iterator[Block]:
    """Yield, and forget, the mappings that are indented further than *column*."""
    while opened and opened[-1].column > column:
        yield opened.pop()


def _plain(value: str) -> str:
    value = value.strip()
    if value[:1] in {"'", '"'}:
        return value[1:].partition(value[0])[0]
    return re.split(r"\s+#", value)[0]
