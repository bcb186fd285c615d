"""Tables of single objects, for tests."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.table import table_for

Obj = dict[str, Any]

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
BEFORE = "2026-01-01T11:55:00Z"


@dataclass
class Kind:
    """As much of a resource as a table needs."""

    group: str
    plural: str
    custom: bool = False
    columns: tuple[Obj, ...] = ()
    to_hub: Any = None


def table(kind: Kind, *objects: Obj, **options: Any) -> Obj:
    return table_for(cast("Resource", kind), objects, now=NOW, **options)


def named(content: Obj | None = None, **meta: Any) -> Obj:
    return {"metadata": {"name": "x", "creationTimestamp": BEFORE, **meta}, **(content or {})}


def row(group: str, plural: str, content: Obj | None = None, **meta: Any) -> dict[str, Any]:
    """Return the cells of an object by the names of their columns."""
    made = table(Kind(group, plural), named(content, **meta))
    names = [column["name"] for column in made["columnDefinitions"]]
    return dict(zip(names, made["rows"][0]["cells"], strict=False))
