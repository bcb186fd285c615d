"""Rows of the group ``discovery.k8s.io``."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column


def _endpoint_slice(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    ports = [
        str(port["port"]) if port.get("port") is not None else port.get("name", "*")
        for port in obj.get("ports") or ()
    ]
    found = [ip for item in obj.get("endpoints") or () for ip in item.get("addresses") or ()]
    return [
        meta.get("name", ""),
        obj.get("addressType", ""),
        text.with_more(ports),
        text.with_more(found),
        age(meta.get("creationTimestamp")),
    ]


ENDPOINT_SLICES = Printer(
    (
        NAME,
        column("AddressType", "What sort of addresses these are."),
        column("Ports", "The ports of each endpoint."),
        column("Endpoints", "The addresses."),
        AGE,
    ),
    _endpoint_slice,
)
