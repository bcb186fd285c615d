"""Who owns the fields of an object: what helm has set, and what we have."""

from collections.abc import Iterable
from typing import Any

__all__ = ["is_applied_by", "is_managed_by", "loosened", "taken_over"]

_HELM = "helm"
_UNKNOWN = "before-first-apply"
"""Whom the server names for the fields of an object that nobody has applied before."""


def taken_over(live: dict[str, Any], field_owner: str) -> list[dict[str, Any]] | None:
    """Return the managedFields of *live* with what is helm's as *field_owner*'s.

    Returns:
        ``None`` if nothing is helm's.
    """
    entries = _entries(live)
    helms = [one for one in entries if one.get("manager") == _HELM and not one.get("subresource")]
    if not helms:
        return None
    ours = [
        one
        for one in entries
        if one.get("manager") == field_owner and one.get("operation") == "Apply"
    ]
    entry = {
        **helms[0],
        "manager": field_owner,
        "operation": "Apply",
        "fieldsV1": _union((*ours, *helms)),
    }
    return [entry, *(one for one in entries if one not in helms and one not in ours)]


def is_managed_by(live: dict[str, Any], manager: str) -> bool:
    """Say whether *manager* has set fields of *live*, and not only of its status."""
    return any(
        one.get("manager") == manager and not one.get("subresource") for one in _entries(live)
    )


def is_applied_by(live: dict[str, Any], manager: str) -> bool:
    """Say whether *manager* has applied *live*, so that an apply takes away what it leaves out."""
    return any(
        one.get("manager") == manager and one.get("operation") == "Apply" for one in _entries(live)
    )


def loosened(live: dict[str, Any], manager: str) -> list[dict[str, Any]] | None:
    """Return the managedFields of *live* without what *manager* has patched before it applied.

    Otherwise a field that a later apply leaves out would stay.

    Returns:
        ``None`` if there is no such entry.
    """
    entries = _entries(live)
    kept = [
        one
        for one in entries
        if one.get("subresource")
        or one.get("operation") == "Apply"
        or one.get("manager") not in {manager, _UNKNOWN}
    ]
    return None if kept == entries else kept


def _entries(live: dict[str, Any]) -> list[dict[str, Any]]:
    return (live.get("metadata") or {}).get("managedFields") or []


def _union(entries: Iterable[dict[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for one in entries:
        fields = _merged(fields, one.get("fieldsV1") or {})
    return fields


def _merged(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    found = dict(left)
    for name, value in right.items():
        found[name] = _merged(found.get(name) or {}, value)
    return found
