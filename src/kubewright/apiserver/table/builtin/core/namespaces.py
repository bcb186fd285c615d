"""Rows of Namespaces."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import part


def _namespace(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    phase = part(obj, "status").get("phase", "")
    return [meta.get("name", ""), phase, age(meta.get("creationTimestamp"))]


NAMESPACES = Printer((NAME, column("Status", "The status of the namespace"), AGE), _namespace)
