"""Rows of ComponentStatuses."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import NAME, Printer, column


def _component(obj: Obj, age: Ages) -> list[Any]:
    found = text.condition(obj.get("conditions"), "Healthy")
    name = obj["metadata"].get("name", "")
    if found is None:
        return [name, "Unknown", "", ""]
    state = "Healthy" if found.get("status") == "True" else "Unhealthy"
    return [name, state, found.get("message", ""), found.get("error", "")]


COMPONENTS = Printer(
    (
        NAME,
        column("Status", "Status of the component conditions"),
        column("Message", "Message of the component conditions"),
        column("Error", "Error of the component conditions"),
    ),
    _component,
)
