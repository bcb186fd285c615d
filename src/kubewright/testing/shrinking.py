"""Makes an object that shows a fault smaller, as long as it shows it."""

from collections.abc import Callable, Iterator
from typing import Any

from kubewright.api.patches import copied

Document = dict[str, Any]
_MOST = 2000


def shrunk(document: Document, still_fails: Callable[[Document], bool]) -> Document:
    """Return *document* without all that can be left out while *still_fails* holds of it.

    Members and items are left out one at a time, the large ones first, until none can be.
    """
    tries = 0
    while True:
        for smaller in _smaller(document):
            tries += 1
            if tries > _MOST:
                return document
            if still_fails(smaller):
                document = smaller
                break
        else:
            return document


def _smaller(document: Document) -> Iterator[Document]:
    for path in _paths(document):
        other = copied(document)
        inside = other
        for step in path[:-1]:
            inside = inside[step]
        del inside[path[-1]]
        yield other


def _paths(value: Any) -> Iterator[tuple[Any, ...]]:
    """Yield where each member and item is: those outside before those inside."""
    level: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while level:
        below = []
        for path, one in level:
            items = one.items() if isinstance(one, dict) else enumerate(one)
            for key, inner in items:
                yield (*path, key)
                if isinstance(inner, dict | list):
                    below.append(((*path, key), inner))
        level = below
