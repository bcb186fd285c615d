"""Rows of Endpoints."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import NONE


def _endpoints(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    shown = _subsets(obj.get("subsets") or [])
    return [meta.get("name", ""), shown, age(meta.get("creationTimestamp"))]


def _subsets(subsets: list[Obj]) -> str:
    if not subsets:
        return NONE
    found: list[str] = []
    for subset in subsets:
        ips = [item.get("ip", "") for item in subset.get("addresses") or ()]
        if not subset.get("ports"):
            found += ips
        for port in subset.get("ports") or ():
            found += [_joined(ip, port.get("port", 0)) for ip in ips]
    return text.with_more(found) if found else ""


def _joined(ip: str, port: int) -> str:
    return f"[{ip}]:{port}" if ":" in ip else f"{ip}:{port}"


ENDPOINTS = Printer(
    (NAME, column("Endpoints", "Addresses and ports that are ready."), AGE), _endpoints
)
