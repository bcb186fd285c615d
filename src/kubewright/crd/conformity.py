"""Checks values against schemas: whether a default follows the rules of its field."""

from collections.abc import Callable, Iterator
from typing import Any

from kubewright.api.patches import json_equal
from kubewright.crd.markers import JSONSchema
from kubewright.crd.patterns import is_match


def problems(value: Any, schema: JSONSchema, path: str = "") -> Iterator[str]:
    """Yield the server's objections to *value*; types and missing fields are not checked."""
    if value is None:
        return
    where = f" (at {path})" if path else ""
    if "enum" in schema and not any(json_equal(value, one) for one in schema["enum"]):
        yield f"is none of {', '.join(map(repr, schema['enum']))}{where}"
    for keyword, check in _CHECKS.items():
        if keyword in schema and (told := check(value, schema[keyword], schema)):
            yield f"{told} {schema[keyword]!r}{where}"
    yield from _inside(value, schema, path)


def _inside(value: Any, schema: JSONSchema, path: str) -> Iterator[str]:
    if isinstance(value, list):
        for index, one in enumerate(value):
            yield from problems(one, schema.get("items") or {}, f"{path}[{index}]")
    if isinstance(value, dict):
        known, others = schema.get("properties") or {}, schema.get("additionalProperties")
        rest = others if isinstance(others, dict) else {}
        for key, one in value.items():
            yield from problems(one, known.get(key, rest), f"{path}.{key}")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _minimum(value: Any, limit: Any, schema: JSONSchema) -> str:
    if not _is_number(value):
        return ""
    if schema.get("exclusiveMinimum"):
        return "" if value > limit else "is not above"
    return "" if value >= limit else "is below the minimum"


def _maximum(value: Any, limit: Any, schema: JSONSchema) -> str:
    if not _is_number(value):
        return ""
    if schema.get("exclusiveMaximum"):
        return "" if value < limit else "is not below"
    return "" if value <= limit else "is above the maximum"


def _multiple_of(value: Any, factor: Any, _: JSONSchema) -> str:
    # Fractions are left to the server: 0.3 is a multiple of 0.1 to it, and not to Python.
    whole = isinstance(value, int) and isinstance(factor, int) and factor > 0
    return "is not a multiple of" if whole and value % factor else ""


def _pattern(value: Any, pattern: Any, _: JSONSchema) -> str:
    fits = not isinstance(value, str) or is_match(pattern, value)
    return "" if fits else "does not match the pattern"


def _shorter(kind: Any, word: str) -> Callable[[Any, Any, JSONSchema], str]:
    def check(value: Any, limit: Any, _: JSONSchema) -> str:
        return f"has fewer {word} than" if isinstance(value, kind) and len(value) < limit else ""

    return check


def _longer(kind: Any, word: str) -> Callable[[Any, Any, JSONSchema], str]:
    def check(value: Any, limit: Any, _: JSONSchema) -> str:
        return f"has more {word} than" if isinstance(value, kind) and len(value) > limit else ""

    return check


_CHECKS: dict[str, Callable[[Any, Any, JSONSchema], str]] = {
    "minimum": _minimum,
    "maximum": _maximum,
    "multipleOf": _multiple_of,
    "pattern": _pattern,
    "minLength": _shorter(str, "characters"),
    "maxLength": _longer(str, "characters"),
    "minItems": _shorter(list, "items"),
    "maxItems": _longer(list, "items"),
    "minProperties": _shorter(dict, "entries"),
    "maxProperties": _longer(dict, "entries"),
}
