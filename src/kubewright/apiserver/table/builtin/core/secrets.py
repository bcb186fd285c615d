"""Rows of Secrets."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column


def _secret(obj: Obj, age: Ages) -> list[Any]:
    meta, count = obj["metadata"], len(obj.get("data") or ())
    return [meta.get("name", ""), obj.get("type", ""), count, age(meta.get("creationTimestamp"))]


SECRETS = Printer(
    (
        NAME,
        column("Type", "What the secret is for."),
        column("Data", "How many entries there are."),
        AGE,
    ),
    _secret,
)
