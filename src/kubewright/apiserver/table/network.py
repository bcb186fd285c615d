"""Rows of services and of what routes traffic."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import NONE, UNKNOWN, part

_MOST = 3


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
        return ",".join([*_points(status), *ips]) or "<pending>"
    return spec.get("externalName", "") if kind == "ExternalName" else UNKNOWN


def _points(status: Obj) -> list[str]:
    found = part(status, "loadBalancer").get("ingress") or ()
    return sorted({item.get("ip") or item.get("hostname") or "" for item in found} - {""})


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


def _ingress(obj: Obj, age: Ages) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    return [
        meta.get("name", ""),
        spec.get("ingressClassName", NONE),
        _hosts(spec.get("rules") or []),
        ",".join(_points(part(obj, "status"))),
        "80, 443" if spec.get("tls") else "80",
        age(meta.get("creationTimestamp")),
    ]


def _hosts(rules: list[Obj]) -> str:
    shown: list[str] = []
    for rule in rules:
        if len(shown) == _MOST:
            return f"{','.join(shown)} + {len(rules) - _MOST} more..."
        if rule.get("host"):
            shown.append(rule["host"])
    return ",".join(shown) or "*"


INGRESSES = Printer(
    (
        NAME,
        column(
            "Class",
            "The name of the IngressClass resource that should be used for additional"
            " configuration",
        ),
        column("Hosts", "Hosts that incoming requests are matched against before the ingress rule"),
        column("Address", "Address is a list containing ingress points for the load-balancer"),
        column("Ports", "Ports of TLS configurations that open"),
        AGE,
    ),
    _ingress,
)


def _ingress_class(obj: Obj, age: Ages) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    notes = meta.get("annotations") or {}
    default = notes.get("ingressclass.kubernetes.io/is-default-class") == "true"
    return [
        f"{meta.get('name', '')}{' (default)' if default else ''}",
        spec.get("controller", ""),
        _parameters(spec.get("parameters")),
        age(meta.get("creationTimestamp")),
    ]


def _parameters(reference: Obj | None) -> str:
    if reference is None:
        return NONE
    group = f".{reference['apiGroup']}" if reference.get("apiGroup") is not None else ""
    return f"{reference.get('kind', '')}{group}/{reference.get('name', '')}"


INGRESS_CLASSES = Printer(
    (
        NAME,
        column("Controller", "Controller that is responsible for handling this class"),
        column("Parameters", "A reference to a resource with additional parameters"),
        AGE,
    ),
    _ingress_class,
)


def _network_policy(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    shown = text.selector(part(obj, "spec").get("podSelector") or {})
    return [meta.get("name", ""), shown, age(meta.get("creationTimestamp"))]


NETWORK_POLICIES = Printer(
    (NAME, column("Pod-Selector", "Which pods the policy is for."), AGE), _network_policy
)


def _service_cidr(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    shown = ",".join(part(obj, "spec").get("cidrs") or ())
    return [meta.get("name", ""), shown, age(meta.get("creationTimestamp"))]


SERVICE_CIDRS = Printer((NAME, column("CIDRs", "The networks."), AGE), _service_cidr)


def _ip_address(obj: Obj, age: Ages) -> list[Any]:
    meta, parent, shown = obj["metadata"], part(obj, "spec").get("parentRef"), NONE
    if parent is not None:
        group = f".{parent['group']}" if parent.get("group") else ""
        resource = f"{parent.get('resource', '')}{group}".lower()
        namespace = f"/{parent['namespace']}" if parent.get("namespace") else ""
        shown = f"{resource}{namespace}/{parent.get('name', '')}"
    # There are three cells for two columns, in Kubernetes, too.
    return [meta.get("name", ""), shown, age(meta.get("creationTimestamp"))]


IP_ADDRESSES = Printer((NAME, column("ParentRef", "Who has the address.")), _ip_address)
