"""Rows of the group ``networking.k8s.io``."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import NONE, load_balancer_points, part

_MOST = 3


def _ingress(obj: Obj, age: Ages) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    return [
        meta.get("name", ""),
        spec.get("ingressClassName", NONE),
        _hosts(spec.get("rules") or []),
        ",".join(load_balancer_points(part(obj, "status"))),
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
    # Three cells for two columns, as in Kubernetes.
    return [meta.get("name", ""), shown, age(meta.get("creationTimestamp"))]


IP_ADDRESSES = Printer((NAME, column("ParentRef", "Who has the address.")), _ip_address)
