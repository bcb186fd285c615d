"""Schemas of our own types that say more than their Python classes do."""

from typing import Any

from kubewright.api.meta import Condition, ObjectMeta

JSONSchema = dict[str, Any]

PRESERVE: JSONSchema = {"x-kubernetes-preserve-unknown-fields": True}

STRING: JSONSchema = {"type": "string"}
STRINGS: JSONSchema = {"type": "array", "items": STRING}
STRING_MAP: JSONSchema = {"type": "object", "additionalProperties": STRING}

INT_OR_STRING: JSONSchema = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "x-kubernetes-int-or-string": True,
}

_NUMBER = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"

QUANTITY: JSONSchema = {
    **INT_OR_STRING,
    "pattern": rf"^(\+|-)?{_NUMBER}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{_NUMBER}))?$",
}

OBJECT_META: JSONSchema = {
    "type": "object",
    "properties": {
        "annotations": STRING_MAP,
        "finalizers": STRINGS,
        "labels": STRING_MAP,
        "name": STRING,
        "namespace": STRING,
    },
}
"""What of an embedded object's metadata a person writes; the rest belongs to the server."""

_LABEL_NAME = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_DNS_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"

CONDITION: JSONSchema = {
    "type": "object",
    "properties": {
        "lastTransitionTime": {"type": "string", "format": "date-time"},
        "message": {"type": "string", "maxLength": 32768},
        "observedGeneration": {"type": "integer", "format": "int64", "minimum": 0},
        "reason": {
            "type": "string",
            "maxLength": 1024,
            "minLength": 1,
            "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
        },
        "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
        "type": {
            "type": "string",
            "maxLength": 316,
            "pattern": rf"^({_DNS_LABEL}(\.{_DNS_LABEL})*/)?({_LABEL_NAME})$",
        },
    },
    "required": ["lastTransitionTime", "message", "reason", "status", "type"],
}

_ATOMIC_LIST = {"x-kubernetes-list-type": "atomic"}

LABEL_SELECTOR: JSONSchema = {
    "type": "object",
    "properties": {
        "matchExpressions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"key": STRING, "operator": STRING, "values": STRINGS | _ATOMIC_LIST},
                "required": ["key", "operator"],
            },
            **_ATOMIC_LIST,
        },
        "matchLabels": STRING_MAP,
    },
    "x-kubernetes-map-type": "atomic",
}

NAMED: dict[str, JSONSchema] = {"kw.Condition": CONDITION, "kw.LabelSelector": LABEL_SELECTOR}
"""What classes made from a CRD call by our names."""

# Keywords that belong to a field, not to its type.
ON_THE_FIELD = ("default", "nullable", "example")


def find_name(node: JSONSchema) -> str:
    """Return our name for the type of *node*, or an empty string."""
    if not (node.keys() - ON_THE_FIELD) >= {"type", "properties"}:
        return ""
    bare = {key: one for key, one in node.items() if key not in (*ON_THE_FIELD, "description")}
    return next((name for name, schema in NAMED.items() if bare == schema), "")


def without_descriptions(node: Any) -> Any:
    """Return *node* without descriptions; one that is not text is a field of that name."""
    if isinstance(node, list):
        return [without_descriptions(one) for one in node]
    if not isinstance(node, dict):
        return node
    return {
        key: one if key in ON_THE_FIELD else without_descriptions(one)
        for key, one in node.items()
        if key != "description" or not isinstance(one, str)
    }


def _described(schema: JSONSchema, said: dict[str, str]) -> JSONSchema:
    """Return *schema*, whose fields are described."""
    fields = schema["properties"]
    described = {name: {"description": said[name], **fields[name]} for name in fields}
    return {**schema, "properties": described}


_ABOUT_CONDITIONS = {
    "lastTransitionTime": "When the status became what it is.",
    "message": "The details, in a sentence for people.",
    "observedGeneration": "The metadata.generation that this was found for: if the object has a"
    " later one, this may be out of date.",
    "reason": "Why the status is what it is, in a word for programs.",
    "status": "Whether it is so: True, False or Unknown.",
    "type": "What this is about, such as Ready; there is one condition of each type.",
}

KNOWN: dict[Any, JSONSchema] = {
    Condition: _described(CONDITION, _ABOUT_CONDITIONS),
    ObjectMeta: OBJECT_META,
}
