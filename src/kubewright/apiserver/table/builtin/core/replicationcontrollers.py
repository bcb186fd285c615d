"""Rows of ReplicationControllers."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.builtin.apps import REPLICA_COLUMNS, replica_cells
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import (
    Printer,
)
from kubewright.apiserver.table.text import part


def _replication_controller(obj: Obj, age: Ages) -> list[Any]:
    return [*replica_cells(obj, age), text.labels(part(obj, "spec").get("selector"))]


REPLICATION_CONTROLLERS = Printer(REPLICA_COLUMNS, _replication_controller)
