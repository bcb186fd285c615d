"""What every object has, whether its schema names it or not."""

from typing import Any

from kubewright.crd.markers import JSONSchema

_NAMES = ("name", "generateName")
"""The only fields of metadata that a CRD may say anything about."""


def whole_object(schema: JSONSchema) -> JSONSchema:
    """Return the schema of an object, with its metadata and without its kind.

    Some CRDs name apiVersion, kind and metadata, others do not, and servers read both alike. So
    a limit of the name is compared with no limit, not with a field that was not there.
    """
    fields: dict[str, Any] = schema.get("properties") or {}
    kept = {name: one for name, one in fields.items() if name not in {"apiVersion", "kind"}}
    return {**schema, "properties": kept | {"metadata": _metadata(fields.get("metadata") or {})}}


def _metadata(given: JSONSchema) -> JSONSchema:
    fields: dict[str, Any] = given.get("properties") or {}
    names = {name: {"type": "string", **(fields.get(name) or {})} for name in _NAMES}
    said = {key: value for key, value in given.items() if key != "description"}
    return {**said, "type": "object", "properties": {**fields, **names}}
