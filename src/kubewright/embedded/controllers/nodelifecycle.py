"""`nodelifecycle_controller`: taints unhealthy nodes, and removes the taints again.

The server adds the not-ready taint to every new node, so that no pod is bound to it too early. This
controller removes it.
"""

from kubewright.api.kind import ObjectKey
from kubewright.client.events import EventRecorder
from kubewright.cluster import Cluster
from kubewright.controller import Controller, For, Request, Run, resource_version_changed
from kubewright.kinds.core.v1 import Node, Taint

__all__ = ["nodelifecycle_controller"]

_EFFECT = "NoSchedule"
_PREFIX = "node.kubernetes.io/"
UNSCHEDULABLE: str = f"{_PREFIX}unschedulable"
CONDITIONS: dict[tuple[str, str], str] = {
    ("Ready", "False"): f"{_PREFIX}not-ready",
    ("Ready", "Unknown"): f"{_PREFIX}unreachable",
    ("MemoryPressure", "True"): f"{_PREFIX}memory-pressure",
    ("DiskPressure", "True"): f"{_PREFIX}disk-pressure",
    ("PIDPressure", "True"): f"{_PREFIX}pid-pressure",
    ("NetworkUnavailable", "True"): f"{_PREFIX}network-unavailable",
}
"""The taint for each condition of a node."""


def nodelifecycle_controller(cluster: Cluster) -> Controller:
    """Return the controller that keeps the taints of nodes in step with their conditions.

    It does not watch heartbeats, and it evicts nothing.
    """
    nodes = cluster.cache.informer(Node, sharded=False).store
    census = _Census(cluster.recorder("node-controller"))

    async def reconcile(request: Request, run: Run) -> None:
        node = nodes.find(request.key)
        census.note(request.key, node)
        if node is None or not any(one.type == "Ready" for one in node.status.conditions):
            return
        taints = taints_for(node)
        if taints != node.spec.taints:
            node.spec.taints = taints
            run.changed = True
            await cluster.client.patch(node, optimistic=True)

    return Controller(
        "nodelifecycle",
        reconcile,
        cluster=cluster,
        for_=For(Node, predicate=resource_version_changed),  # conditions are in the status
    )


class _Census:
    """Writes one event for each node that appears or disappears."""

    def __init__(self, recorder: EventRecorder) -> None:
        self._recorder = recorder
        self._known: dict[ObjectKey, Node] = {}

    def note(self, key: ObjectKey, node: Node | None) -> None:
        """Compare *node* with the one that was known at *key*, and write events."""
        before = self._known.pop(key, None)
        if before is not None and (node is None or node.metadata.uid != before.metadata.uid):
            self._tell(before, "RemovingNode", f"Removing Node {key.name} from Controller")
            before = None
        if node is None:
            return
        self._known[key] = node
        if before is None:
            self._tell(node, "RegisteredNode", f"Registered Node {key.name} in Controller")

    def _tell(self, node: Node, reason: str, what: str) -> None:
        message = f"Node {node.metadata.name} event: {what}"
        self._recorder.event(node, reason=reason, message=message)


def taints_for(node: Node) -> list[Taint]:
    """Return the taints that *node* should have: those of others, and those of its conditions."""
    wanted = [
        key
        for one in node.status.conditions
        if (key := CONDITIONS.get((one.type, one.status))) is not None
    ]
    if node.spec.unschedulable:
        wanted.append(UNSCHEDULABLE)
    ours = {*CONDITIONS.values(), UNSCHEDULABLE}
    kept = [
        one
        for one in node.spec.taints
        if one.effect != _EFFECT or one.key not in ours or one.key in wanted
    ]
    known = {one.key for one in kept if one.effect == _EFFECT}
    return kept + [Taint(key=key, effect=_EFFECT) for key in wanted if key not in known]
