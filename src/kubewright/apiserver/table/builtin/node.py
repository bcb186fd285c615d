"""Rows of the group ``node.k8s.io``."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column


def _runtime_class(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    return [meta.get("name", ""), obj.get("handler", ""), age(meta.get("creationTimestamp"))]


RUNTIME_CLASSES = Printer((NAME, column("Handler", ""), AGE), _runtime_class)
