"""How the fields of a spec are called as variables of Ansible, and the other way."""

import re
from collections.abc import Iterator
from typing import Any

from kubewright.crd.values.inference import OPEN

__all__ = ["field_name", "fields_of", "is_field", "schema_of_fields", "text_with_fields"]

_WORDS = re.compile(r"[a-z]([a-z0-9]*[a-z])?(_[a-z][a-z0-9]*[a-z])*_[a-z][a-z0-9]*")
"""Words that are told apart when each begins with a capital letter instead."""
_KEY = re.compile(r"^(\s*(?:- +)*)([a-z][a-z0-9_]*)(?=:(?:\s|$))", re.MULTILINE)


def field_name(variable: str) -> str:
    """Return the field of a spec that becomes *variable*.

    Fields are written as Kubernetes writes them, but for one that the operator would not turn back
    into *variable*: that stays as it is, since operators take both.

    Example:
        >>> field_name("container_port")
        'containerPort'
    """
    if not _WORDS.fullmatch(variable):
        return variable
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), variable)


def is_field(variable: str) -> bool:
    """Tell whether users may set *variable*: those that begin with ``_`` are the role's own."""
    return not variable.startswith("_")


def fields_of(values: Any) -> Any:
    """Return *values* of variables as those of fields, without what is not known before a run."""
    if isinstance(values, dict):
        return {name: fields_of(value) for name, value in _said(values)}
    return [fields_of(one) for one in values] if isinstance(values, list) else values


def _said(values: dict[Any, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if is_field(str(name)) and not _is_expression(value):
            yield field_name(str(name)), value


def schema_of_fields(schema: dict[str, Any], values: Any) -> dict[str, Any]:
    """Return the *schema* of the variables *values* as that of the fields.

    A variable that is computed from others may be anything.
    """
    if _is_expression(values):
        described = {key: text for key, text in schema.items() if key == "description"}
        return {**OPEN, **described}
    if not isinstance(values, dict) or "properties" not in schema:
        return schema
    properties = {
        field_name(name): schema_of_fields(one, values.get(name))
        for name, one in schema["properties"].items()
        if is_field(name)
    }
    return {**schema, "properties": properties}


def text_with_fields(text: str) -> str:
    """Return the file *text* with the names of fields, probably; its comments stay."""
    return _KEY.sub(lambda found: found[1] + field_name(found[2]), text)


def _is_expression(value: Any) -> bool:
    return isinstance(value, str) and ("{{" in value or "{%" in value)
