"""The rules of structural schemas: each field's type is declared once, outside of unions.

Works on the JSON of ``openAPIV3Schema``. A schema is *nested* below ``allOf``, ``anyOf``, ``oneOf``
and ``not``, where it may only restrict values.
"""

from typing import Any, Literal

from kubewright.apiserver.cel.regex import RegexError, compile_regex
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors

RawSchema = dict[str, Any]
Level = Literal["root", "item", "field"]

_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
_NO_TYPE = {
    "root": "must not be empty at the root",
    "item": "must not be empty for specified array items",
    "field": "must not be empty for specified object fields",
}
# Keywords that a nested schema must not have, with their messages.
_FORBIDDEN_NESTED = (
    ("type", "must be empty to be structural"),
    ("additionalProperties", "must be undefined to be structural"),
    ("default", "must be undefined to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    ("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
    ("x-kubernetes-embedded-resource", "must be false to be structural"),
    ("x-kubernetes-int-or-string", "must be false to be structural"),
    ("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ("x-kubernetes-list-type", "must be undefined to be structural"),
    ("x-kubernetes-map-type", "must be undefined to be structural"),
    ("x-kubernetes-validations", "must be empty to be structural"),
)
# Keywords that no structural schema can have, with the names in messages.
_UNSUPPORTED = (
    ("id", "id"),
    ("$schema", "schema"),
    ("$ref", "$ref"),
    ("patternProperties", "patternProperties"),
    ("dependencies", "dependencies"),
    ("additionalItems", "additionalItems"),
    ("definitions", "definitions"),
)


def unsupported(source: RawSchema) -> str:
    """Return why a schema cannot be structural at all, or ``""``."""
    for name, shown in _UNSUPPORTED:
        if source.get(name) or (name == "additionalItems" and name in source):
            return f"OpenAPIV3Schema '{shown}' is not supported"
    if isinstance(source.get("items"), list):
        return "OpenAPIV3Schema 'items' must be a schema, but is an array"
    if source.get("x-kubernetes-preserve-unknown-fields") is False:
        return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
    for child in children(source):
        if problem := unsupported(child):
            return problem
    return ""


def children(source: RawSchema) -> list[RawSchema]:
    """Return all schemas directly below one, including nested ones."""
    found = list((source.get("properties") or {}).values())
    found += [source[key] for key in ("items", "additionalProperties", "not") if key in source]
    for key in ("allOf", "anyOf", "oneOf"):
        found += source.get(key) or ()
    return [child for child in found if isinstance(child, dict)]


def validate_structural(source: RawSchema, path: str) -> Errors:
    """Return why a schema is not structural, sorted by text."""
    errors = _invariants(source, "root", path) + _completeness(source, source, path, path)
    return sorted(errors, key=str)


def _invariants(source: RawSchema, level: Level, path: str) -> Errors:
    errors: Errors = []
    if source.get("type") == "array" and "items" not in source:
        errors.append(field.required(f"{path}.items", "must be specified"))
    if isinstance(items := source.get("items"), dict):
        errors += _invariants(items, "item", f"{path}.items")
    for name, child in (source.get("properties") or {}).items():
        errors += _invariants(child, "field", f"{path}.properties[{name}]")
    errors += _additional(source, level, path)
    errors += _extensions(source, path)
    errors += _values(source, path, skip_any=_is_int_or_string(source))
    errors += _type(source, level, path)
    errors += _meta_fields(source, level, path)
    return errors


def _additional(source: RawSchema, level: Level, path: str) -> Errors:
    if "additionalProperties" not in source:
        return []
    errors: Errors = []
    below = f"{path}.additionalProperties"
    if level == "root":
        errors.append(field.forbidden(below, "must not be used at the root"))
    if isinstance(source["additionalProperties"], dict):
        errors += _invariants(source["additionalProperties"], "field", below)
    if source.get("x-kubernetes-embedded-resource"):
        text = "must not be used if x-kubernetes-embedded-resource is set"
        errors.append(field.forbidden(below, text))
    return errors


def _extensions(source: RawSchema, path: str) -> Errors:
    if not source.get("x-kubernetes-int-or-string"):
        return []
    names = ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource")
    return [
        field.invalid(
            f"{path}.{name}", True, "must be false if x-kubernetes-int-or-string is true"
        )  # the value
        for name in names
        if source.get(name)
    ]


def _type(source: RawSchema, level: Level, path: str) -> Errors:
    kind = source.get("type") or ""
    errors: Errors = []
    free = source.get("x-kubernetes-int-or-string") or source.get(
        "x-kubernetes-preserve-unknown-fields"
    )
    if source.get("x-kubernetes-embedded-resource") and kind != "object":
        text = "must be object if x-kubernetes-embedded-resource is true"
        wrong = field.invalid(f"{path}.type", kind, text)
        errors.append(wrong if kind else field.required(f"{path}.type", text))
    elif not kind and not free:
        errors.append(field.required(f"{path}.type", _NO_TYPE[level]))
    if level == "root" and kind and kind != "object":
        errors.append(field.invalid(f"{path}.type", kind, "must be object at the root"))
    return errors


def _meta_fields(source: RawSchema, level: Level, path: str) -> Errors:
    properties = source.get("properties") or {}
    embedded = bool(source.get("x-kubernetes-embedded-resource"))
    checked = level == "root" or embedded
    errors: Errors = []
    for name in ("kind", "apiVersion"):
        kind = (properties.get(name) or {}).get("type") or ""
        if checked and name in properties and kind != "string":
            errors.append(field.invalid(f"{path}.properties[{name}].type", kind, "must be string"))
    if "metadata" in properties:
        below = f"{path}.properties[metadata]"
        errors += _metadata(properties["metadata"], level, below, checked=checked)
    if embedded and not source.get("x-kubernetes-preserve-unknown-fields") and not properties:
        text = (
            "must not be empty if x-kubernetes-embedded-resource is true without"
            " x-kubernetes-preserve-unknown-fields"
        )
        errors.append(field.required(f"{path}.properties", text))
    return errors


def _metadata(source: RawSchema, level: Level, path: str, *, checked: bool) -> Errors:
    errors: Errors = []
    if checked and source.get("type") != "object":
        errors.append(field.invalid(f"{path}.type", source.get("type") or "", "must be object"))
    if level != "root":
        return errors
    rest = {key: value for key, value in source.items() if value and key not in {"type", "default"}}
    if set(rest.get("properties") or {}) <= {"name", "generateName"}:
        rest.pop("properties", None)
    if rest:
        text = (
            "must not specify anything other than name and generateName, but metadata is"
            " implicitly specified"
        )
        errors.append(field.forbidden(path, text))
    return errors


def _is_int_or_string(source: RawSchema) -> bool:
    return source.get("anyOf") == _INT_OR_STRING


def _values(source: RawSchema, path: str, *, skip_any: bool) -> Errors:
    """Check the schemas in ``allOf``, ``anyOf``, ``oneOf`` and ``not``."""
    errors: Errors = []
    if not skip_any:
        for index, part in enumerate(source.get("anyOf") or ()):
            errors += _nested(part, f"{path}.anyOf[{index}]")
    for index, part in enumerate(source.get("allOf") or ()):
        skip = index == 0 and _is_int_or_string(part)
        errors += _nested(part, f"{path}.allOf[{index}]", skip_any=skip)
    for index, part in enumerate(source.get("oneOf") or ()):
        errors += _nested(part, f"{path}.oneOf[{index}]")
    if source.get("not") is not None:
        errors += _nested(source["not"], f"{path}.not")
    if pattern := source.get("pattern"):
        errors += _pattern(pattern, f"{path}.pattern")
    return errors


def _pattern(pattern: str, path: str) -> Errors:
    try:
        compile_regex(pattern)
    except RegexError as error:
        text = f"must be a valid regular expression, but isn't: {error}"
        return [field.invalid(path, pattern, text)]
    return []


def _nested(source: RawSchema, path: str, *, skip_any: bool = False) -> Errors:
    errors = _values(source, path, skip_any=skip_any)
    if isinstance(items := source.get("items"), dict):
        errors += _nested(items, f"{path}.items")
    for name, child in (source.get("properties") or {}).items():
        errors += _nested(child, f"{path}.properties[{name}]")
    for name, text in _FORBIDDEN_NESTED:
        value = source.get(name)
        empty = name == "additionalProperties" and value == {}
        given = name == "default" and value is not None
        if given or ((value or empty) and value is not False):
            errors.append(field.forbidden(f"{path}.{name}", text))
    if "metadata" in (source.get("properties") or {}):
        text = "must not be specified in a nested context"
        errors.append(field.forbidden(f"{path}.properties[metadata]", text))
    return errors


def _completeness(source: RawSchema, shape: RawSchema, shape_path: str, path: str) -> Errors:
    """Check that fields in nested schemas are also declared outside of them."""
    errors: Errors = []
    if source.get("not") is not None:
        errors += _complete(source["not"], shape, shape_path, f"{path}.not")
    for key in ("allOf", "anyOf", "oneOf"):
        for index, part in enumerate(source.get(key) or ()):
            errors += _complete(part, shape, shape_path, f"{path}.{key}[{index}]")
    return errors


def _complete(nested: RawSchema, shape: RawSchema | None, shape_path: str, path: str) -> Errors:
    if shape is None:
        return [field.required(shape_path, f"because it is defined in {path}")]
    errors = _completeness(nested, shape, shape_path, path)
    if isinstance(nested.get("items"), dict):
        items = shape.get("items")
        errors += _complete(nested["items"], items, f"{shape_path}.items", f"{path}.items")
    for name, child in (nested.get("properties") or {}).items():
        below = f".properties[{name}]"
        found = (shape.get("properties") or {}).get(name)
        errors += _complete(child, found, shape_path + below, path + below)
    return errors
