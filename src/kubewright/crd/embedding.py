"""Built-in types inside a CRD: what their Python classes do not say, and the server's own do."""

from typing import Any

from kubewright.crd.markers import JSONSchema

_GENERATED = "kubewright.kinds."
_LABELS = {"kubewright.api.meta": "meta.v1"}  # the part of it that is written by hand


def complete_builtin(cls: type, schema: JSONSchema) -> None:
    """Add list types, map types and defaults to the *schema* of a built-in *cls*.

    A list without a type is atomic to server-side apply: two writers of one pod template would
    take all of its containers from each other. Fields that a subclass inherits are built-in, too.
    """
    for base in reversed(cls.__mro__):
        if label := _label_of(base):
            _complete(label, schema)


def _label_of(cls: type) -> str:
    module = _LABELS.get(cls.__module__) or cls.__module__.removeprefix(_GENERATED)
    return "" if module == cls.__module__ else f"{module}.{cls.__name__}"


def _complete(label: str, schema: JSONSchema) -> None:
    # Forty kilobytes, which only the makers of CRDs need.
    from kubewright.kinds._sharing import DEFAULTS, SHARED  # noqa: PLC0415  # see above

    properties: dict[str, JSONSchema] = schema.get("properties", {})
    for wire, value in DEFAULTS.get(label, {}).items():
        if wire in properties:
            properties[wire].setdefault("default", value)
    for wire, (kind, *keys) in SHARED.get(label, {}).items():
        part: Any = properties.get(wire) if wire else schema
        if part is not None:
            _share(part, kind, keys)


def _share(schema: JSONSchema, kind: str, keys: list[str]) -> None:
    if schema.get("type") == "object":
        schema["x-kubernetes-map-type"] = kind
    elif schema.get("type") == "array" and _has_keys(schema["items"], keys):
        schema["x-kubernetes-list-type"] = kind
        if keys:
            schema["x-kubernetes-list-map-keys"] = keys


def _has_keys(items: JSONSchema, keys: list[str]) -> bool:
    """Say whether every item has *keys*; else the server refuses the CRD, so the list is atomic."""
    required, properties = items.get("required", ()), items.get("properties", {})
    return all(key in required or "default" in properties.get(key, {}) for key in keys)
