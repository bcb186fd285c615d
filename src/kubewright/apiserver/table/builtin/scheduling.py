"""Rows of the group ``scheduling.k8s.io``."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column


def _priority_class(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    return [
        meta.get("name", ""),
        obj.get("value", 0),
        bool(obj.get("globalDefault")),
        age(meta.get("creationTimestamp")),
        obj.get("preemptionPolicy", ""),
    ]


PRIORITY_CLASSES = Printer(
    (
        NAME,
        column("Value", "The priority of pods of this class.", "integer"),
        column("Global-Default", "Whether pods without a class have this one.", "boolean"),
        AGE,
        column("PreemptionPolicy", "Whether other pods make room."),
    ),
    _priority_class,
)
