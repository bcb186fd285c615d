"""Rows of ResourceQuotas."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import part


def _quota(obj: Obj, age: Ages) -> list[Any]:
    meta, status = obj["metadata"], part(obj, "status")
    hard, used = part(status, "hard"), part(status, "used")
    requests: list[str] = []
    limits: list[str] = []
    for name in sorted(hard):
        shown = f"{name}: {used.get(name, '0')}/{hard[name]}"
        (limits if name.startswith("limits.") else requests).append(shown)
    created = age(meta.get("creationTimestamp"))
    return [meta.get("name", ""), ", ".join(requests), ", ".join(limits), created]


RESOURCE_QUOTAS = Printer(
    (
        NAME,
        column(
            "Request",
            "Request represents a minimum amount of cpu/memory that a container may consume.",
        ),
        column(
            "Limit",
            "Limits control the maximum amount of cpu/memory that a container may use independent"
            " of contention on the node.",
        ),
        AGE,
    ),
    _quota,
)
