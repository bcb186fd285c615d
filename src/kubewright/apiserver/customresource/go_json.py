"""Parts of a definition as the real server prints them in errors: Go structs as JSON."""

from collections.abc import Callable
from typing import Any

import msgspec

# The fields of the server's schema struct in order, each with its name in the API.
_SCHEMA_FIELDS: tuple[tuple[str, str, Any], ...] = (
    ("ID", "id", ""),
    ("Schema", "$schema", ""),
    ("Ref", "$ref", None),
    ("Description", "description", ""),
    ("Type", "type", ""),
    ("Nullable", "nullable", False),
    ("Format", "format", ""),
    ("Title", "title", ""),
    ("Default", "default", None),
    ("Maximum", "maximum", None),
    ("ExclusiveMaximum", "exclusiveMaximum", False),
    ("Minimum", "minimum", None),
    ("ExclusiveMinimum", "exclusiveMinimum", False),
    ("MaxLength", "maxLength", None),
    ("MinLength", "minLength", None),
    ("Pattern", "pattern", ""),
    ("MaxItems", "maxItems", None),
    ("MinItems", "minItems", None),
    ("UniqueItems", "uniqueItems", False),
    ("MultipleOf", "multipleOf", None),
    ("Enum", "enum", None),
    ("MaxProperties", "maxProperties", None),
    ("MinProperties", "minProperties", None),
    ("Required", "required", None),
    ("Items", "items", None),
    ("AllOf", "allOf", None),
    ("OneOf", "oneOf", None),
    ("AnyOf", "anyOf", None),
    ("Not", "not", None),
    ("Properties", "properties", None),
    ("AdditionalProperties", "additionalProperties", None),
    ("PatternProperties", "patternProperties", None),
    ("Dependencies", "dependencies", None),
    ("AdditionalItems", "additionalItems", None),
    ("Definitions", "definitions", None),
    ("ExternalDocs", "externalDocs", None),
    ("Example", "example", None),
    ("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", None),
    ("XEmbeddedResource", "x-kubernetes-embedded-resource", False),
    ("XIntOrString", "x-kubernetes-int-or-string", False),
    ("XListMapKeys", "x-kubernetes-list-map-keys", None),
    ("XListType", "x-kubernetes-list-type", None),
    ("XMapType", "x-kubernetes-map-type", None),
    ("XValidations", "x-kubernetes-validations", None),
)


def fields_set(source: dict[str, Any]) -> list[str]:
    """Return the Go names of the fields that a schema sets, in the order of the struct."""
    return [go for go, name, zero in _SCHEMA_FIELDS if source.get(name, zero) != zero]


def encoded(value: Any) -> str:
    """Return *value* as Go writes JSON, with HTML characters escaped."""
    text = msgspec.json.encode(value).decode()
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def rule(source: dict[str, Any]) -> dict[str, Any]:
    """Return a CEL rule as the server's struct."""
    return {
        "Rule": source.get("rule") or "",
        "Message": source.get("message") or "",
        "MessageExpression": source.get("messageExpression") or "",
        "Reason": source.get("reason"),
        "FieldPath": source.get("fieldPath") or "",
        "OptionalOldSelf": source.get("optionalOldSelf"),
    }


def schema(source: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a schema as the server's struct."""
    if source is None:
        return None
    return {go: _field(name, source.get(name, zero)) for go, name, zero in _SCHEMA_FIELDS}


def _field(name: str, value: Any) -> Any:
    shape = _SHAPES.get(name)
    return value if value is None or shape is None else shape(value)


def _value(value: Any) -> Any:
    """Return any JSON as Go writes it: keys sorted, whole numbers without a fraction."""
    if isinstance(value, dict):
        return {key: _value(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_value(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _schemas(value: list[Any]) -> list[Any]:
    return [schema(part) for part in value]


def _items(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"Schema": None, "JSONSchemas": _schemas(value)}
    return {"Schema": schema(value), "JSONSchemas": None}


def _schema_or_bool(value: Any) -> dict[str, Any]:
    is_schema = isinstance(value, dict)
    return {"Allows": is_schema or value, "Schema": schema(value) if is_schema else None}


def _named(value: dict[str, Any]) -> dict[str, Any]:
    return {key: schema(value[key]) for key in sorted(value)}


def _dependencies(value: dict[str, Any]) -> dict[str, Any]:
    return {
        key: {"Schema": schema(part), "Property": None}
        if isinstance(part, dict)
        else {"Schema": None, "Property": part}
        for key, part in sorted(value.items())
    }


_SHAPES: dict[str, Callable[[Any], Any]] = {
    "properties": _named,
    "definitions": _named,
    "patternProperties": _named,
    "dependencies": _dependencies,
    "externalDocs": lambda value: {
        "Description": value.get("description") or "",
        "URL": value.get("url") or "",
    },
    "default": _value,
    "enum": _value,
    "example": _value,
    "allOf": _schemas,
    "anyOf": _schemas,
    "oneOf": _schemas,
    "not": schema,
    "items": _items,
    "additionalProperties": _schema_or_bool,
    "additionalItems": _schema_or_bool,
    "x-kubernetes-validations": lambda value: [rule(part) for part in value],
}


def version(source: dict[str, Any]) -> dict[str, Any]:
    """Return a version of a definition as the server's struct."""
    inner = source.get("schema")
    return {
        "Name": source.get("name") or "",
        "Served": source.get("served") or False,
        "Storage": source.get("storage") or False,
        "Deprecated": source.get("deprecated") or False,
        "DeprecationWarning": source.get("deprecationWarning"),
        "Schema": None
        if inner is None
        else {"OpenAPIV3Schema": schema(inner.get("openAPIV3Schema"))},
        "Subresources": _subresources(source.get("subresources")),
        "AdditionalPrinterColumns": [_column(each) for each in columns]
        if (columns := source.get("additionalPrinterColumns"))
        else None,
        "SelectableFields": [{"JSONPath": each.get("jsonPath") or ""} for each in fields]
        if (fields := source.get("selectableFields"))
        else None,
    }


def _subresources(source: dict[str, Any] | None) -> dict[str, Any] | None:
    if source is None:
        return None
    scale = source.get("scale")
    return {
        "Status": None if source.get("status") is None else {},
        "Scale": None
        if scale is None
        else {
            "SpecReplicasPath": scale.get("specReplicasPath") or "",
            "StatusReplicasPath": scale.get("statusReplicasPath") or "",
            "LabelSelectorPath": scale.get("labelSelectorPath"),
        },
    }


def _column(source: dict[str, Any]) -> dict[str, Any]:
    return {
        "Name": source.get("name") or "",
        "Type": source.get("type") or "",
        "Format": source.get("format") or "",
        "Description": source.get("description") or "",
        "Priority": source.get("priority") or 0,
        "JSONPath": source.get("jsonPath") or "",
    }
