"""CEL types of values that a schema describes, and the names of fields in rules."""

import re
from dataclasses import replace
from typing import Any, Final

from kubewright.apiserver.cel.celtype import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    RESERVED,
    STRING,
    TIMESTAMP,
    Declared,
    Field,
    Type,
    list_of,
    map_of,
)
from kubewright.apiserver.schema.tree import UNSET, Schema

LARGEST_REQUEST: Final = 3 * 1024 * 1024
"""The largest size of a request in bytes, and so of any value in it."""
_TEXT: Final = {
    "byte": (BYTES, 2, LARGEST_REQUEST - 2),
    "duration": (DURATION, 3, 32),
    "date": (TIMESTAMP, 12, 12),
    "date-time": (TIMESTAMP, 21, 32),
}
_PLAIN: Final = {"boolean": (BOOL, 4), "number": (DOUBLE, 1), "integer": (INT, 1)}
_SUPPORTED = re.compile(r"[A-Za-z_./-][A-Za-z0-9_./-]*", re.ASCII)
_SPECIAL = re.compile(r"__|[-./]")
_ESCAPES: Final = {
    "__": "__underscores__",
    ".": "__dot__",
    "-": "__dash__",
    "/": "__slash__",
}


def type_of(schema: Schema, *, root: bool = False, name: str = "selfType") -> Type | None:  # noqa: PLR0911  # one answer for each kind
    """Return the type of the values that *schema* allows; ``None`` if rules cannot see them.

    Fields without a schema stay hidden, as do lists and maps of such values.

    Args:
        schema: The schema of the values.
        root: Whether it is a whole object, which always has apiVersion, kind and metadata.
        name: The name of the type in messages; the names of field types derive from it.
    """
    if schema.int_or_string:
        return _with(
            DYN, schema, min_size=1, max_elements=_most_characters(schema, LARGEST_REQUEST - 2)
        )
    match schema.type:
        case "array":
            return _list(schema, name)
        case "object":
            if schema.additional is not None:
                return _map(schema, name) if not (root or schema.embedded_resource) else None
            return _object(schema, name, whole=root or schema.embedded_resource)
        case "string":
            return _text(schema)
    if schema.type in _PLAIN:
        found, size = _PLAIN[schema.type]
        return _with(found, schema, min_size=size)
    return None


def _with(found: Type, schema: Schema, **facts: Any) -> Type:
    declared = Declared(format=schema.format, nullable=schema.nullable, from_schema=True, **facts)
    return replace(found, declared=declared)


def _limit(schema: Schema, name: str) -> int | None:
    found = schema.source.get(name)
    return max(int(found), 0) if isinstance(found, int | float) else None


def _most_characters(schema: Schema, most: int) -> int:
    limit = _limit(schema, "maxLength")
    return most if limit is None else limit * 4  # a character has up to four bytes


def _text(schema: Schema) -> Type:
    if schema.format in _TEXT:
        found, size, most = _TEXT[schema.format]
        limit = _limit(schema, "maxLength") if schema.format == "byte" else None
        return _with(found, schema, min_size=size, max_elements=most if limit is None else limit)
    most = LARGEST_REQUEST - 2
    values = schema.source.get("enum")
    if values and _limit(schema, "maxLength") is None:
        most = max((len(v.encode()) for v in values if isinstance(v, str)), default=0)
    return _with(STRING, schema, min_size=2, max_elements=_most_characters(schema, most))


def _list(schema: Schema, name: str) -> Type | None:
    item = type_of(schema.items, name=f"{name}.@idx") if schema.items is not None else None
    if item is None:
        return None
    limit = _limit(schema, "maxItems")
    most = (LARGEST_REQUEST - 2) // (item.declared.min_size + 1) if limit is None else limit
    facts = {"list_type": schema.list_type, "list_map_keys": schema.list_map_keys}
    return _with(list_of(item), schema, min_size=2, max_elements=most, **facts)


def _map(schema: Schema, name: str) -> Type | None:
    assert schema.additional is not None
    value = type_of(schema.additional, name=f"{name}.@elem")
    if value is None:
        return None
    limit = _limit(schema, "maxProperties")
    most = (LARGEST_REQUEST - 2) // (value.declared.min_size + 6) if limit is None else limit
    return _with(map_of(STRING, value), schema, min_size=2, max_elements=most)


def _object(schema: Schema, name: str, *, whole: bool) -> Type:
    fields: dict[str, Field] = {}
    size = 2
    properties = _whole(schema) if whole else schema.properties
    for key, child in properties.items():
        found = type_of(child, name=f"{name}.{key}")
        if found is None:
            continue
        spelled = escape(key)
        if spelled is not None:
            fields[spelled] = Field(found, key)
        if key in schema.required and child.default is UNSET:
            size += len(key) + found.declared.min_size + 4
    return _with(Type("object", name), schema, fields=fields, min_size=size)


def _whole(schema: Schema) -> dict[str, Schema]:
    """Return the fields of a whole object: of the metadata, rules see only the names."""
    if _has_metadata(schema):
        return schema.properties
    metadata = Schema(type="object")
    metadata.properties = {"name": Schema(type="string"), "generateName": Schema(type="string")}
    fixed = {
        "kind": Schema(type="string"),
        "apiVersion": Schema(type="string"),
        "metadata": metadata,
    }
    return {**schema.properties, **fixed}


def _has_metadata(schema: Schema) -> bool:
    def is_string(within: Schema | None, name: str) -> bool:
        child = within.properties.get(name) if within is not None else None
        return child is not None and child.type == "string"

    metadata = schema.properties.get("metadata")
    return (
        is_string(schema, "kind")
        and is_string(schema, "apiVersion")
        and is_string(metadata, "name")
        and is_string(metadata, "generateName")
    )


def escape(name: str) -> str | None:
    """Return the name of a field in rules: ``foo-bar`` is ``foo__dash__bar``, ``$x`` is ``None``.

    Example:
        >>> escape("if"), escape("foo.bar"), escape("1st")
        ('__if__', 'foo__dot__bar', None)
    """
    if not _SUPPORTED.fullmatch(name):
        return None
    if name in RESERVED:
        return f"__{name}__"
    return _SPECIAL.sub(lambda match: _ESCAPES[match[0]], name)
