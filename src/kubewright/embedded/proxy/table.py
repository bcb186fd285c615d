"""The endpoints of the port of a service; pure, from objects as trees."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

Obj = dict[str, Any]

SERVICE_NAME: str = "kubernetes.io/service-name"
"""The label of an EndpointSlice that names its service."""


class Endpoint(NamedTuple):
    """Where a connection can go.

    Attributes:
        address: An IP address.
        port: The port there.
        namespace: The namespace of the pod; empty if the address is not a pod's.
        pod: The name of the pod.
    """

    address: str
    port: int
    namespace: str = ""
    pod: str = ""


class ServicePort(NamedTuple):
    """A port of a service.

    Attributes:
        name: Its name, which its endpoints have as well; empty if it is the only one.
        port: The number at the address of the service.
        node_port: The number on every node; 0 for none.
    """

    name: str
    port: int
    node_port: int = 0


def tcp_ports(service: Obj) -> list[ServicePort]:
    """Return the ports of *service* that speak TCP."""
    return [
        ServicePort(one.get("name") or "", one["port"], one.get("nodePort") or 0)
        for one in service.get("spec", {}).get("ports") or ()
        if (one.get("protocol") or "TCP") == "TCP"
    ]


def endpoints_of(slices: Iterable[Obj], port: str) -> list[Endpoint]:
    """Return the endpoints of the port called *port*, in a fixed order, each once.

    Only ready ones count. If there are none, those count that are terminating but still serving,
    as with kube-proxy.
    """
    found: dict[Endpoint, bool] = {}
    for slice_ in slices:
        for endpoint, ready in _of_slice(slice_, port):
            found[endpoint] = ready or found.get(endpoint, False)
    chosen = sorted(endpoint for endpoint, is_ready in found.items() if is_ready)
    return chosen or sorted(found)


def _of_slice(slice_: Obj, port: str) -> Iterator[tuple[Endpoint, bool]]:
    number = next(
        (
            one.get("port")
            for one in slice_.get("ports") or ()
            if (one.get("name") or "") == port and (one.get("protocol") or "TCP") == "TCP"
        ),
        None,
    )
    if not number or slice_.get("addressType") == "FQDN":
        return
    for one in slice_.get("endpoints") or ():
        conditions = one.get("conditions") or {}
        ready = conditions.get("ready", True) is not False
        leaving = bool(conditions.get("serving")) and bool(conditions.get("terminating"))
        if not ready and not leaving:
            continue
        namespace, pod = _pod(one, slice_)
        for address in one.get("addresses", ())[:1]:  # kube-proxy looks at the first one only
            yield Endpoint(address, number, namespace, pod), ready


def _pod(endpoint: Obj, slice_: Obj) -> tuple[str, str]:
    target = endpoint.get("targetRef") or {}
    if target.get("kind") != "Pod" or not target.get("name"):
        return "", ""
    own = slice_.get("metadata", {}).get("namespace", "")
    return target.get("namespace") or own, target["name"]
