"""The downward API: what a container may know about its own pod."""

import json
import math
import re
from collections.abc import Mapping

from msgspec import Struct

from kubewright.api.quantity import parse_quantity
from kubewright.kinds.core.v1 import Container, Pod, ResourceFieldSelector

__all__ = ["HostFacts", "field_value", "resource_value"]

_SUBSCRIPT = re.compile(r"metadata\.(labels|annotations)\['([^']+)'\]")


class HostFacts(Struct, frozen=True):
    """What the node knows of a pod, and its object may not say yet.

    Attributes:
        pod_ip: The address of the pod.
        host_ip: The address of its node.
        allocatable: The resources of its node, which are the limits of a container without any.
    """

    pod_ip: str
    host_ip: str
    allocatable: Mapping[str, str] = {}


def field_value(path: str, pod: Pod, facts: HostFacts) -> str:
    """Return the text of a field of *pod*, as a variable or a file has it.

    Raises:
        ValueError: The downward API does not support the field.
    """
    metadata = pod.metadata
    subscript = _SUBSCRIPT.fullmatch(path)
    if subscript is not None:
        found = metadata.labels if subscript[1] == "labels" else metadata.annotations
        return found.get(subscript[2], "")
    known = {
        "metadata.name": metadata.name,
        "metadata.namespace": metadata.namespace,
        "metadata.uid": metadata.uid,
        "metadata.labels": _lines(metadata.labels),
        "metadata.annotations": _lines(metadata.annotations),
        "spec.nodeName": pod.spec.node_name,
        "spec.serviceAccountName": pod.spec.service_account_name,
        "status.podIP": facts.pod_ip,
        "status.podIPs": facts.pod_ip,
        "status.hostIP": facts.host_ip,
        "status.hostIPs": facts.host_ip,
    }
    if path not in known:
        raise ValueError(f"unsupported fieldPath: {path}")
    return known[path] or ""


def _lines(values: Mapping[str, str]) -> str:
    return "\n".join(f"{name}={json.dumps(value)}" for name, value in sorted(values.items()))


def resource_value(
    wanted: ResourceFieldSelector, container: Container, pod: Pod, facts: HostFacts
) -> str:
    """Return what a container asks for or may use of a resource, in units of the divisor.

    Raises:
        ValueError: There is no such resource or container.
    """
    if wanted.container_name and wanted.container_name != container.name:
        everyone = [*pod.spec.containers, *pod.spec.init_containers]
        named = [one for one in everyone if one.name == wanted.container_name]
        if not named:
            raise ValueError(f"container {wanted.container_name} not found")
        container = named[0]
    which, _, resource = wanted.resource.partition(".")
    if which not in {"limits", "requests"} or not resource:
        raise ValueError(f"unsupported container resource: {wanted.resource}")
    resources = container.resources
    amounts = getattr(resources, which) if resources else {}
    default = facts.allocatable.get(resource, "0") if which == "limits" else "0"
    amount = parse_quantity(amounts.get(resource, default)).to_decimal()
    divisor = parse_quantity(wanted.divisor or "1").to_decimal() or 1
    return str(math.ceil(amount / divisor))
