"""The target of a request to ``proxy``: which port of which object, and which path there."""

import re
from typing import Any

from msgspec import Struct

from kubewright._serve.messages import Request
from kubewright.apiserver.meta import status
from kubewright.embedded.kubelet.options import LARGEST_PORT
from kubewright.embedded.proxy.table import tcp_ports

Obj = dict[str, Any]

_USUAL = 80
_DEPTH = {"pods": 6, "services": 6, "nodes": 4}  # parts of the path before the word "proxy"
_SINGULAR = {"pods": "pod", "services": "service", "nodes": "node"}


class Location(Struct, frozen=True):
    """The target of a request to ``proxy``.

    Attributes:
        full: The name as the client wrote it, such as ``http:web:8080``.
        scheme: ``http``, ``https``, or empty.
        name: The name of the object.
        port: A number or a name; empty if the client left it out.
        target: The path and query there, still encoded.
    """

    full: str
    scheme: str
    name: str
    port: str
    target: str


def located(full: str, request: Request, kind: str) -> Location:
    """Return the target of *request*; *full* is the name in it, *kind* the plural of its kind.

    Raises:
        StatusError: The name is invalid.
    """
    scheme, name, port = _split(full, kind)
    match = re.match(rf"/*(?:[^/]+/+){{{_DEPTH[kind]}}}proxy(/.*)?$", request.path)
    target = (match and match.group(1)) or "/"
    query = f"?{request.query}" if request.query else ""
    return Location(full, scheme, name, port, f"{target}{query}")


def _split(full: str, kind: str) -> tuple[str, str, str]:
    parts = full.split(":")
    if len(parts) == 1:
        return "", full, ""
    if len(parts) == 2:  # noqa: PLR2004  # name:port
        found = "", parts[0], parts[1]
    elif len(parts) == 3 and parts[0] in {"", "http", "https"}:  # noqa: PLR2004  # scheme, too
        found = parts[0], parts[1], parts[2]
    else:
        found = "", "", ""
    if not found[1]:
        raise status.bad_request(f'invalid {_SINGULAR[kind]} request "{full}"')
    return found


def pod_port(pod: Obj, location: Location) -> int:
    """Return the port of *pod* that is meant: the one that was named, or its first.

    Raises:
        StatusError: The port is invalid.
    """
    text = location.port
    if not text:
        declared = (
            port["containerPort"]
            for container in pod.get("spec", {}).get("containers") or ()
            for port in container.get("ports") or ()
        )
        return next(declared, _USUAL)
    if not text.isascii() or not text.isdecimal() or not 0 < int(text) <= LARGEST_PORT:
        raise status.bad_request(f'invalid pod request "{location.full}"')
    return int(text)


def service_port(service: Obj, location: Location) -> str:
    """Return the name of the port of *service* that is meant.

    Raises:
        StatusError: It has no such port.
    """
    declared = tcp_ports(service)
    if not location.port and len(declared) == 1:
        return declared[0].name
    for port in declared:
        if location.port in {port.name, str(port.port)}:
            return port.name
    raise status.service_unavailable(
        f'no service port "{location.port}" found for service "{location.name}"'
    )
