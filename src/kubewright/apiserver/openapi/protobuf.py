"""Encodes the OpenAPI v2 document as protobuf, the only form that kubectl and Helm request.

The field numbers are those of gnostic's ``OpenAPIv2.proto``. A table describes each message; keys
that it does not list are vendor extensions, such as ``x-kubernetes-…``.
"""

import struct
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

__all__ = ["MEDIA_TYPES", "encode"]

# Kubernetes 1.27 replaced the @, which media types may not contain. Clients send either form.
MEDIA_TYPES: tuple[str, ...] = (
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
)

Write = Callable[[int, Any], bytes]
Table = Mapping[str, tuple[int, Write]]

_VARINT, _FIXED64, _BYTES = 0, 1, 2
_MORE = 0x80


def encode(document: Mapping[str, Any]) -> bytes:
    """Return *document* as a protobuf message."""
    return _fields(document, DOCUMENT, extensions=16)


def _number(value: int) -> bytes:
    pieces = bytearray()
    while value >= _MORE:
        pieces.append(value & 0x7F | _MORE)
        value >>= 7
    pieces.append(value)
    return bytes(pieces)


def _bytes(number: int, content: bytes) -> bytes:
    return _number(number << 3 | _BYTES) + _number(len(content)) + content


def _text(number: int, value: str) -> bytes:
    return _bytes(number, value.encode())


def _flag(number: int, value: bool) -> bytes:
    return _integer(number, int(value))


def _integer(number: int, value: int) -> bytes:
    return _number(number << 3 | _VARINT) + _number(value & (1 << 64) - 1) if value else b""


def _real(number: int, value: float) -> bytes:
    return _number(number << 3 | _FIXED64) + struct.pack("<d", value) if value else b""


def _any(number: int, value: Any) -> bytes:
    # The text is YAML, and JSON is a subset of YAML.
    return _bytes(number, _bytes(2, msgspec.json.encode(value) + b"\n"))


def _each(write: Write) -> Write:
    return lambda number, values: b"".join(write(number, value) for value in values)


def _named(write: Write) -> Write:
    """Write a mapping as gnostic does: a message with name and value for each entry."""
    return lambda number, mapping: b"".join(
        _bytes(number, _text(1, name) + write(2, value)) for name, value in mapping.items()
    )


def _inside(write: Write, *, field: int = 1) -> Write:
    """Write a value as the only field of a message."""
    return lambda number, value: _bytes(number, write(field, value))


def _message(table: Table, *, extensions: int) -> Write:
    return lambda number, value: _bytes(number, _fields(value, table, extensions=extensions))


def _fields(value: Mapping[str, Any], table: Table, *, extensions: int) -> bytes:
    pieces = []
    for key, item in value.items():
        if (found := table.get(key)) is not None:
            number, write = found
            pieces.append(write(number, item))
        else:
            pieces.append(_bytes(extensions, _text(1, key) + _any(2, item)))
    return b"".join(pieces)


def _schema(number: int, value: Mapping[str, Any]) -> bytes:
    return _bytes(number, _fields(value, SCHEMA, extensions=31))


def _additional(number: int, value: Any) -> bytes:
    return _bytes(number, _flag(2, value) if isinstance(value, bool) else _schema(1, value))


def _types(number: int, value: Any) -> bytes:
    return _bytes(number, _each(_text)(1, [value] if isinstance(value, str) else value))


def _items(number: int, value: Any) -> bytes:
    return _bytes(number, _each(_schema)(1, value if isinstance(value, list) else [value]))


def _parameter(number: int, value: Mapping[str, Any]) -> bytes:
    """Write a parameter: ``in`` selects one of five messages, nested in others."""
    place = value["in"]
    if place == "body":
        content = _message(BODY_PARAMETER, extensions=6)(1, value)
    else:
        choice, table, extensions = PARAMETERS[place]
        content = _bytes(2, _message(table, extensions=extensions)(choice, value))
    return _bytes(number, _bytes(1, content))


SCHEMA: Table = {
    "$ref": (1, _text),
    "format": (2, _text),
    "title": (3, _text),
    "description": (4, _text),
    "default": (5, _any),
    "multipleOf": (6, _real),
    "maximum": (7, _real),
    "exclusiveMaximum": (8, _flag),
    "minimum": (9, _real),
    "exclusiveMinimum": (10, _flag),
    "maxLength": (11, _integer),
    "minLength": (12, _integer),
    "pattern": (13, _text),
    "maxItems": (14, _integer),
    "minItems": (15, _integer),
    "uniqueItems": (16, _flag),
    "maxProperties": (17, _integer),
    "minProperties": (18, _integer),
    "required": (19, _each(_text)),
    "enum": (20, _each(_any)),
    "additionalProperties": (21, _additional),
    "type": (22, _types),
    "items": (23, _items),
    "allOf": (24, _each(_schema)),
    "properties": (25, _inside(_named(_schema))),
    "example": (30, _any),
}
BODY_PARAMETER: Table = {
    "description": (1, _text),
    "name": (2, _text),
    "in": (3, _text),
    "required": (4, _flag),
    "schema": (5, _schema),
}
_PLAIN: Table = {
    "required": (1, _flag),
    "in": (2, _text),
    "description": (3, _text),
    "name": (4, _text),
}
PARAMETERS: Mapping[str, tuple[int, Table, int]] = {
    "query": (3, {**_PLAIN, "type": (6, _text), "uniqueItems": (20, _flag)}, 23),
    "path": (4, {**_PLAIN, "type": (5, _text), "uniqueItems": (19, _flag)}, 22),
}
RESPONSE: Table = {"description": (1, _text), "schema": (2, _inside(_schema))}
OPERATION: Table = {
    "tags": (1, _each(_text)),
    "description": (3, _text),
    "operationId": (5, _text),
    "produces": (6, _each(_text)),
    "consumes": (7, _each(_text)),
    "parameters": (8, _each(_parameter)),
    "responses": (9, _inside(_named(_inside(_message(RESPONSE, extensions=5))))),
    "schemes": (10, _each(_text)),
}
_METHOD: Write = _message(OPERATION, extensions=13)
PATH_ITEM: Table = {
    "get": (2, _METHOD),
    "put": (3, _METHOD),
    "post": (4, _METHOD),
    "delete": (5, _METHOD),
    "options": (6, _METHOD),
    "head": (7, _METHOD),
    "patch": (8, _METHOD),
    "parameters": (9, _each(_parameter)),
}
INFO: Table = {"title": (1, _text), "version": (2, _text), "description": (3, _text)}
DOCUMENT: Table = {
    "swagger": (1, _text),
    "info": (2, _message(INFO, extensions=7)),
    "paths": (8, _inside(_named(_message(PATH_ITEM, extensions=10)), field=2)),
    "definitions": (9, _inside(_named(_schema))),
}
