"""Rows of kinds without columns of their own."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, CREATED_AT, NAME, Printer


def _plain(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    return [meta.get("name", ""), age(meta.get("creationTimestamp"))]


NAME_AND_AGE = Printer((NAME, AGE), _plain)


def _created(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    return [meta.get("name", ""), meta.get("creationTimestamp")]


NAME_AND_TIME = Printer((NAME, CREATED_AT), _created)
