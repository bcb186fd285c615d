"""Checks the arguments of `resource` against the schema, before a server sees them."""

import re
from difflib import get_close_matches
from typing import Any, get_args

from kubewright.api.definition import Column, ColumnType, Definition
from kubewright.crd.markers import JSONSchema
from kubewright.errors import SchemaError

_LABEL = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_GROUP = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_SIMPLE_PATH = re.compile(r"(\.[A-Za-z_][-\w]*)+")
_STEP = re.compile(r"""\.(?P<name>[\w$-]+)|\[['"](?P<quoted>[^'"]+)['"]\]|(?P<items>\[[^\]]*\])""")
_PRESERVE = "x-kubernetes-preserve-unknown-fields"
_SERVED = (".metadata", ".kind", ".apiVersion")
_MOST_SELECTABLE = 8
_COLUMN_TYPES = get_args(ColumnType)


def check_definition(definition: Definition, schema: JSONSchema) -> None:
    """Refuse names and paths that no server takes.

    Raises:
        SchemaError: The message names the class and what to write.
    """
    kind = definition.mapping.kind
    if definition.builtin:
        raise SchemaError(f"{kind} is a built-in kind, which has no CRD")
    _check_names(definition)
    for column in definition.columns:
        if not column.name or not column.json_path.startswith("."):
            raise SchemaError(
                f"{kind}: the column {column.name!r} needs a name and a JSON path that begins with"
                f" a dot, such as '.status.phase'; it has {column.json_path!r}"
            )
        _check_column(column, schema, kind)
    _check_scale(definition, schema)
    _check_selectable(definition, schema)


def _check_column(column: Column, schema: JSONSchema, kind: str) -> None:
    if column.type not in _COLUMN_TYPES:
        raise SchemaError(
            f"{kind}: the column {column.name!r} has the type {column.type!r}: it must be"
            f" one of {', '.join(_COLUMN_TYPES)}"
        )
    if problem := problem_of(column.json_path, schema):
        raise SchemaError(f"{kind}: the column {column.name!r} shows nothing: {problem}")


def _check_names(definition: Definition) -> None:
    mapping = definition.mapping
    if not _GROUP.fullmatch(mapping.group) or "." not in mapping.group:
        raise SchemaError(
            f"{mapping.kind}: {mapping.group!r} is not a group for a CRD: write a DNS name of"
            " yours, such as 'shop.example.com'"
        )
    short = {f"short name {name!r}": name for name in definition.short_names}
    names = {"version": mapping.version, "plural": mapping.plural, "singular": definition.singular}
    for what, name in {**names, **short}.items():
        if name and not _LABEL.fullmatch(name):
            raise SchemaError(
                f"{mapping.kind}: the {what} {name!r} must be a DNS label: lower case letters,"
                f" digits and dashes, beginning with a letter"
            )


def _check_scale(definition: Definition, schema: JSONSchema) -> None:
    scale, kind = definition.scale, definition.mapping.kind
    if scale is None:
        return
    for path, top in (
        (scale.spec_replicas_path, ".spec."),
        (scale.status_replicas_path, ".status."),
    ):
        found = find_path(schema, path)
        if not path.startswith(top) or found is None or found.get("type") != "integer":
            raise SchemaError(
                f"{kind}: scale needs an int field below {top.rstrip('.')}, and {path!r} is none"
            )
    selector = scale.label_selector_path
    found = find_path(schema, selector) if selector else {"type": "string"}
    if found is None or found.get("type") != "string":
        raise SchemaError(
            f"{kind}: the label selector path of scale, {selector!r}, is not a str field"
        )


def _check_selectable(definition: Definition, schema: JSONSchema) -> None:
    kind, paths = definition.mapping.kind, definition.selectable_fields
    if len(paths) > _MOST_SELECTABLE:
        raise SchemaError(f"{kind}: a CRD has at most eight selectable fields, not {len(paths)}")
    for path in paths:
        found = find_path(schema, path)
        scalar = found is not None and found.get("type") in ("string", "boolean", "integer")
        if not scalar or path.startswith(".metadata"):
            raise SchemaError(
                f"{kind}: {path!r} cannot be selected: it must lead to a str, bool or int field,"
                f" such as '.spec.colour'"
            )


def find_path(schema: JSONSchema, path: str) -> JSONSchema | None:
    """Return the schema that the simple JSON *path* leads to, or ``None``."""
    if not _SIMPLE_PATH.fullmatch(path):
        return None
    found: JSONSchema | None = schema
    for name in path.split(".")[1:]:
        found = (found or {}).get("properties", {}).get(name)
    return found


def problem_of(path: str, schema: JSONSchema) -> str:
    """Return where *path* leaves the *schema*, or an empty string.

    A path with syntax that we do not parse is accepted.
    """
    if path.startswith(_SERVED):
        return ""
    found: Any = schema
    at = 0
    while step := _STEP.match(path, at):
        name = step["name"] or step["quoted"]
        if not isinstance(found, dict) or _is_open(found):
            return ""
        inner = _schema_after(found, name)
        if inner is None:
            return _lost_at(path[:at], name or step["items"], found)
        found, at = inner, step.end()
    return ""


def _is_open(schema: JSONSchema) -> bool:
    return bool(schema.get(_PRESERVE) or schema.get("x-kubernetes-embedded-resource"))


def _schema_after(schema: JSONSchema, name: str | None) -> Any:
    """Return the schema one step further, or ``None``; no name is a step into an array."""
    if name is None:
        return schema.get("items") if schema.get("type") == "array" else None
    if isinstance(schema.get("additionalProperties"), dict):
        return schema["additionalProperties"]
    return (schema.get("properties") or {}).get(name)


def _lost_at(before: str, name: str, schema: JSONSchema) -> str:
    known = list(schema.get("properties") or {})
    where = before or "the object"
    if name.startswith("["):
        return f"{where} is not a list"
    camel = re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)
    near = [camel] if camel in known else get_close_matches(name, known, n=1)
    if near:
        return f"{where} has no field {name!r}: did you mean {before}.{near[0]}?"
    return f"{where} has no field {name!r}: it has {', '.join(known) or 'none'}"
