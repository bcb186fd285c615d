"""A custom resource with a field of every sort that apply treats in its own way."""

from typing import Any

from kubewright.apiserver.schema import tree

NOON = "2026-01-01T12:00:00Z"
LATER = "2026-01-01T13:00:00Z"
VERSION = "example.com/v1"

INTEGER = {"type": "integer"}
STRING = {"type": "string"}
ITEM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": STRING,
        "port": {"type": "integer", "default": 80},
        "value": STRING,
        "more": {"type": "object", "properties": {"a": INTEGER, "b": INTEGER}},
    },
}
SPEC: dict[str, Any] = {
    "size": INTEGER,
    "flag": {"type": "boolean"},
    "text": STRING,
    "labels": {"type": "object", "additionalProperties": STRING},
    "whole": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": INTEGER}},
    "plain": {"type": "array", "items": STRING},
    "set": {"type": "array", "x-kubernetes-list-type": "set", "items": STRING},
    "items": {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name", "port"],
        "items": ITEM,
    },
    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "struct": {"type": "object", "properties": {"a": INTEGER, "b": INTEGER}},
}


def schema(**changes: Any) -> tree.Schema:
    """Return the schema; *changes* replace fields of the spec."""
    spec = {"type": "object", "properties": {**SPEC, **changes}}
    status = {"type": "object", "properties": {"ready": INTEGER}}
    return tree.parse({"type": "object", "properties": {"spec": spec, "status": status}})


def thing(**spec: Any) -> dict[str, Any]:
    """Return an object with that spec."""
    metadata = {"name": "t", "namespace": "default"}
    return {"apiVersion": VERSION, "kind": "Thing", "metadata": metadata, "spec": spec}


def entries(obj: dict[str, Any]) -> dict[str, Any]:
    """Return what each manager of an object owns in its spec."""
    return {
        entry["manager"]: entry["fieldsV1"].get("f:spec", {})
        for entry in obj["metadata"].get("managedFields", [])
    }
