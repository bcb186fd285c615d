"""Rows of the group ``storagemigration.k8s.io``."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import NAME, Printer, column
from kubewright.apiserver.table.text import part


def _migration(obj: Obj, age: Ages) -> list[Any]:
    resource = part(part(obj, "spec"), "resource")
    group = f".{resource['group']}" if resource.get("group") else ""
    state = "Unknown"
    for kind in ("Running", "Failed", "Succeeded"):
        if text.is_true(part(obj, "status").get("conditions"), kind):
            state = kind
    return [obj["metadata"].get("name", ""), f"{resource.get('resource', '')}{group}", state]


MIGRATIONS = Printer(
    (
        {**NAME, "format": ""},
        column("Resource", "GroupResource to migrate"),
        column("Status", "Status of the migration"),
    ),
    _migration,
)
