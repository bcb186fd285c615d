"""Values as Kubernetes prints them in errors: alone, or as a diff of two versions.

Kubernetes prints its internal Go structs as JSON: Go names, every field, null for absent ones.
So the names and the order of the fields matter. The data file has them for everything inside a
pod, and for a few parts of workloads.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kubewright.apiserver.meta.field import FieldError

_ZEROS: dict[str, Any] = {"string": "", "int": 0, "bool": False, "quantity": "0"}


class _Field(NamedTuple):
    """A field of an internal struct: its Go name, its name in JSON, and its kind."""

    go: str
    json: str
    kind: str


@cache
def _structs() -> dict[str, tuple[_Field, ...]]:
    """Read the table: ``Go json kind``; a dot stands for the Go name with a lower-case initial."""
    data = Path(__file__).parents[2].joinpath("data/internal-types.json").read_bytes()
    table: dict[str, list[str]] = msgspec.json.decode(data)
    return {name: tuple(map(_field, lines)) for name, lines in table.items()}


def _field(line: str) -> _Field:
    go, json, kind = line.split(" ")
    return _Field(go, go[0].lower() + go[1:] if json == "." else json, kind)


def difference(old: Any, new: Any, kind: str) -> str:
    """Return the unified diff of two values of the internal type *kind*."""
    import difflib

    before, after = (
        _escaped(json.dumps(internal(value, kind), indent=1, ensure_ascii=False)).splitlines()
        for value in (old, new)
    )
    lines = list(difflib.unified_diff(before, after, n=3, lineterm=""))[2:]
    return "".join(f"{line}\n" for line in lines)


def invalid(path: str, value: Any, kind: str, *, detail: str) -> FieldError:
    """Return the error for an invalid value of the internal type *kind*."""
    return FieldError("FieldValueInvalid", path, f"Invalid value: {shown(value, kind)}: {detail}")


def shown(value: Any, kind: str) -> str:
    """Return a value of the internal type *kind* as messages show it."""
    return _escaped(msgspec.json.encode(internal(value, kind)).decode())


def _escaped(text: str) -> str:
    # Go escapes JSON for use in web pages.
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def internal(value: Any, kind: str) -> Any:
    """Return *value* as Go prints the internal type *kind*.

    A kind is the name of a struct, with ``*`` for a pointer or ``[]`` for a list in front, or one
    of ``string``, ``int``, ``bool``, ``quantity`` and ``any``.
    """
    if kind.startswith("[]"):
        return [internal(one, kind[2:]) for one in value] if value else None
    fields = _structs().get(kind.removeprefix("*"))
    if fields is None:
        return _ZEROS.get(kind) if value is None else _plain(value)
    if value is None and kind.startswith("*"):
        return None
    return _struct(value or {}, fields)


def _plain(value: Any) -> Any:
    """Return maps with their keys sorted, as Go prints them, except for selectors (structs)."""
    if not isinstance(value, dict):
        return value
    last = {"matchExpressions": "n"}  # after matchLabels
    return {key: _plain(value[key]) for key in sorted(value, key=lambda k: last.get(k, k))}


def _struct(value: dict[str, Any], fields: tuple[_Field, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for go, name, kind in fields:
        if go == "-":  # metadata is embedded, and its own names are those of JSON
            found |= {key: _plain(one) for key, one in (value.get(name) or {}).items()}
        else:
            found[go] = internal(value.get(name), kind)
    return found
