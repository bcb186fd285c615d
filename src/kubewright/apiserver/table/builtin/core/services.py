"""Rows of Services."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import NONE, UNKNOWN, load_balancer_points, part


def _service(obj: Obj, age: Ages) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    ips = spec.get("clusterIPs")
    return [
        meta.get("name", ""),
        spec.get("type", ""),
        ips[0] if ips else NONE,
        _external(spec, part(obj, "status")),
        ",".join(map(_port, spec.get("ports") or ())) or NONE,
        age(meta.get("creationTimestamp")),
        text.labels(spec.get("selector")),
    ]


def _port(port: Obj) -> str:
    node = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port.get('port', 0)}{node}/{port.get('protocol', '')}"


def _external(spec: Obj, status: Obj) -> str:
    kind, ips = spec.get("type"), spec.get("externalIPs") or []
    if kind in ("ClusterIP", "NodePort"):
        return ",".join(ips) or NONE
    if kind == "LoadBalancer":
        return ",".join([*load_balancer_points(status), *ips]) or "<pending>"
    return spec.get("externalName", "") if kind == "ExternalName" else UNKNOWN


SERVICES = Printer(
    (
        NAME,
        column("Type", "How the service is exposed."),
        column("Cluster-IP", "The address inside of the cluster."),
        column("External-IP", "The addresses from outside of the cluster."),
        column("Port(s)", "The ports."),
        AGE,
        column("Selector", "Which pods get the traffic.", wide=True),
    ),
    _service,
)
