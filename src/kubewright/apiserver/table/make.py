"""Makes a table from a list of objects."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.kinds import printer_for
from kubewright.apiserver.table.printer import NAME, Printer


def table_for(  # noqa: PLR0913  # the options of a table request
    resource: Resource,
    objects: Iterable[Obj],
    *,
    now: datetime,
    include: str = "Metadata",
    version: str = "v1",
    single: bool = False,
    subresource: str = "",
) -> Obj:
    """Return a ``meta.k8s.io`` Table of *objects*.

    Args:
        resource: The resource in the version of the objects.
        objects: The objects, in that version.
        now: The time from which ages are counted.
        include: The part of each object to include in its row: Metadata, Object or None.
        version: The version of the Table.
        single: Whether this is the table of one object rather than of a list.
        subresource: The subresource that *objects* are; Scales have columns of their own.
    """
    scales = subresource == "scale"
    printer = _scales() if scales else _printer(resource)
    convert = None if scales or resource.custom else resource.to_hub
    rows = _Rows(printer, convert, include, version).of(objects, now=now, single=single)
    return {
        "kind": "Table",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": {},
        "columnDefinitions": list(printer.columns),
        "rows": rows,
    }


class _Rows:
    """Makes the rows of one table."""

    __slots__ = ("_api_version", "_convert", "_include", "_printer")

    def __init__(
        self, printer: Printer, convert: Callable[[Obj], Obj] | None, include: str, version: str
    ) -> None:
        self._printer = printer
        self._include = include
        self._api_version = f"meta.k8s.io/{version}"
        self._convert = convert

    def of(self, objects: Iterable[Obj], *, now: datetime, single: bool) -> list[Obj]:
        """Return a row for each object."""
        printer, convert, age = self._printer, self._convert, Ages(now)
        cells = printer.cells
        if printer.of_list is not None and not single:
            objects, cells = printer.of_list(list(objects))
        rows = []
        for obj in objects:
            hub = convert(obj) if convert else obj
            row: Obj = {"cells": cells(hub, age)}
            if printer.conditions is not None and (found := printer.conditions(hub)):
                row["conditions"] = found
            row["object"] = self._shown(obj)
            rows.append(row)
        return rows

    def _shown(self, obj: Obj) -> Any:
        if self._include == "None":
            return None
        if self._include == "Object":
            return obj
        return {
            "kind": "PartialObjectMetadata",
            "apiVersion": self._api_version,
            "metadata": obj["metadata"],
        }


def _printer(resource: Resource) -> Printer:
    return _custom(resource) if resource.custom else printer_for(resource.group, resource.plural)


def _scales() -> Printer:
    from kubewright.apiserver.table.builtin.autoscaling import SCALES

    return SCALES


def _custom(resource: Resource) -> Printer:
    from kubewright.apiserver.customresource import columns

    def cells(obj: Obj, age: Ages) -> list[Any]:
        return [obj["metadata"].get("name", ""), *columns.cells(obj, resource.columns, age)]

    return Printer((NAME, *columns.headers(resource.columns)), cells)
