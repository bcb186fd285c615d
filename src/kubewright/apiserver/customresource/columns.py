"""The printer columns of a definition (``additionalPrinterColumns``)."""

from collections.abc import Callable, Sequence
from typing import Any

from kubewright.apiserver.meta import field, jsonpath
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

AGE: Obj = {
    "name": "Age",
    "type": "date",
    "description": (
        "CreationTimestamp is a timestamp representing the server time when this object was"
        " created. It is not guaranteed to be set in happens-before order across separate"
        " operations. Clients may not set this value. It is represented in RFC3339 form and is in"
        " UTC.\n\nPopulated by the system. Read-only. Null for lists. More info:"
        " https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
    ),
    "jsonPath": ".metadata.creationTimestamp",
}
"""The only column of a definition that declares none."""

_TYPES = ("boolean", "date", "integer", "number", "string")
_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")


def columns_of(version: Obj) -> tuple[Obj, ...]:
    """Return the columns of a version."""
    return tuple(version.get("additionalPrinterColumns") or (AGE,))


def validate_column(column: Obj, path: str) -> Errors:
    """Return what is wrong with a column."""
    errors: Errors = []
    if not column.get("name"):
        errors.append(field.required(f"{path}.name"))
    kind, text = column.get("type") or "", f"must be one of {','.join(_TYPES)}"
    if not kind:
        errors.append(field.required(f"{path}.type", text))
    elif kind not in _TYPES:
        errors.append(field.invalid(f"{path}.type", kind, text))
    form = column.get("format") or ""
    if form and form not in _FORMATS:
        errors.append(field.invalid(f"{path}.format", form, f"must be one of {','.join(_FORMATS)}"))
    source = column.get("jsonPath") or ""
    if not source:
        errors.append(field.required(f"{path}.JSONPath"))
    elif not source.startswith("."):
        detail = "must be a simple json path starting with ."
        errors.append(field.invalid(f"{path}.JSONPath", source, detail))
    return errors


def headers(columns: Sequence[Obj]) -> list[Obj]:
    """Return the column definitions of a table, without the name column."""
    return [
        {
            "name": column["name"],
            "type": column["type"],
            "format": column.get("format") or "",
            "description": column.get("description")
            or f"Custom resource definition column (in JSONPath format): {column['jsonPath']}",
            "priority": column.get("priority") or 0,
        }
        for column in columns
    ]


def cells(obj: Obj, columns: Sequence[Obj], age: Callable[[str], str]) -> list[Any]:
    """Return the cells of a row, without the name.

    Args:
        obj: A custom resource.
        columns: The columns of its version.
        age: Formats how long ago a time was.
    """
    return [_cell(obj, column, age) for column in columns]


def _cell(obj: Obj, column: Obj, age: Callable[[str], str]) -> Any:
    try:
        found = jsonpath.parse(column["jsonPath"]).find(obj)
    except jsonpath.PathError:
        return None
    if not found:
        return None
    if column["type"] == "string":
        return jsonpath.as_text(found[0])
    return _typed(found[0], column["type"], age)


def _typed(value: Any, kind: str, age: Callable[[str], str]) -> Any:
    """Return a value if it has the column's type, and ``None`` otherwise."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "integer":
        return int(value) if is_number else None
    if kind == "number":
        return value if is_number else None
    if kind == "boolean":
        return value if isinstance(value, bool) else None
    if not isinstance(value, str):
        return None
    try:
        return age(value)
    except ValueError:
        return "<invalid>"
