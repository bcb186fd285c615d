"""Nodes and pods to try things with."""

from typing import Any

import kubewright as kw
from kubewright.kinds.core.v1 import (
    Container,
    Node,
    NodeSpec,
    NodeStatus,
    Pod,
    PodSpec,
    ResourceRequirements,
    Taint,
)
from tests.unit.embedded.controllers.stage import Stage

ROOM = {"cpu": "4", "memory": "8Gi", "pods": "110"}


def node(name: str = "n1", *, taints: list[Taint] | None = None, **labels: str) -> Node:
    named = {"kubernetes.io/hostname": name, **labels}
    return Node(metadata=kw.ObjectMeta(name=name, labels=named), spec=NodeSpec(taints=taints or []))


async def add_node(stage: Stage, one: Node, **room: Any) -> Node:
    """Create a node with so much room, which is ready at once."""
    taints = one.spec.taints
    made = await stage.client.create(one)
    made.spec.taints = taints  # the server has added that it is not ready
    made = await stage.client.update(made)
    made.status = NodeStatus(allocatable={**ROOM, **room}, capacity={**ROOM, **room})
    made = await stage.client.status.update(made)
    await stage.clock.settle()
    return made


def pod(name: str, *, labels: dict[str, str] | None = None, **spec: Any) -> Pod:
    """Return a pod; ``cpu`` and ``memory`` are what it asks for."""
    wanted: dict[str, Any] = {key: spec.pop(key) for key in ("cpu", "memory") if key in spec}
    container = Container(
        name="main", image="busybox", resources=ResourceRequirements(requests=wanted)
    )
    return Pod(
        metadata=kw.ObjectMeta(name=name, labels=labels or {}),
        spec=PodSpec(**{"containers": [container], **spec}),
    )


async def places(stage: Stage) -> dict[str, str | None]:
    """Return the node of each pod."""
    await stage.clock.advance(1)
    return {one.metadata.name: one.spec.node_name for one in await stage.pods()}
