"""DaemonSets and nodes for tests of pure functions."""

from typing import Any

import msgspec

from kubewright.kinds.apps.v1 import DaemonSet
from kubewright.kinds.core.v1 import Node
from tests.unit.embedded.controllers.world import workload


def daemon_set(*, pod: dict[str, Any] | None = None, **spec: Any) -> DaemonSet:
    """Return a set that exists, whose pods have *pod* in their spec."""
    document = workload(**spec)
    document["spec"]["template"]["spec"] |= pod or {}
    made = msgspec.convert(document, DaemonSet)
    made.api_version, made.kind = "apps/v1", "DaemonSet"
    made.metadata.uid = "uid-web"
    made.metadata.annotations = {"deprecated.daemonset.template.generation": "2"}
    return made


def node(name: str = "n1", *taints: dict[str, str], **labels: str) -> Node:
    """Return a node."""
    document = {"metadata": {"name": name, "labels": labels}, "spec": {"taints": list(taints)}}
    return msgspec.convert(document, Node)
