"""Rows of the group ``policy``."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import (
    AGE,
    NAME,
    Printer,
    column,
)
from kubewright.apiserver.table.text import main_parts


def _disruption_budget(obj: Obj, age: Ages) -> list[Any]:
    meta, spec, status = main_parts(obj)
    return [
        meta.get("name", ""),
        str(spec.get("minAvailable", "N/A")),
        str(spec.get("maxUnavailable", "N/A")),
        status.get("disruptionsAllowed", 0),
        age(meta.get("creationTimestamp")),
    ]


DISRUPTION_BUDGETS = Printer(
    (
        NAME,
        column("Min Available", "The minimum number of pods that must be available."),
        column("Max Unavailable", "The maximum number of pods that may be unavailable."),
        column(
            "Allowed Disruptions",
            "Calculated number of pods that may be disrupted at this time.",
            "integer",
        ),
        AGE,
    ),
    _disruption_budget,
)
