"""Custom resources: prunes objects to their schema, as the server does on every read."""

from typing import Any

from kubewright.apiserver.meta.field import invalid
from kubewright.apiserver.schema.conform import compiled, unreadable
from kubewright.apiserver.schema.definitions import definition
from kubewright.apiserver.schema.mismatch import Location, MismatchError, Problems, path_of
from kubewright.apiserver.schema.tree import UNSET, Schema

META_FIELDS: frozenset[str] = frozenset({"apiVersion", "kind", "metadata"})
_INT64 = 2**63
_PLAIN_DIGITS = 1e21  # Go writes larger numbers with an exponent
OBJECT_META: str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


def fit(obj: dict[str, Any], schema: Schema) -> Problems:
    """Prune *obj* in place: keep known fields only, and give it typed metadata.

    Calls everything that is done to a custom object on read: `read_metadata`, `prune`,
    `drop_nulls` and `coerce_embedded`. Defaults come later, and `settle_numbers` last of all.

    Raises:
        StatusError: The metadata, or that of an embedded object, cannot be read (400).
    """
    problems = Problems()
    _count(obj, problems)
    try:
        if "metadata" in obj:
            problems.unknown += read_metadata(obj)
        problems.unknown += prune(obj, schema, root=True)
        drop_nulls(obj, schema)
        problems.unknown += coerce_embedded(obj, schema)
    except MismatchError as error:
        raise unreadable(obj, "", str(error)) from None
    return problems


def _count(value: Any, problems: Problems) -> None:
    """Count keys, and convert integers to floats that do not fit into Go's int64."""
    if type(value) is dict:
        problems.keys += len(value)
        for key, item in value.items():
            if type(item) is dict or type(item) is list:
                _count(item, problems)
            elif type(item) is int and not -_INT64 <= item < _INT64:
                value[key] = float(item)
    else:
        for index, item in enumerate(value):
            if type(item) is dict or type(item) is list:
                _count(item, problems)
            elif type(item) is int and not -_INT64 <= item < _INT64:
                value[index] = float(item)


def settle_numbers(value: Any) -> None:
    """Write whole floats as integers, as they are after storage: ``3.0`` becomes ``3``."""
    if type(value) is dict:
        for key, item in value.items():
            if type(item) is dict or type(item) is list:
                settle_numbers(item)
            elif type(item) is float:
                value[key] = _settled(item)
    else:
        for index, item in enumerate(value):
            if type(item) is dict or type(item) is list:
                settle_numbers(item)
            elif type(item) is float:
                value[index] = _settled(item)


def _settled(number: float) -> float:
    return int(number) if number.is_integer() and abs(number) < _PLAIN_DIGITS else number


def read_metadata(obj: dict[str, Any], path: str = "") -> list[str]:
    """Decode the metadata of *obj* as ObjectMeta, and return the paths of unknown fields.

    Raises:
        MismatchError: A value has the wrong type.
    """
    problems = Problems()
    check = compiled(definition(OBJECT_META))
    try:
        obj["metadata"] = check(obj["metadata"], None, problems)
    except MismatchError:
        check(_sorted(obj["metadata"]), None, Problems())  # Go decodes fields in name order
        raise
    prefix = f"{path}.metadata" if path else "metadata"
    return [f"{prefix}.{name}" for name in problems.unknown]


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def prune(value: Any, schema: Schema, *, root: bool = False) -> list[str]:
    """Remove fields that *schema* does not have, in place, and return their paths, sorted.

    Args:
        value: The value to prune.
        schema: Its shape.
        root: Whether *value* is a whole resource, whose apiVersion, kind and metadata are kept.
    """
    unknown: list[str] = []
    _prune(value, schema, None, unknown, keep_meta=root or schema.embedded_resource)
    return sorted(unknown)


def _prune(
    value: Any,
    schema: Schema | None,
    place: Location | None,
    unknown: list[str],
    *,
    keep_meta: bool,
) -> None:
    if schema is not None and schema.preserve_unknown:
        _prune_known(value, schema, place, unknown, keep_meta=keep_meta)
    elif isinstance(value, list):
        items = schema.items if schema is not None else None
        for index, item in enumerate(value):
            if isinstance(item, dict | list):
                _prune(item, items, (place, index, ""), unknown, keep_meta=_embedded(items))
    elif isinstance(value, dict):
        _prune_object(value, schema, place, unknown, keep_meta=keep_meta)


def child_of(schema: Schema, key: str) -> Schema | None:
    """Return the schema of a field; ``None`` for one below ``additionalProperties: true``."""
    child = schema.properties.get(key)
    if child is None and not takes_any_key(schema):
        return schema.additional
    return child


def takes_any_key(schema: Schema) -> bool:
    """Return whether ``additionalProperties`` is a boolean: then any key is kept."""
    return isinstance(schema.source.get("additionalProperties"), bool)


def _prune_object(
    value: dict[str, Any],
    schema: Schema | None,
    place: Location | None,
    unknown: list[str],
    *,
    keep_meta: bool,
) -> None:
    any_key = schema is not None and takes_any_key(schema)
    for key in list(value):
        if keep_meta and key in META_FIELDS:
            continue
        child = child_of(schema, key) if schema is not None else None
        if child is None and not any_key:
            if key not in META_FIELDS or place is not None:
                unknown.append(path_of((place, key, "")))
            del value[key]
        elif isinstance(value[key], dict | list):
            _prune(value[key], child, (place, key, ""), unknown, keep_meta=_embedded(child))


def _prune_known(
    value: Any, schema: Schema, place: Location | None, unknown: list[str], *, keep_meta: bool
) -> None:
    """Prune below a node that preserves unknown fields: fields with a schema are still pruned."""
    if isinstance(value, list) and schema.items is not None:
        for index, item in enumerate(value):
            below = (place, index, "")
            _prune_known(item, schema.items, below, unknown, keep_meta=_embedded(schema.items))
    elif isinstance(value, dict):
        any_key = takes_any_key(schema)
        for key, item in value.items():
            child = child_of(schema, key)
            if (child is not None or any_key) and not (keep_meta and key in META_FIELDS):
                _prune(item, child, (place, key, ""), unknown, keep_meta=_embedded(child))


def _embedded(schema: Schema | None) -> bool:
    return schema is not None and schema.embedded_resource


def drop_nulls(value: Any, schema: Schema | None) -> None:
    """Remove nulls that the schema neither allows nor replaces by a default."""
    if isinstance(value, dict) and schema is not None:
        for key in list(value):
            child = child_of(schema, key)
            if child is None:
                continue
            if value[key] is None and not child.nullable and child.default in (UNSET, None):
                del value[key]
            else:
                drop_nulls(value[key], child)
    elif isinstance(value, list) and schema is not None:
        for item in value:
            drop_nulls(item, schema.items)


def coerce_embedded(value: Any, schema: Schema | None, path: str = "") -> list[str]:
    """Give embedded objects typed metadata, and return the paths of unknown fields in it.

    Raises:
        MismatchError: An embedded object has no readable metadata.
    """
    if schema is None or not has_embedded(schema):
        return []
    if isinstance(value, list):
        found: list[str] = []
        for index, item in enumerate(value):
            found += coerce_embedded(item, schema.items, f"{path}[{index}]")
        return found
    if not isinstance(value, dict):
        return []
    found = _coerce(value, path) if schema.embedded_resource else []
    for key, item in value.items():
        child = schema.properties.get(key)
        if child is not None:
            found += coerce_embedded(item, child, f"{path}.{key}" if path else key)
        elif schema.additional is not None:
            found += coerce_embedded(item, schema.additional, f"{path}[{key}]")
    return found


def _coerce(value: dict[str, Any], path: str) -> list[str]:
    for key in ("apiVersion", "kind"):
        if key in value and not isinstance(value[key], str):
            raise MismatchError(str(invalid(f"{path}.{key}", value[key], "must be a string")))
    if "metadata" not in value:
        return []
    given = value["metadata"]
    try:
        return read_metadata(value, path)
    except MismatchError as error:
        raise MismatchError(str(invalid(f"{path}.metadata", given, str(error)))) from None


def has_embedded(schema: Schema) -> bool:
    """Return whether an embedded object may be at or below this node."""
    known: bool | None = schema.memo.get("embedded")
    if known is None:
        below = any(has_embedded(child) for child in schema.children())
        known = schema.memo["embedded"] = schema.embedded_resource or below
    return known
