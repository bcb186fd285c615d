"""Defaults: which of Python's the server should fill in too."""

from typing import Any

import msgspec

from kubewright import _json
from kubewright.api.model import Model
from kubewright.crd.conformity import problems
from kubewright.crd.markers import JSONSchema
from kubewright.errors import DecodeError, SchemaError

NOTHING = msgspec.UNSET


def default_of(field: msgspec.structs.FieldInfo, schema: JSONSchema, path: str) -> Any:
    """Return the default for *schema* as JSON, or `NOTHING`.

    ``None``, an empty collection and ``absent`` are not sent by us either, so they are none. A
    model that is made of its own defaults is ``{}``, from which the server fills in the rest,
    unless it has rules.
    """
    if field.default_factory is msgspec.NODEFAULT:
        return NOTHING
    value = _made(field.default_factory, path)
    # Two calls that differ, as for a random name or the present time, make no default of a schema.
    if value is None or value != _made(field.default_factory, path):
        return NOTHING
    if isinstance(value, Model):
        return _model_default(value, schema)
    built = built_of(value, path)
    return NOTHING if built in ([], {}) else built


def _made(factory: Any, path: str) -> Any:
    try:
        return factory()
    except Exception as error:
        raise SchemaError(f"{path}: the default factory failed: {error!r}") from error


def built_of(value: Any, path: str) -> Any:
    """Return *value* as JSON; sets are sorted, so that the result is the same every time."""
    try:
        plain = _json.loads(_json.encode(value))
    except (TypeError, ValueError) as error:
        raise SchemaError(f"{path}: the default has no JSON form: {error}") from error
    return sorted(plain) if isinstance(value, (set, frozenset)) else plain


def _model_default(value: Model, schema: JSONSchema) -> Any:
    built = {key: one for key, one in _json.to_builtins(value).items() if one != {}}
    if not built:
        return NOTHING
    if not _is_plain(value):
        return built
    if not completes(schema):
        return NOTHING
    return built if _has_rules(schema) else {}


def _has_rules(schema: JSONSchema) -> bool:
    """Tell whether CEL rules look at a value of *schema*.

    The server tries them on the default as it stands, before it fills in the defaults inside.
    """
    if "x-kubernetes-validations" in schema:
        return True
    return any(_has_rules(inner) for inner in schema.get("properties", {}).values())


def _is_plain(value: Model) -> bool:
    try:
        return value == type(value)()
    except TypeError:  # it has required fields
        return False


def completes(schema: JSONSchema) -> bool:
    """Tell whether ``{}`` becomes valid once the server has filled in the defaults inside."""
    properties: dict[str, JSONSchema] = schema.get("properties", {})
    filled = {name for name, inner in properties.items() if "default" in inner}
    return bool(filled) and filled.issuperset(schema.get("required", ()))


def check_default(value: Any, kind: Any, path: str) -> None:
    """Refuse a default that the field's own type does not take.

    Raises:
        SchemaError: It does not fit; the server would refuse the CRD for it.
    """
    try:
        _json.convert(value, kind)
    except DecodeError as error:
        said = str(error.__cause__ or error).partition(" - at ")[0]
        raise SchemaError(f"{path}: the default {value!r} does not fit: {said}") from error


def check_conformity(schema: JSONSchema, path: str) -> None:
    """Refuse a default that breaks the rules which its own *schema* has.

    Raises:
        SchemaError: The server would refuse the CRD for it.
    """
    default = schema.get("default")
    for problem in problems(default, schema):
        raise SchemaError(f"{path}: the default {default!r} {problem}")
