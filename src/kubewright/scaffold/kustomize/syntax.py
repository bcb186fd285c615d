"""Reads YAML into nodes, as the YAML library of kustomize reads it."""

import math
import re
from base64 import b64decode
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import yaml

from kubewright.scaffold.kustomize.node import Mapping, Node, copied
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.scalar import STR, TAGS, Scalar, resolved
from kubewright.scaffold.kustomize.scalar import text as text_of

__all__ = ["Document", "documents", "values"]

_SEPARATOR = re.compile(r"\n---[^\n]*\n")
_PREFIX = "tag:yaml.org,2002:"
_IMPLICIT = "implicit:"  # a tag that nobody has written
_MERGE = "<<"
_MOST_NODES = 2_000_000  # aliases of aliases can mean more than any memory holds


class Document(NamedTuple):
    """One document of a file, and the line where it begins."""

    node: Node
    line: int


def documents(text: str) -> list[Document]:
    """Return the documents in *text* that are not empty, read as resources are.

    Raises:
        ProblemError: It is not YAML; the message names the line.
    """
    read = (_read(piece, line) for piece, line in _pieces(text.replace("\r\n", "\n")))
    return [one for one in read if one is not None]


def values(text: str) -> tuple[Any, dict[tuple[str | int, ...], int]]:
    """Return what a file of kustomize's own says as JSON, and the line of each field by its path.

    Raises:
        ProblemError: It is not YAML; the message names the line.
    """
    root = _composed(text, 0, old=True)
    if root is None:
        return None, {}
    return _json(_Reader(0).node(root)), dict(_lines(root, ()))


def _json(node: Node) -> Any:
    match node:
        case dict():
            return {name: _json(value) for name, value in node.items()}
        case list():
            return [_json(value) for value in node]
    found = node.text if node.is_verbatim else resolved(node.text, old=True)[1]
    if isinstance(found, float) and not math.isfinite(found):
        raise ProblemError(f"JSON has no {node.text}")
    return found


def _pieces(text: str) -> Iterator[tuple[str, int]]:
    """Yield the documents as texts, each with its first line."""
    start = line = 0
    for separator in _SEPARATOR.finditer(text):
        yield text[start : separator.start()] + "\n", line
        line += text.count("\n", start, separator.end())
        rest = separator[0].strip().removeprefix("---").strip()
        if rest and not rest.startswith("#"):
            raise ProblemError(f"{rest!r} stands beside ---; put it on the next line", line=line)
        start = separator.end()
    yield text[start:], line


def _read(text: str, line: int) -> Document | None:
    root = _composed(text, line, old=False)
    if root is None:
        return None
    node = _Reader(line).node(root)
    return (
        None
        if isinstance(node, Scalar) and node.tag == "null"
        else Document(node, line + root.start_mark.line + 1)
    )


def _composed(text: str, line: int, *, old: bool) -> Any:
    """Return the first document as PyYAML's nodes, or ``None`` if there is none."""
    try:
        loader = _loader(old)(text)
        return loader.get_node() if loader.check_node() else None
    except yaml.YAMLError as error:
        raise _explained(error, line) from None
    except RecursionError:
        raise ProblemError("its lists and mappings are nested too deeply") from None


def _explained(error: yaml.YAMLError, line: int) -> ProblemError:
    mark = getattr(error, "problem_mark", None)
    why = f"this is not YAML: {getattr(error, 'problem', None) or error}"
    return ProblemError(why, line=line + mark.line + 1 if mark is not None else 0)


@cache
def _loader(old: bool) -> Any:
    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where it is

    class Loader(base):  # type: ignore[misc]  # see above
        """Finds the tags of scalars by the rules of Go's library."""

        def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
            if kind is not yaml.ScalarNode:
                return str(super().resolve(kind, value, implicit))
            return _IMPLICIT + (resolved(value, old=old)[0] if implicit[0] else STR)

    return Loader


class _Reader:
    """Makes nodes of PyYAML's: aliases become copies, merged mappings are merged."""

    def __init__(self, line: int) -> None:
        self._line = line
        self._known: dict[int, Node] = {}
        self._open: set[int] = set()
        self._count = 0

    def node(self, found: Any) -> Node:
        """Return the node for one of PyYAML's."""
        if (known := self._known.get(id(found))) is not None:
            self._count_all(found)
            return copied(known)  # type: ignore[no-any-return]  # a copy is like what was copied
        self._count_one(found)
        if isinstance(found, yaml.ScalarNode):
            return self._scalar(found)
        if id(found) in self._open:
            raise self._problem(found, "an alias stands inside of what it stands for")
        self._open.add(id(found))
        node = self._mapping(found) if isinstance(found, yaml.MappingNode) else self._list(found)
        self._open.remove(id(found))
        self._known[id(found)] = node
        return node

    def _list(self, found: Any) -> Node:
        return [self.node(child) for child in found.value]

    def _mapping(self, found: Any) -> Node:
        own: Mapping = {}
        merged: Mapping = {}
        for key, value in found.value:
            name = self._name(key)
            if name == _MERGE and not key.style:
                merged = self._merged(value)
            elif name in own:
                raise self._problem(key, f"{name!r} is there twice; keep one")
            else:
                own[name] = self.node(value)
        return merged | own

    def _name(self, key: Any) -> str:
        if not isinstance(key, yaml.ScalarNode):
            raise self._problem(key, "a key is a single text")
        return str(key.value)

    def _merged(self, value: Any) -> Mapping:
        """Return what ``<<`` brings; of several mappings, the first one wins."""
        several = value.value if isinstance(value, yaml.SequenceNode) else [value]
        merged: Mapping = {}
        for one in several:
            node = self.node(one)
            if not isinstance(node, dict):
                raise self._problem(one, "<< needs a mapping, or a list of them")
            merged = node | merged
        return merged

    def _scalar(self, found: Any) -> Scalar:
        if found.tag == f"{_PREFIX}binary":
            return self._binary(found)
        is_written = not found.tag.startswith(_IMPLICIT)
        tag = found.tag.removeprefix(_PREFIX if is_written else _IMPLICIT)
        known = tag if tag in TAGS else STR
        return Scalar(found.value, known, bool(found.style), is_written)

    def _binary(self, found: Any) -> Scalar:
        try:
            return text_of(b64decode(found.value).decode())
        except ValueError as error:
            raise self._problem(found, f"this is not base64 of a text: {error}") from None

    def _count_all(self, found: Any) -> None:
        waiting = [found]
        while waiting:
            self._count_one(one := waiting.pop())
            if isinstance(one, yaml.MappingNode):
                waiting.extend(part for pair in one.value for part in pair)
            elif isinstance(one, yaml.SequenceNode):
                waiting.extend(one.value)

    def _count_one(self, found: Any) -> None:
        self._count += 1
        if self._count > _MOST_NODES:
            raise self._problem(found, f"its aliases stand for more than {_MOST_NODES:,} values")

    def _problem(self, at: Any, why: str) -> ProblemError:
        return ProblemError(why, line=self._line + at.start_mark.line + 1)


def _lines(found: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], int]]:
    if isinstance(found, yaml.MappingNode):
        for key, value in found.value:
            here = (*path, str(key.value))
            yield here, key.start_mark.line + 1
            yield from _lines(value, here)
    elif isinstance(found, yaml.SequenceNode):
        for index, value in enumerate(found.value):
            yield (*path, index), value.start_mark.line + 1
            yield from _lines(value, (*path, index))
