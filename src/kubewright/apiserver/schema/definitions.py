"""The schemas of the built-in kinds, from the OpenAPI document in the package."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any

import msgspec

from kubewright.apiserver.schema.tree import Schema, read

DATA: Path = Path(__file__).parents[1] / "data"
PREFIX: str = "#/definitions/"
# Definitions that the document calls "string" or "object" and that have a format of their own.
FORMATS: dict[str, str] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "quantity",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "date-time",
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "micro-time",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "int-or-string",
}
# Definitions without fields that hold anything. Others without fields are empty structs.
FREE_FORM: frozenset[str] = frozenset(
    {
        "FieldsV1",
        "JSON",
        "JSONSchemaPropsOrArray",
        "JSONSchemaPropsOrBool",
        "JSONSchemaPropsOrStringArray",
        "Patch",
        "RawExtension",
    }
)


@cache
def document() -> dict[str, Any]:
    """Return the OpenAPI v2 document."""
    data = DATA.joinpath("kubernetes-openapi-v2.json").read_bytes()
    found: dict[str, Any] = msgspec.json.decode(data)
    return found


@cache
def go_fields() -> dict[str, dict[str, str]]:
    """Return how Go declares the fields of each definition; see ``tools/generate_go_fields.py``."""
    data = DATA.joinpath("go-fields.json").read_bytes()
    found: dict[str, dict[str, str]] = msgspec.json.decode(data)
    return found


def fields_in_go(schema: Schema) -> Mapping[str, str]:
    """Return how Go declares the fields of a built-in struct; empty if unknown."""
    return go_fields().get(schema.definition, {})


@cache
def kinds() -> dict[tuple[str, str, str], str]:
    """Return the name of each definition that is a kind, by group, version and kind."""
    found: dict[tuple[str, str, str], str] = {}
    for name, definition in document()["definitions"].items():
        for gvk in definition.get("x-kubernetes-group-version-kind") or ():
            found.setdefault((gvk["group"], gvk["version"], gvk["kind"]), name)
    return found


def find(group: str, version: str, kind: str) -> Schema | None:
    """Return the schema of a kind, or ``None`` if the document does not have it."""
    name = kinds().get((group, version, kind))
    return definition(name) if name else None


_complete: dict[str, Schema] = {}
_incomplete: dict[str, Schema] = {}
_lock = RLock()


def definition(name: str) -> Schema:
    """Return the schema of a definition, such as ``io.k8s.api.core.v1.Pod``.

    Servers in several threads share them, so a schema is published only when it is complete.
    """
    if (known := _complete.get(name)) is not None:
        return known
    with _lock:
        if (known := _complete.get(name) or _incomplete.get(name)) is not None:
            return known  # JSONSchemaProps contains itself
        is_first = not _incomplete
        try:
            found = _make(name)
            if is_first:
                _complete.update(_incomplete)
        finally:
            if is_first:
                _incomplete.clear()
    return found


def _make(name: str) -> Schema:
    schema = _incomplete[name] = Schema()
    _fill(schema, document()["definitions"][name])
    schema.format = FORMATS.get(name, schema.format)
    schema.int_or_string = schema.format == "int-or-string"
    schema.name = name.rpartition(".")[2]
    schema.definition = name
    schema.preserve_unknown = schema.name in FREE_FORM
    return schema


def _parse(source: dict[str, Any]) -> Schema:
    reference = source.get("$ref")
    if reference is None:
        return _fill(Schema(), source)
    target = definition(reference.removeprefix(PREFIX))
    if len(source) == 1:
        return target
    return _annotated(target, source)


def _annotated(target: Schema, source: dict[str, Any]) -> Schema:
    """Return *target* with the keywords that a field adds to its reference, such as a default."""
    schema = Schema()
    for slot in Schema.__slots__:
        setattr(schema, slot, getattr(target, slot))
    schema.memo = {}
    own = read(source, Schema())
    if "x-kubernetes-map-type" in source:
        schema.map_type = own.map_type
    schema.default, schema.patch_strategy = own.default, own.patch_strategy
    return schema


def _fill(schema: Schema, source: dict[str, Any]) -> Schema:
    read(source, schema)
    for name, child in (source.get("properties") or {}).items():
        schema.properties[name] = _parse(child)
    additional = source.get("additionalProperties")
    if isinstance(additional, dict):
        schema.additional = _parse(additional)
    items = source.get("items")
    if isinstance(items, dict):
        schema.items = _parse(items)
    return schema
