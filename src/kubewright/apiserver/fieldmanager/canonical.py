"""Objects of built-in kinds in the one form in which the real server writes them.

Its types cannot tell a field that is empty from one that was not set, except where they say so.
What is empty is therefore left out (``hostNetwork: false``, ``command: []``), and what cannot be
left out is there (``resources: {}``, ``status: {}``). Clients see that, and so does ownership:
nobody owns a field that is not there.
"""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from kubewright.apiserver.fieldmanager.shape import zeros
from kubewright.apiserver.schema.tree import Schema

Obj = dict[str, Any]


class _Rules:
    """What is empty, and may go, in objects of one definition."""

    __slots__ = ("fields", "kept", "zeros")

    def __init__(self, schema: Schema) -> None:
        self.zeros = zeros(schema)
        self.kept = frozenset(_pointers().get(schema.name, ())) | self.zeros.keys()
        self.fields = {name: _below(child) for name, child in schema.properties.items()}


@cache
def _pointers() -> dict[str, list[str]]:
    """Return, by definition, the scalars for which empty and unset are two things."""
    data = Path(__file__).with_name("pointer-fields.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, list[str]])


def _below(schema: Schema) -> Schema | None:
    """Return the schema to go on with in a field, its elements or its values; ``None`` for none."""
    inner = schema.items if schema.type == "array" else schema.additional or schema
    return inner if inner is not None and inner.properties else None


def _rules(schema: Schema) -> _Rules:
    known: _Rules | None = schema.memo.get("canonical")
    if known is None:
        known = schema.memo["canonical"] = _Rules(schema)
    return known


def canonicalize(obj: Obj, schema: Schema) -> None:
    """Bring an object of a built-in kind into its canonical form, in place."""
    rules = _rules(schema)
    kept, fields = rules.kept, rules.fields
    empty: list[str] = []
    for name, value in obj.items():
        if value is None or (not value and name not in kept and _may_go(value, schema, name)):
            empty.append(name)
        elif (below := fields.get(name)) is not None:
            _descend(value, below, mapped=schema.properties[name].is_map)
    for name in empty:
        del obj[name]
    for name, value in rules.zeros.items():
        if name not in obj:
            obj[name] = _fresh(value, fields.get(name))


def _may_go(value: Any, schema: Schema, name: str) -> bool:
    """Whether an empty value stands for an unset one; an empty struct is a value of its own."""
    child = schema.properties.get(name)
    return child is not None and (not isinstance(value, dict) or child.is_map)


def _descend(value: Any, below: Schema, *, mapped: bool) -> None:
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                canonicalize(item, below)
    elif isinstance(value, dict) and mapped:
        for item in value.values():
            if isinstance(item, dict):
                canonicalize(item, below)
    elif isinstance(value, dict):
        canonicalize(value, below)


def _fresh(value: Any, below: Schema | None) -> Any:
    if value != {} or below is None:
        return dict(value) if isinstance(value, dict) else value
    made: Obj = {}
    canonicalize(made, below)
    return made
