"""Rows of the group ``coordination.k8s.io``."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import part


def _lease(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    holder = part(obj, "spec").get("holderIdentity", "")
    return [meta.get("name", ""), holder, age(meta.get("creationTimestamp"))]


LEASES = Printer((NAME, column("Holder", "Who holds the lease."), AGE), _lease)
