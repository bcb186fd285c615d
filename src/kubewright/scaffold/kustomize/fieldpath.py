"""Paths in replacements: ``spec.template.spec.containers.[name=main].image``."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from kubewright.scaffold.kustomize.fieldspec import split_path
from kubewright.scaffold.kustomize.node import Node, is_missing, put, sort_of, written
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.scalar import Scalar

__all__ = ["Place", "find_node", "parts_of", "places"]

_EVERY = "*"
_LAST = "-"


class Place(NamedTuple):
    """Where something is: a mapping and a name in it, or a list and a position."""

    holder: Any
    key: Any

    @property
    def node(self) -> Node:
        """What is there."""
        return self.holder[self.key]  # type: ignore[no-any-return]  # only nodes are in there

    def put(self, node: Node) -> None:
        """Put something else there."""
        put(self.holder, self.key, node)


def parts_of(path: str) -> list[str]:
    """Return the steps of a path; dots in brackets do not divide it."""
    steps: list[str] = []
    waiting = split_path(path, ".")
    while waiting:
        step = waiting.pop(0)
        if step.startswith("[") and not step.endswith("]"):
            while waiting and not step.endswith("]"):
                step += "." + waiting.pop(0)
            step = step if "=" in step else step.strip("[]")
        steps.append(step)
    return steps


def find_node(node: Node, steps: list[str]) -> Node | None:
    """Return what is at a path, or ``None`` if nothing is.

    Raises:
        ProblemError: The path does not fit what is there.
    """
    found: Node | None = node
    for step in filter(None, map(str.strip, steps)):
        if is_missing(found):
            return None
        assert found is not None
        found = _below(found, step)
    return found


def _below(node: Node, step: str) -> Node | None:
    if step == _EVERY:
        raise ProblemError("* can stand for every element of a target only")
    if step == _LAST or step.isdigit():
        elements = _list(node, step)
        at = -1 if step == _LAST else int(step)
        return elements[at] if -1 <= at < len(elements) and elements else None
    if _is_match(step):
        name, value = _match(step)
        found = (one for one in _list(node, step) if _is_equal(one, name, value))
        return next(found, None)
    return _mapping(node, step).get(step)


def _is_equal(element: Node, name: str, value: str) -> bool:
    if not name:
        return written(element) == value
    return isinstance(element, dict) and name in element and written(element[name]) == value


def places(root: Node, steps: list[str], *, create: type[Any] | None = None) -> Iterator[Place]:
    """Yield all places that a path means.

    Args:
        root: The object.
        steps: The path.
        create: What is put where nothing is: ``Scalar``, ``dict`` or ``list``.

    Raises:
        ProblemError: The path does not fit what is there.
    """
    yield from _Finder(create).places(Place({"": root}, ""), steps)


class _Finder:
    """Goes down along a path, and makes what is missing if it shall."""

    def __init__(self, create: type[Any] | None) -> None:
        self._create = create

    def places(self, place: Place, steps: list[str]) -> Iterator[Place]:
        """Yield the places below *place*."""
        if not steps:
            yield place
            return
        step, rest = steps[0], steps[1:]
        if step.isdigit():
            found = self._at(place, int(step), rest)
        elif _is_match(step):
            found = self._matching(place, step, rest)
        elif step == _EVERY:
            elements = [] if is_missing(place.node) else _list(place.node, step)
            found = [Place(elements, at) for at in range(len(elements))]
        else:
            found = self._field(place, step, rest)
        for one in found:
            yield from self.places(one, rest)

    def _field(self, place: Place, step: str, rest: list[str]) -> list[Place]:
        if is_missing(place.node):
            return []
        mapping = _mapping(place.node, step)
        if step not in mapping:
            if self._create is None:
                return []
            mapping[step] = self._made(rest)
        return [Place(mapping, step)]

    def _at(self, place: Place, at: int, rest: list[str]) -> list[Place]:
        elements = [] if is_missing(place.node) else _list(place.node, str(at))
        if at == len(elements) and self._create is not None:
            elements.append(self._made(rest))
        if at >= len(elements):
            raise ProblemError(f"element {at} is meant, and there are only {len(elements)}")
        return [Place(elements, at)]

    def _matching(self, place: Place, step: str, rest: list[str]) -> list[Place]:
        name, pattern = _match(step)
        elements = [] if is_missing(place.node) else _list(place.node, step)
        try:
            wanted = re.compile(pattern)
        except re.error as error:
            raise ProblemError(f"{pattern!r} is no regular expression: {error}") from None
        found = [at for at, one in enumerate(elements) if _is_like(one, name, wanted)]
        if not found and self._create is not None:
            value = Scalar(pattern)
            elements.append({name: value} if name else value)
            found = [len(elements) - 1]
        return [Place(elements, at) for at in found]

    def _made(self, rest: list[str]) -> Node:
        assert self._create is not None
        if not rest:
            return Scalar("") if self._create is Scalar else self._create()
        return [] if _is_match(rest[0]) or rest[0].isdigit() else {}


def _is_like(element: Node, name: str, wanted: re.Pattern[str]) -> bool:
    if not name:
        return wanted.search(_spelled(element)) is not None
    if not isinstance(element, dict) or name not in element:
        return False
    return wanted.search(_spelled(element[name])) is not None


def _spelled(node: Node) -> str:
    """Return a text as the file spells it: quotation marks are a part of that."""
    return f'"{node.text}"' if isinstance(node, Scalar) and node.quoted else written(node)


def _is_match(step: str) -> bool:
    return step.startswith("[") and step.endswith("]")


def _match(step: str) -> tuple[str, str]:
    name, equals, value = step[1:-1].partition("=")
    if not equals:
        raise ProblemError(f"{step} should be [FIELD=VALUE]")
    return name, value


def _list(node: Node, step: str) -> list[Any]:
    if not isinstance(node, list):
        raise ProblemError(f"{step} means an element of a list, and there is {sort_of(node)}")
    return node


def _mapping(node: Node, step: str) -> dict[str, Any]:
    if not isinstance(node, dict):
        raise ProblemError(f"{step} means a field of a mapping, and there is {sort_of(node)}")
    return node
