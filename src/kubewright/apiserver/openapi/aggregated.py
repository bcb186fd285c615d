"""Merges the OpenAPI v2 documents of aggregated API servers into our own."""

from typing import Any

Json = dict[str, Any]

_PREFIX = "#/definitions/"


def merge(document: Json, other: Json) -> None:
    """Add the paths of *other* to *document*, with the definitions that they need.

    A definition with the name of one of ours and other contents is renamed, as in the real server.
    """
    known: Json = document["definitions"]
    needed = _needed(other)
    names = {name: _free(name, node, known) for name, node in needed.items()}
    for name, node in needed.items():
        known.setdefault(names[name], _renamed(node, names))
    for path, item in (other.get("paths") or {}).items():
        document["paths"].setdefault(path, _renamed(item, names))


def _needed(other: Json) -> Json:
    """Return the definitions that the paths of *other* refer to."""
    definitions = other.get("definitions") or {}
    found: Json = {}
    waiting = list(_references(other.get("paths") or {}))
    while waiting:
        name = waiting.pop()
        if name in definitions and name not in found:
            found[name] = definitions[name]
            waiting += _references(definitions[name])
    return found


def _free(name: str, node: Any, known: Json) -> str:
    """Return *name*, or a similar one that is not used for another definition."""
    chosen, number = name, 2
    while chosen in known and _bare(known[chosen]) != _bare(node):
        chosen, number = f"{name}_v{number}", number + 1
    return chosen


def _bare(node: Any) -> Any:
    """Return *node* without descriptions and extensions, which do not make it another type."""
    if isinstance(node, list):
        return [_bare(item) for item in node]
    if isinstance(node, dict):
        return {
            key: _bare(item)
            for key, item in node.items()
            if not (key == "description" and isinstance(item, str)) and not key.startswith("x-")
        }
    return node


def _references(node: Any) -> list[str]:
    if isinstance(node, list):
        return [name for item in node for name in _references(item)]
    if isinstance(node, dict):
        found = [name for item in node.values() for name in _references(item)]
        target = node.get("$ref")
        return [*found, target.removeprefix(_PREFIX)] if isinstance(target, str) else found
    return []


def _renamed(node: Any, names: dict[str, str]) -> Any:
    if isinstance(node, list):
        return [_renamed(item, names) for item in node]
    if isinstance(node, dict):
        found = {key: _renamed(item, names) for key, item in node.items()}
        target = node.get("$ref")
        if isinstance(target, str):
            name = target.removeprefix(_PREFIX)
            found["$ref"] = f"{_PREFIX}{names.get(name, name)}"
        return found
    return node
