"""The variables of a run, as operator-sdk makes them of an object."""

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["extra_variables", "in_snake_case", "name_in_snake_case", "unsafe"]

# Acronyms stand for themselves, also in the plural: egressIPs is egress_ips.
_ACRONYM = re.compile(r"(HTTP|URL|IP)(s(?![a-z]))?")
_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATOR = re.compile(r"[ -]")


def extra_variables(
    obj: Mapping[str, Any], *, snake_case: bool, mark_unsafe: bool, variables: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the variables for a run for *obj*: its spec, itself, and *variables* over these."""
    metadata = obj["metadata"]
    group, _, _ = str(obj["apiVersion"]).rpartition("/")
    name = re.sub(r"[.-]", "_", f"_{group}_{obj['kind']}").lower()
    found = obj.get("spec")
    spec = dict(found) if isinstance(found, Mapping) else {}
    marked = unsafe(spec) if mark_unsafe else spec
    return {
        **(in_snake_case(marked) if snake_case else marked),
        "ansible_operator_meta": {
            "namespace": metadata.get("namespace", ""),
            "name": metadata["name"],
        },
        name: unsafe(dict(obj)) if mark_unsafe else dict(obj),
        f"{name}_spec": marked,
        **variables,
    }


def in_snake_case(value: Any) -> Any:
    """Return *value* with the names of all its members in snake case."""
    if isinstance(value, Mapping):
        return {name_in_snake_case(name): in_snake_case(one) for name, one in value.items()}
    if isinstance(value, list):
        return [in_snake_case(one) for one in value]
    return value


def name_in_snake_case(name: str) -> str:
    """Return *name* in snake case; a capital in the beginning is told by an underscore.

    Example:
        >>> [name_in_snake_case(one) for one in ("newVar", "JSONData", "egressIPs", "Kind")]
        ['new_var', '_json_data', 'egress_ips', '_kind']
    """
    parted = _ACRONYM.sub(_apart, name).strip("_ ")
    words = _SEPARATOR.sub("_", _BOUNDARY.sub("_", parted))
    begins_with_acronym = _ACRONYM.match(name) is not None
    prefix = "_" if name[:1].isupper() and not begins_with_acronym else ""
    return prefix + re.sub(r"_+", "_", words).lower()


def _apart(match: re.Match[str]) -> str:
    return f"_{match[1]}{'S' if match[2] else ''}_"


def unsafe(value: Any) -> Any:
    """Return *value* with each text marked, so that Ansible never takes it for a template."""
    if isinstance(value, str):
        return {"__ansible_unsafe": value}
    if isinstance(value, Mapping):
        return {name: unsafe(one) for name, one in value.items()}
    if isinstance(value, list):
        return [unsafe(one) for one in value]
    return value
