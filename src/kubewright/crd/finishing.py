"""The last steps for a complete schema: cut descriptions, order keys."""

from typing import Any

import msgspec

from kubewright.crd.descriptions import shortened
from kubewright.crd.markers import JSONSchema


class Options(msgspec.Struct, frozen=True):
    """How schemas are made.

    Attributes:
        max_description_length: Longer descriptions are cut; zero leaves them all out.
        embedded_object_meta: Whether metadata inside a spec, as in a pod template, names the fields
            that people write. Without it the server prunes the labels of every template.
        kubernetes: The version of Kubernetes whose built-in types are embedded, such as
            ``"1.34"``; the newest one of `kubernetes_versions` unless given.
    """

    max_description_length: int | None = None
    embedded_object_meta: bool = True
    kubernetes: str | None = None


DEFAULTS = Options()


def finished(schema: JSONSchema, options: Options) -> JSONSchema:
    """Return *schema* with its descriptions cut and every key in its place."""
    if options.max_description_length is not None:
        _shorten(schema, options.max_description_length)
    ordered: JSONSchema = in_order(schema)
    return ordered


def in_order(value: Any) -> Any:
    """Return *value* with the keys of all its dicts sorted, as controller-gen prints them."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [in_order(one) for one in value]
    return value


def _shorten(schema: Any, limit: int) -> None:
    if not isinstance(schema, dict):
        return
    if not (text := shortened(schema.pop("description", ""), limit)):
        schema.pop("description", None)
    else:
        schema["description"] = text
    for inner in (*schema.get("properties", {}).values(), *map(schema.get, ("items",))):
        _shorten(inner, limit)
    _shorten(schema.get("additionalProperties"), limit)
