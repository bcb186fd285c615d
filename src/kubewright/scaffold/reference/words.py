"""Schemas in words: types, constraints and rules."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from kubewright.crd.known import QUANTITY

Schema = dict[str, Any]

_SIZES = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} entries",
    "maxProperties": "at most {} entries",
}
_SINGULAR = {"characters": "character", "items": "item", "entries": "entry"}
_UNREMARKABLE = frozenset({"int32", "int64", "float", "double", ""})


def type_words(schema: Schema) -> str:
    """Return the type of a value in words.

    Example:
        >>> type_words({"type": "array", "items": {"type": "string"}})
        'list of string'
    """
    if schema.get("x-kubernetes-int-or-string"):
        is_quantity = schema.get("pattern") == QUANTITY["pattern"]
        return "quantity" if is_quantity else "integer or string"
    kind, form = str(schema.get("type") or ""), schema.get("format")
    if kind == "array":
        return f"list of {type_words(schema.get('items') or {})}"
    if kind == "object":
        return _object_words(schema)
    if form in {"int32", "float"}:
        return f"{kind} ({form})"
    return "time" if (kind, form) == ("string", "date-time") else kind or "anything"


def _object_words(schema: Schema) -> str:
    inner = schema.get("additionalProperties")
    if schema.get("x-kubernetes-embedded-resource"):
        return "Kubernetes object"
    if isinstance(inner, dict):
        return f"map of string to {type_words(inner)}"
    return "map of string to anything" if inner is True else "object"


def constraints_of(schema: Schema) -> Iterator[str]:
    """Yield what must hold of a value itself, in words; texts in backquotes are literal."""
    if values := schema.get("enum"):
        yield f"one of {', '.join(code(_json(one)) for one in values)}"
    yield from _range(schema)
    for keyword, words in _SIZES.items():
        if (limit := schema.get(keyword)) is not None:
            yield _counted(words, limit)
    if factor := schema.get("multipleOf"):
        yield f"a multiple of {factor}"
    pattern = schema.get("pattern")
    if pattern and pattern != QUANTITY["pattern"]:
        yield f"matches {code(str(pattern))}"
    kind = schema.get("format") or ""
    if kind not in _UNREMARKABLE and (schema.get("type"), kind) != ("string", "date-time"):
        yield f"format {code(str(kind))}"
    yield from _structure(schema)


def _range(schema: Schema) -> Iterator[str]:
    if (low := schema.get("minimum")) is not None:
        yield f"more than {low}" if schema.get("exclusiveMinimum") else f"at least {low}"
    if (high := schema.get("maximum")) is not None:
        yield f"less than {high}" if schema.get("exclusiveMaximum") else f"at most {high}"


def _counted(words: str, limit: int) -> str:
    for plural, singular in _SINGULAR.items():
        if limit == 1:
            words = words.replace(plural, singular)
    return words.format(limit)


def _structure(schema: Schema) -> Iterator[str]:
    if schema.get("nullable"):
        yield "may be null"
    if schema.get("x-kubernetes-list-type") == "set":
        yield "no item twice"
    if keys := schema.get("x-kubernetes-list-map-keys"):
        yield f"no two items with the same {' and '.join(code(str(key)) for key in keys)}"
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        yield "other fields are kept"
    if schema.get("x-kubernetes-map-type") == "atomic":
        yield "applied as a whole"
    for keyword, words in (("oneOf", "exactly one"), ("anyOf", "at least one"), ("allOf", "all")):
        found = schema.get(keyword)
        if isinstance(found, list) and not schema.get("x-kubernetes-int-or-string"):
            needed = [_needed(one) for one in found]
            if all(needed):
                yield f"{words} of {', '.join(filter(None, needed))}"


def _needed(part: Any) -> str:
    """Return the fields that a part of a union asks for, if it asks for nothing else."""
    if not isinstance(part, dict) or part.keys() != {"required"}:
        return ""
    return " with ".join(code(str(one)) for one in part["required"])


def rules_of(schema: Schema) -> Iterator[str]:
    """Yield the CEL rules of a value: the message, and the expression if there is none."""
    for rule in schema.get("x-kubernetes-validations") or ():
        if isinstance(rule, dict):
            text = str(rule.get("rule") or "")
            message = str(rule.get("message") or "").strip()
            yield f"{message} ({code(text)})" if message else code(text)


def code(text: str) -> str:
    """Return *text* in backquotes, on one line."""
    plain = one_line(text)
    fence = "``" if "`" in plain else "`"
    space = " " if fence == "``" else ""
    return f"{fence}{space}{plain}{space}{fence}"


def one_line(text: str) -> str:
    """Return *text* without line breaks and without spaces at its ends."""
    return re.sub(r"\s*[\r\n\v\f\x85\u2028\u2029]+\s*", " ", text).strip()


def _json(value: Any) -> str:
    return value if isinstance(value, str) and value else msgspec.json.encode(value).decode()
