"""Documents as trees: dictionaries, lists and scalars."""

from copy import copy
from typing import Any, TypeAlias

from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.scalar import Scalar, scalar_of, text

__all__ = [
    "Mapping",
    "Node",
    "copied",
    "is_empty",
    "is_missing",
    "node_of",
    "plain",
    "put",
    "renewed",
    "sort_of",
    "text_in",
    "texts_in",
    "written",
]

Mapping: TypeAlias = dict[str, Any]
Node: TypeAlias = Mapping | list[Any] | Scalar
"""A mapping of nodes, a list of nodes, or a scalar. All of them may change."""


def is_missing(node: Node | None) -> bool:
    """Return whether there is nothing, or null."""
    return node is None or (isinstance(node, Scalar) and node.tag == "null")


def is_empty(node: Node | None) -> bool:
    """Return whether there is nothing, null, or a mapping or list without elements."""
    return is_missing(node) or (isinstance(node, dict | list) and not node)


def sort_of(node: Node) -> str:
    """Return how messages call a node."""
    if isinstance(node, dict):
        return "a mapping"
    return "a list" if isinstance(node, list) else "a single value"


def written(node: Node | None) -> str:
    """Return the text of a scalar; mappings and lists have none."""
    return node.text if isinstance(node, Scalar) else ""


def renewed(before: Node | None, value: str) -> Scalar:
    """Return *value* as it is written where *before* was."""
    return before.holding(value) if isinstance(before, Scalar) else text(value)


def put(holder: Any, key: Any, value: Node) -> None:
    """Put *value* into a mapping or a list; a scalar changes a scalar that is there."""
    before = holder[key] if isinstance(holder, list) else holder.get(key)
    if isinstance(before, Scalar) and isinstance(value, Scalar):
        before.become(value)
    else:
        holder[key] = value


def text_in(node: Node | None, *path: str) -> str:
    """Return the text of a field; empty where it is missing or null."""
    for name in path:
        node = node.get(name) if isinstance(node, dict) else None
    return "" if is_missing(node) else written(node)


def texts_in(node: Node | None, *path: str) -> dict[str, str]:
    """Return a mapping of texts, such as labels, as they are written: null is ``null``."""
    for name in path:
        node = node.get(name) if isinstance(node, dict) else None
    return {name: written(value) for name, value in node.items()} if isinstance(node, dict) else {}


def copied(node: Node) -> Any:
    """Return a node that shares nothing with *node*; what shared a scalar there does not here."""
    match node:
        case dict():
            return {name: copied(value) for name, value in node.items()}
        case list():
            return [copied(value) for value in node]
    return copy(node)


def plain(node: Node) -> Any:
    """Return the node as JSON has it.

    Raises:
        ProblemError: A scalar has no value in JSON; the message names the field.
    """
    match node:
        case dict():
            return {name: _plain_at(f".{name}", value) for name, value in node.items()}
        case list():
            return [_plain_at(f"[{index}]", value) for index, value in enumerate(node)]
    return node.value


def _plain_at(step: str, node: Node) -> Any:
    try:
        return plain(node)
    except _FieldError as problem:
        raise _FieldError(step + problem.path, problem.reason) from None
    except ProblemError as problem:
        raise _FieldError(step, str(problem)) from None


class _FieldError(ProblemError):
    """A problem with a field below."""

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f"{path.removeprefix('.')}: {reason}")


def node_of(value: Any) -> Any:
    """Return the tree for a value of JSON."""
    match value:
        case dict():
            return {name: node_of(child) for name, child in value.items()}
        case list():
            return [node_of(child) for child in value]
    return scalar_of(value)
