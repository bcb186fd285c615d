"""References and ``allOf`` of JSON schemas: several parts that hold together, as one."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

__all__ = ["joined", "pointed_at"]


def pointed_at(root: Mapping[str, Any], reference: str) -> Any:
    """Return what *reference* points at in *root*; ``None`` if it is not in there.

    Example:
        >>> pointed_at({"$defs": {"size": {"type": "integer"}}}, "#/$defs/size")
        {'type': 'integer'}
    """
    if not reference.startswith("#"):
        return None
    found: Any = root
    for part in filter(None, unquote(reference[1:]).split("/")):
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        elif isinstance(found, dict) and name in found:
            found = found[name]
        else:
            return None
    return found


def joined(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one schema that says what all *parts* say; where they differ, the first one holds.

    Example:
        >>> joined([{"required": ["a"]}, {"required": ["b"], "type": "object"}])
        {'required': ['a', 'b'], 'type': 'object'}
    """
    found: dict[str, Any] = {}
    for part in parts:
        for key, value in part.items():
            there = found.get(key)
            if key == "properties" and isinstance(there, dict) and isinstance(value, dict):
                found[key] = _both(there, value)
            elif key == "required" and isinstance(there, list) and isinstance(value, list):
                found[key] = list(dict.fromkeys((*there, *value)))
            elif key not in found:
                found[key] = value
    return found


def _both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    found = {**other, **one}
    for name in one.keys() & other.keys():
        if one[name] != other[name]:
            found[name] = {"allOf": [one[name], other[name]]}
    return found
