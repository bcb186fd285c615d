"""`ClusterView`: the nodes and their pods, as the scheduler sees them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import msgspec

from kubewright.api.kind import ObjectKey
from kubewright.api.owners import controller_of
from kubewright.cache.entry import Entry, Event
from kubewright.cluster import Cluster
from kubewright.embedded.scheduler.demand import Amounts, Demand, amounts, demand_of
from kubewright.kinds.core.v1 import Namespace, Node, Pod, PodAffinityTerm, Taint

__all__ = ["ClusterView", "NodeView", "Placed"]


class Placed(msgspec.Struct, frozen=True):
    """A pod on a node, with the fields that matter to others.

    Attributes:
        node: Where it is.
        namespace: Its namespace.
        labels: Its labels.
        owner: The uid of its controller.
        demand: What it uses.
        keeps_away: The rules by which it keeps other pods away.
    """

    node: str
    namespace: str
    labels: dict[str, str]
    owner: str
    demand: Demand
    keeps_away: tuple[PodAffinityTerm, ...] = ()

    @classmethod
    def of(cls, pod: Pod, node: str) -> "Placed":
        """Return *pod* as it is on *node*."""
        rules = pod.spec.affinity.pod_anti_affinity if pod.spec.affinity else None
        away = rules.required_during_scheduling_ignored_during_execution if rules else ()
        owner = controller_of(pod)
        return cls(
            node=node,
            namespace=pod.metadata.namespace,
            labels=pod.metadata.labels,
            owner=owner.uid if owner else "",
            demand=demand_of(pod),
            keeps_away=tuple(away),
        )


class NodeView:
    """One node, and what its pods use."""

    def __init__(self, name: str) -> None:
        self.name: str = name
        self.labels: dict[str, str] = {}
        self.taints: list[Taint] = []
        self.unschedulable: bool = False
        self.known: bool = False
        """Whether we know the node itself, and not only pods on it."""
        self.allocatable: Amounts = {}
        self.used: Amounts = {}
        self.pods: dict[str, Placed] = {}
        self.owners: Counter[str] = Counter()
        """How many of the pods each owner has here."""

    def describe(self, node: Node) -> bool:
        """Update it from *node*; return whether that can matter to a waiting pod."""
        before = self._state()
        self.known = True
        self.labels = node.metadata.labels
        self.taints = node.spec.taints
        self.unschedulable = bool(node.spec.unschedulable)
        self.allocatable = amounts(node.status.allocatable or node.status.capacity)
        return before != self._state()

    def _state(self) -> tuple[object, ...]:
        return self.known, self.labels, self.taints, self.unschedulable, self.allocatable

    def add(self, uid: str, pod: Placed) -> None:
        """Note that a pod is here."""
        self.pods[uid] = pod
        self.owners[pod.owner] += 1
        for name, amount in pod.demand.resources.items():
            self.used[name] = self.used.get(name, 0) + amount

    def remove(self, uid: str) -> None:
        """Note that a pod is no longer here."""
        pod = self.pods.pop(uid)
        self.owners[pod.owner] -= 1
        if not self.owners[pod.owner]:
            del self.owners[pod.owner]
        for name, amount in pod.demand.resources.items():
            self.used[name] -= amount


class _Spec(msgspec.Struct, rename="camel", gc=False):
    node_name: str = ""


class _Status(msgspec.Struct, gc=False):
    phase: str = ""


class _Document(msgspec.Struct, gc=False):
    spec: _Spec = msgspec.field(default_factory=_Spec)
    status: _Status = msgspec.field(default_factory=_Status)


_decode = msgspec.json.Decoder(_Document).decode


class ClusterView:
    """Follows nodes and pods; a decision counts at once, before the watch shows it.

    Args:
        cluster: Where they are.
        on_change: Called when a pod that did not fit may fit now.
    """

    def __init__(self, cluster: Cluster, on_change: Callable[[], object]) -> None:
        self._nodes: dict[str, NodeView] = {}
        self._places: dict[str, str] = {}
        self._assumed: set[str] = set()
        self._rules = 0
        self._on_change = on_change
        self._namespaces = cluster.cache.informer(Namespace, sharded=False).store
        cluster.cache.informer(Node, sharded=False).add_handler(self._note_node)
        cluster.cache.informer(Pod, sharded=False).add_handler(self._note_pod)

    @property
    def nodes(self) -> list[NodeView]:
        """The nodes that there are, by name."""
        known = (one for one in self._nodes.values() if one.known)
        return sorted(known, key=lambda one: one.name)

    def node(self, name: str) -> NodeView:
        """Return one of the `nodes`."""
        return self._nodes[name]

    @property
    def has_rules(self) -> bool:
        """Whether any pod keeps others away."""
        return self._rules > 0

    def namespace_labels(self, namespace: str) -> Mapping[str, str]:
        """Return the labels of *namespace*."""
        entry = self._namespaces.find_entry(ObjectKey("", namespace))
        return entry.labels if entry is not None else {}

    def place_of(self, uid: str) -> str:
        """Return the node of a pod, assumed ones included; empty if it has none."""
        return self._places.get(uid, "")

    def assume(self, pod: Pod, node: str) -> None:
        """Count *pod* on *node* from now on, before the server does."""
        self._assumed.add(pod.metadata.uid)
        self._place(pod.metadata.uid, Placed.of(pod, node))

    def forget(self, uid: str) -> None:
        """Undo `assume`: the server refused."""
        if uid in self._assumed:
            self._assumed.discard(uid)
            self._unplace(uid)

    def _note_node(self, event: Event[Node]) -> None:
        name = event.key.name
        if event.new is None:
            view = self._nodes.get(name)
            if view is not None and not view.pods:
                del self._nodes[name]
            elif view is not None:
                view.known = False
            return
        if self._node(name).describe(event.new.object):
            self._on_change()

    def _note_pod(self, event: Event[Pod]) -> None:
        old, new = event.old, event.new
        if old is not None and (new is None or new.uid != old.uid):
            self._note_gone(old.uid)
        if new is None:
            self._note_gone(event.entry.uid)
            return
        said = _decode(new.raw)
        if said.status.phase in {"Succeeded", "Failed"}:
            self._note_gone(new.uid)
        elif said.spec.node_name:
            self._note_bound(new, said.spec.node_name, is_relabelled=_relabelled(event))

    def _note_bound(self, entry: Entry[Pod], node: str, *, is_relabelled: bool) -> None:
        uid = entry.uid
        is_new = uid in self._assumed
        self._assumed.discard(uid)
        if self._places.get(uid) != node or is_relabelled:
            is_new = True
            self._place(uid, Placed.of(entry.object, node))
        if is_new:
            self._on_change()  # another pod may have waited for this one to be there

    def _note_gone(self, uid: str) -> None:
        self._assumed.discard(uid)
        if uid in self._places:
            self._unplace(uid)
            self._on_change()

    def _node(self, name: str) -> NodeView:
        found = self._nodes.get(name)
        if found is None:
            found = self._nodes[name] = NodeView(name)
        return found

    def _place(self, uid: str, placed: Placed) -> None:
        if uid in self._places:
            self._unplace(uid)
        self._places[uid] = placed.node
        self._rules += bool(placed.keeps_away)
        self._node(placed.node).add(uid, placed)

    def _unplace(self, uid: str) -> None:
        name = self._places.pop(uid)
        view = self._nodes[name]
        self._rules -= bool(view.pods[uid].keeps_away)
        view.remove(uid)
        if not view.known and not view.pods:
            del self._nodes[name]


def _relabelled(event: Event[Pod]) -> bool:
    old, new = event.old, event.new
    return old is not None and new is not None and old.labels != new.labels


def all_placed(nodes: Iterable[NodeView]) -> Iterable[Placed]:
    """Yield all pods on *nodes*."""
    for node in nodes:
        yield from node.pods.values()
