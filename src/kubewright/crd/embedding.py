"""Built-in types inside a CRD: their schemas are those of Kubernetes, not of their Python classes.

The classes read whatever a server may send, so they say less than the server checks: integers
have no size, and lists are never required. A CRD has to refuse what the server would refuse later.
"""

from functools import cache
from typing import Any

from kubewright import _json
from kubewright.crd.known import CONDITION, INT_OR_STRING, OBJECT_META, PRESERVE, QUANTITY
from kubewright.crd.markers import JSONSchema
from kubewright.errors import SchemaError
from kubewright.kinds import _schemas

_GENERATED = "kubewright.kinds."
_BY_HAND = "kubewright.api.meta"
_TIME: JSONSchema = {"type": "string", "format": "date-time"}
NAMED: dict[str, JSONSchema] = {
    "Condition": CONDITION,
    "FieldsV1": {"type": "object"},
    "IntOrString": INT_OR_STRING,
    "MicroTime": _TIME,
    "ObjectMeta": OBJECT_META,
    "Quantity": QUANTITY,
    "RawExtension": {"type": "object", **PRESERVE},
    "Time": _TIME,
}
"""Definitions that we know better than their document does."""


def kubernetes_versions() -> tuple[str, ...]:
    """Return the versions of Kubernetes whose built-in types can be embedded, the oldest first.

    Example:
        >>> "1.36" in kubernetes_versions()
        True
    """
    return _schemas.versions()


def checked_version(version: str | None, path: str) -> str:
    """Return *version*, or the newest one.

    Raises:
        SchemaError: There is no OpenAPI document of that version.
    """
    known = _schemas.versions()
    if version is not None and version not in known:
        raise SchemaError(
            f"{path}: the built-in types of Kubernetes {version!r} are not known:"
            f" choose one of {', '.join(known)}"
        )
    return version or known[-1]


def label_of(cls: Any) -> str:
    """Return what the documents call *cls*, such as ``core.v1.Pod``; empty for other classes."""
    module = getattr(cls, "__module__", "")
    if module == _BY_HAND:
        return f"meta.v1.{cls.__name__}"
    name = module.removeprefix(_GENERATED)
    return "" if name == module else f"{name}.{cls.__name__}"


def builtin_base(cls: type) -> type | None:
    """Return the built-in class that *cls* is, or inherits from."""
    return next((base for base in cls.__mro__ if label_of(base)), None)


def builtin_schema(cls: Any, version: str, path: str, *, object_meta: bool = True) -> JSONSchema:
    """Return the schema of the built-in *cls* in *version*.

    Raises:
        SchemaError: That version does not have it, or it has no structural schema.
    """
    label = label_of(cls)
    if label not in _schemas.definitions(version):
        raise SchemaError(
            f"{path}: Kubernetes {version} has no {label}: leave the field out, or choose another"
            f" version"
        )
    try:
        found: JSONSchema = _json.loads(_expanded(label, version, object_meta=object_meta))
    except RecursionError:
        raise SchemaError(
            f"{path}: {cls.__name__} contains itself, and a structural schema has no end then:"
            f" write dict[str, Any], which keeps whatever is there"
        ) from None
    return found


@cache
def _expanded(label: str, version: str, *, object_meta: bool) -> bytes:
    """Return a schema as JSON, since decoding is the fastest way to copy."""
    named = NAMED if object_meta else NAMED | {"ObjectMeta": {"type": "object"}}
    return _json.encode(_resolved({"$ref": label}, version, named, frozenset()))


def _resolved(
    schema: JSONSchema, version: str, named: dict[str, JSONSchema], inside: frozenset[str]
) -> JSONSchema:
    """Return *schema* with its references replaced by what they refer to."""
    if label := schema.get("$ref"):
        if label in inside:
            raise RecursionError(label)
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        target = named.get(label) or _schemas.definitions(version)[label]
        return {**_resolved(target, version, named, inside | {label}), **beside}
    found = dict(schema)
    for key in ("items", "additionalProperties"):
        if key in found:
            found[key] = _resolved(found[key], version, named, inside)
    if "properties" in found:
        found["properties"] = {
            wire: _resolved(inner, version, named, inside)
            for wire, inner in found["properties"].items()
        }
    return found or dict(PRESERVE)  # a definition without a type may be anything
