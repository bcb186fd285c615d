"""Rows of the group ``apiregistration.k8s.io``."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import part


def _api_service(obj: Obj, age: Ages) -> list[Any]:
    meta, service = obj["metadata"], part(obj, "spec").get("service")
    found = text.condition(part(obj, "status").get("conditions"), "Available")
    shown = "Unknown" if found is None else found.get("status", "")
    if found is not None and shown != "True" and found.get("reason"):
        shown = f"{shown} ({found['reason']})"
    place = f"{service.get('namespace', '')}/{service.get('name', '')}" if service else "Local"
    return [meta.get("name", ""), place, shown, age(meta.get("creationTimestamp"))]


API_SERVICES = Printer(
    (
        NAME,
        column("Service", "The reference to the service that hosts this API endpoint."),
        column("Available", "Whether this service is available."),
        AGE,
    ),
    _api_service,
)
