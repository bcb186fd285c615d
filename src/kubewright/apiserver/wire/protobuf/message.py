"""Messages of known types: their fields by number, as the table that the package carries says."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from kubewright.apiserver.wire.protobuf import special, wire
from kubewright.apiserver.wire.protobuf.wire import BYTES, FIXED64, VARINT, WireError, expect

LIMIT: int = 150  # messages inside one another; a schema of a CRD needs two for each of its levels
LIST: str = "[]"  # the name of the only field of a message that is a list in JSON

Field = tuple[str, str, str]
"""Its name in JSON, its type, and its shape, which is empty, ``repeated`` or ``map``."""


@cache
def messages() -> dict[str, dict[str, list[str]]]:
    """Return all messages by their definitions; see ``tools/generate_protobuf.py``."""
    data = Path(__file__).parents[2].joinpath("data/protobuf.json").read_bytes()
    found: dict[str, dict[str, list[str]]] = msgspec.json.decode(data)
    return found


@cache
def fields_of(name: str) -> dict[int, Field]:
    """Return the fields of a message by their numbers."""
    return {
        int(number): (field, kind, shape[0] if shape else "")
        for number, (field, kind, *shape) in messages()[name].items()
    }


def read(data: bytes, name: str, *, depth: int = LIMIT, into: dict[str, Any] | None = None) -> Any:
    """Return a message as a tree; ``None`` for one that JSON writes as null.

    Args:
        data: The message without any envelope.
        name: Its definition, such as ``io.k8s.api.core.v1.Pod``.
        depth: How many messages may be inside one another.
        into: The part of the message that is read already, which gets the rest.

    Raises:
        WireError: It is broken, or too deep.
    """
    if depth <= 0:
        raise WireError("exceeded max depth")
    short = name.rpartition(".")[2]
    if (convert := special.SPECIAL.get(short)) is not None:
        return convert(data, short)
    found: dict[str, Any] = {} if into is None else into
    known = fields_of(name)
    for number, kind, value in wire.fields(data, short):
        field = known.get(number)
        if field is not None:
            _set(found, field, kind, value, depth=depth)
    if short in special.UNIONS:
        return special.chosen(found, short)
    if 1 in known and known[1][0] == LIST:
        return found.get(LIST, [])
    return found


def _set(found: dict[str, Any], field: Field, kind: int, value: int | bytes, *, depth: int) -> None:
    name, declared, shape = field
    if shape == "map":
        key, item = _entry(expect(BYTES, kind, value, name), declared, depth=depth)
        found.setdefault(name, {})[key] = item
    elif shape == "repeated":
        items = found.setdefault(name, [])
        if kind == BYTES and declared in _NUMBERS:
            items += _packed(value, declared)
        else:
            items.append(_value(kind, value, field, depth=depth))
    elif not name:
        read(expect(BYTES, kind, value, declared), declared, depth=depth - 1, into=found)
    else:
        item = _value(kind, value, field, depth=depth, into=found.get(name))
        if item is not None:
            found[name] = item


def _entry(data: bytes, declared: str, *, depth: int) -> tuple[str, Any]:
    """Return an entry of a map. Protobuf leaves out a key or a value that is empty."""
    key, item = "", None
    for number, kind, value in wire.fields(data):
        if number == 1:
            key = special.text(expect(BYTES, kind, value, "Key"))
        elif number == 2:  # noqa: PLR2004  # the value of an entry
            item = _value(kind, value, ("Value", declared, ""), depth=depth)
    if item is None:
        item = _value(BYTES, b"", ("Value", declared, ""), depth=depth)
    return key, item


def _value(
    kind: int, value: int | bytes, field: Field, *, depth: int, into: dict[str, Any] | None = None
) -> Any:
    name, declared, _ = field
    if declared in _NUMBERS:
        wanted, convert = _NUMBERS[declared]
        return convert(expect(wanted, kind, value, name))
    data = expect(BYTES, kind, value, name)
    if declared == "string":
        return special.text(data)
    if declared == "bytes":
        return special.base64_text(data)
    return read(data, declared, depth=depth - 1, into=into)


def _packed(data: Any, declared: str) -> list[Any]:
    """Return numbers that were sent as one piece."""
    wanted, convert = _NUMBERS[declared]
    if wanted == FIXED64:
        if len(data) % 8:
            raise WireError("unexpected EOF")
        return [convert(data[start : start + 8]) for start in range(0, len(data), 8)]
    items, position = [], 0
    while position < len(data):
        number, position = wire.varint(data, position)
        items.append(convert(number))
    return items


_NUMBERS: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "bool": (VARINT, bool),
    "int32": (VARINT, lambda number: wire.signed(number, 32)),
    "int64": (VARINT, lambda number: wire.signed(number, 64)),
    "double": (FIXED64, special.double),
}
