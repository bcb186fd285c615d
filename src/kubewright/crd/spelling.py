"""Schemas spelled as Python: the markers for their keywords, and strings as docstrings."""

import inspect
from collections.abc import Callable
from typing import Any

from kubewright.crd.markers import JSONSchema


def _called(name: str) -> Callable[[Any], list[str]]:
    return lambda value: [f"kw.{name}({value!r})"]


def _flag(name: str) -> Callable[[Any], list[str]]:
    return lambda value: [f"kw.{name}()"] if value is True else []


def _spread(name: str) -> Callable[[Any], list[str]]:
    return lambda values: [f"kw.{name}({', '.join(map(repr, values))})"]


_RULE_OPTIONS = {
    "message": "message",
    "messageExpression": "message_expression",
    "reason": "reason",
    "fieldPath": "field_path",
    "optionalOldSelf": "optional_old_self",
}


def _rules(rules: list[JSONSchema]) -> list[str]:
    return [call("kw.Rule", repr(rule.get("rule", "")), **_options(rule)) for rule in rules]


def _options(rule: JSONSchema) -> dict[str, Any]:
    return {name: rule.get(key) for key, name in _RULE_OPTIONS.items()}


def _docs(docs: JSONSchema) -> list[str]:
    about = docs.get("description")
    return [call("kw.ExternalDocs", repr(docs.get("url", "")), description=about)]


def call(function: str, *arguments: str, **options: Any) -> str:
    """Return the text of a call; options that are ``None`` are left out."""
    given = [f"{key}={value!r}" for key, value in options.items() if value is not None]
    return f"{function}({', '.join([*arguments, *given])})"


_SPELLED: dict[str, Callable[[Any], list[str]]] = {
    "format": _called("Format"),
    "minimum": _called("Minimum"),
    "exclusiveMinimum": _flag("ExclusiveMinimum"),
    "maximum": _called("Maximum"),
    "exclusiveMaximum": _flag("ExclusiveMaximum"),
    "multipleOf": _called("MultipleOf"),
    "minLength": _called("MinLength"),
    "maxLength": _called("MaxLength"),
    "pattern": _called("Pattern"),
    "minItems": _called("MinItems"),
    "maxItems": _called("MaxItems"),
    "uniqueItems": _called("UniqueItems"),
    "minProperties": _called("MinProperties"),
    "maxProperties": _called("MaxProperties"),
    "enum": _spread("EnumValues"),
    "x-kubernetes-preserve-unknown-fields": _flag("PreserveUnknownFields"),
    "x-kubernetes-embedded-resource": _flag("EmbeddedResource"),
    "x-kubernetes-list-type": _called("ListType"),
    "x-kubernetes-list-map-keys": _spread("ListMapKey"),
    "x-kubernetes-map-type": _called("MapType"),
    "x-kubernetes-validations": _rules,
    "title": _called("Title"),
    "externalDocs": _docs,
    "nullable": _flag("Nullable"),
    "example": _called("Example"),
    "default": _called("Default"),
    "description": _called("Description"),
    "kubernetes-version": _called("KubernetesVersion"),  # of no schema: see `find_builtin`
}


def spelled_markers(keywords: JSONSchema) -> list[str]:
    """Return the markers that say *keywords*, as far as there are any."""
    return [
        text for key, spell in _SPELLED.items() if key in keywords for text in spell(keywords[key])
    ]


def is_docstring(text: Any) -> bool:
    """Tell whether *text* stays the same as a docstring, also when a formatter was over it."""
    if not isinstance(text, str) or not text.strip() or inspect.cleandoc(text).rstrip() != text:
        return False
    lines = text.split("\n")
    # Formatters remove what stands at the end of a line, and nothing can follow a last backslash.
    awkward = '"""' in text or text.endswith("\\") or any(line.endswith(" ") for line in lines)
    return not awkward and all(line.isprintable() for line in lines)


def docstring(text: str, indent: str) -> str:
    """Return *text* as a docstring, indented, raw if there are backslashes in it."""
    first, *rest = text.split("\n")
    lines = [f"{indent}{line}" if line else "" for line in rest]
    closing = f"\n{indent}" if rest else " " * text.endswith('"')
    opening = "r" * ("\\" in text) + '"""' + " " * text.startswith('"')
    return indent + opening + "\n".join([first, *lines]) + closing + '"""'
