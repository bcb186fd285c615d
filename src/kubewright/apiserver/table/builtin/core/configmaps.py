"""Rows of ConfigMaps."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column


def _config_map(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    count = len(obj.get("data") or ()) + len(obj.get("binaryData") or ())
    return [meta.get("name", ""), count, age(meta.get("creationTimestamp"))]


CONFIG_MAPS = Printer((NAME, column("Data", "How many entries there are."), AGE), _config_map)
