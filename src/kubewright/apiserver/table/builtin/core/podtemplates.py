"""Rows of PodTemplates."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import (
    NAME,
    Printer,
    column,
)
from kubewright.apiserver.table.text import part


def _pod_template(obj: Obj, age: Ages) -> list[Any]:
    template = part(obj, "template")
    return [
        obj["metadata"].get("name", ""),
        *text.containers(part(template, "spec")),
        text.labels(part(template, "metadata").get("labels")),
    ]


POD_TEMPLATES = Printer(
    (
        NAME,
        column("Containers", "Names of each container in the template."),
        column("Images", "Images referenced by each container in the template."),
        column("Pod Labels", "The labels for the pod template."),
    ),
    _pod_template,
)
