"""Built-in kinds: makes an object what Go's structs would make of it (decode, then encode).

Unknown fields, nulls and empty values that Go omits are removed; empty structs that Go cannot omit
are added; times and quantities get their canonical form; a value of the wrong JSON type is an
error. Each node of a schema is compiled once into a function that knows its fields.
"""

from threading import RLock
from typing import Any

from kubewright.apiserver.meta.status import bad_request
from kubewright.apiserver.schema import scalars
from kubewright.apiserver.schema.definitions import definition, fields_in_go
from kubewright.apiserver.schema.mismatch import (
    Location,
    MismatchError,
    Problems,
    element_type,
    go_name,
    mismatch,
    path_of,
)
from kubewright.apiserver.schema.scalars import Check
from kubewright.apiserver.schema.tree import Schema

# How to treat a field: its Python type if a type check is enough, whether it is omitted when
# empty, the function that reads it, and the name of its Go type.
Rule = tuple[type | None, bool, Check | None, str]

_lock = RLock()

JSON_SCHEMA: str = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"


def conform(obj: dict[str, Any], schema: Schema) -> Problems:
    """Change *obj* in place to what Go's structs would make of it, and return the problems found.

    Raises:
        StatusError: A value has the wrong type (400).
    """
    problems = Problems()
    try:
        compiled(schema)(obj, None, problems)
    except MismatchError as error:
        raise unreadable(obj, schema.name, str(error)) from None
    return problems


def unreadable(obj: dict[str, Any], wanted: str, why: str) -> Exception:
    """Return the error for an object that cannot be decoded."""
    kind, version = obj.get("kind"), obj.get("apiVersion")
    if not isinstance(kind, str) or not kind:
        return bad_request(f"the object provided is unrecognized (must be of type {wanted}): {why}")
    version = version.rpartition("/")[2] if isinstance(version, str) else ""
    return bad_request(
        f'{kind} in version "{version}" cannot be handled as a {wanted or kind}: {why}'
    )


def compiled(schema: Schema) -> Check:
    """Return the function that reads values of this shape."""
    found: Check | None = schema.memo.get("conform")
    if found is not None:
        return found
    # Other threads wait: the placeholder that stands in meanwhile would call itself for ever.
    with _lock:
        found = schema.memo.get("conform") or schema.memo.get("conform later")
        if found is None:
            # Schemas contain themselves: until this one is done, a placeholder stands in for it.
            schema.memo["conform later"] = _later(schema)
            try:
                found = schema.memo["conform"] = _compile(schema, go_name(schema))
            finally:
                del schema.memo["conform later"]
    return found


def _later(schema: Schema) -> Check:
    def check(value: Any, place: Location | None, problems: Problems) -> Any:
        return compiled(schema)(value, place, problems)

    return check


def _compile(schema: Schema, go_type: str) -> Check:
    if schema.name in _UNIONS:
        return _UNIONS[schema.name]
    if schema.preserve_unknown or (not schema.type and not schema.properties):
        return scalars.anything
    if schema.format == "quantity" or schema.int_or_string:
        return scalars.int_or_string if schema.int_or_string else scalars.quantity
    if schema.type == "object" or schema.properties:
        return _compile_object(schema, go_type)
    if schema.type == "array":
        return _list_of(rule_for(schema.items or Schema(), element_type(go_type)), go_type)
    return scalars.scalar(schema, go_type)


def _compile_object(schema: Schema, go_type: str) -> Check:
    if schema.additional is not None:
        return _map_of(rule_for(schema.additional, element_type(go_type)), go_type)
    if not schema.properties and not schema.definition:
        return scalars.anything
    return _struct(schema, go_type)


def rule_for(schema: Schema, go_type: str, *, omit: bool = False) -> Rule:
    """Return how to treat a value of this schema as a field or an element."""
    go_type = go_type.replace("[]byte", "[]uint8") or go_name(schema)
    special = schema.int_or_string or schema.format == "quantity"
    simple = not (special or schema.format in scalars.TEXTS)
    if simple and schema.type in {"string", "boolean"}:
        return (str if schema.type == "string" else bool), omit, None, go_type
    if simple and schema.type in {"array", "integer", "number"}:
        return None, omit, _compile(schema, go_type), go_type
    if schema.additional is not None and not schema.definition:
        return None, omit, _compile(schema, go_type), go_type
    if schema.format == "byte":
        return None, omit, scalars.scalar(schema, go_type), go_type
    return None, omit, compiled(schema), go_type


def _element(rule: Rule) -> Check:
    """Return the reader for an element: null is read as the empty value, not dropped."""
    expected, _, check, go_type = rule
    if expected is not None:
        return scalars.plain(expected, go_type)
    return check or scalars.anything


def _list_of(rule: Rule, go_type: str) -> Check:
    expected, check = rule[0], _element(rule)

    def check_list(value: Any, place: Location | None, problems: Problems) -> Any:
        if type(value) is not list:
            raise mismatch(value, place, go_type)
        for index, item in enumerate(value):
            if type(item) is expected:
                continue
            value[index] = check(item, (place, index, ""), problems)
        return value

    return check_list


def _map_of(rule: Rule, go_type: str) -> Check:
    expected, check = rule[0], _element(rule)

    def check_map(value: Any, place: Location | None, problems: Problems) -> Any:
        if type(value) is not dict:
            raise mismatch(value, place, go_type)
        problems.keys += len(value)
        for key, item in value.items():
            if type(item) is expected:
                continue
            value[key] = check(item, (place, key, ""), problems)
        return value

    return check_map


def _struct(schema: Schema, go_type: str) -> Check:  # noqa: C901  # it contains the function below
    rules, always, empty = _fields(schema)
    name = schema.name

    def check(  # noqa: C901, PLR0912  # it runs for every field of every request: calls would double its time
        value: Any, place: Location | None, problems: Problems
    ) -> Any:
        if type(value) is not dict:
            if value is not None:
                raise mismatch(value, place, go_type)
            value = {}
        problems.keys += len(value)
        dropped: list[str] | None = None
        for key, item in value.items():
            rule = rules.get(key)
            if rule is not None and item is not None:
                expected, omit, read, field_type = rule
                if type(item) is expected:
                    if item or not omit:
                        continue
                elif read is None:
                    raise mismatch(item, (place, key, name), field_type)
                else:
                    result = read(item, (place, key, name), problems)
                    if result or not (omit or result is None):
                        if result is not item:
                            value[key] = result
                        continue
            elif rule is None:
                problems.unknown.append(path_of((place, key, name)))
            if dropped is None:
                dropped = []
            dropped.append(key)
        if dropped is not None:
            for key in dropped:
                del value[key]
        for key, zero in always:
            if key not in value:
                value[key] = zero
        for key, fill in empty:
            if key not in value:
                value[key] = fill({}, None, Problems())
        return value

    return check


def _fields(
    schema: Schema,
) -> tuple[dict[str, Rule], tuple[tuple[str, Any], ...], tuple[tuple[str, Check], ...]]:
    """Return how to treat each field, and which fields Go writes even if they are unset."""
    known = fields_in_go(schema)
    rules: dict[str, Rule] = {}
    always: list[tuple[str, Any]] = []
    empty: list[tuple[str, Check]] = []
    for name, child in schema.properties.items():
        described = known.get(name) or _guessed(schema, name, child)
        go_type = described.strip("*!?")
        pointer, kept = described.startswith("*"), described.endswith("!")
        is_struct = _is_struct(child)
        rules[name] = rule_for(child, go_type, omit=not (pointer or kept or is_struct))
        if is_struct and not pointer and not described.endswith("?"):
            empty.append((name, compiled(child)))
        elif kept and not pointer and (zero := _zero(child)) is not None:
            always.append((name, zero))
    return rules, tuple(always), tuple(empty)


def _guessed(schema: Schema, name: str, child: Schema) -> str:
    """Return how Go most likely declares a field that the table does not have."""
    if name in {"apiVersion", "kind"}:
        return "string"
    collection = child.type == "array" or child.additional is not None
    kept = "!" if name in schema.required else ""
    return f"{'' if collection or kept else '*'}{go_name(child)}{kept}"


def _is_struct(schema: Schema) -> bool:
    return bool(schema.properties) or (
        bool(schema.definition)
        and schema.type == "object"
        and not schema.preserve_unknown
        and schema.additional is None
    )


def _zero(schema: Schema) -> Any:
    """Return what Go writes for an unset field; ``None`` for null, which we leave out."""
    if schema.format in {"date-time", "micro-time"}:
        return None
    if schema.format == "quantity":
        return "0"
    if schema.int_or_string:
        return 0
    return {"string": "", "integer": 0, "number": 0, "boolean": False}.get(schema.type)


def _nested(value: Any, problems: Problems) -> Any:
    """Read a schema inside a union: Go decodes those separately and reports no problems."""
    inner = Problems()
    result = compiled(definition(JSON_SCHEMA))(value, None, inner)
    problems.keys += inner.keys
    return result


def _schema_or_list(value: Any, place: Location | None, problems: Problems) -> Any:
    if isinstance(value, list):
        return [_nested(item, problems) for item in value]
    # Go accepts anything else, and drops it.
    return _nested(value, problems) if isinstance(value, dict) else None


def _schema_or_bool(value: Any, place: Location | None, problems: Problems) -> Any:
    if isinstance(value, dict):
        return _nested(value, problems)
    if isinstance(value, bool):
        return value
    raise MismatchError("boolean or JSON schema expected")


def _schema_or_strings(value: Any, place: Location | None, problems: Problems) -> Any:
    if isinstance(value, dict):
        return _nested(value, problems)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise mismatch(value, place, "[]string")


_UNIONS: dict[str, Check] = {
    "JSONSchemaPropsOrArray": _schema_or_list,
    "JSONSchemaPropsOrBool": _schema_or_bool,
    "JSONSchemaPropsOrStringArray": _schema_or_strings,
}
