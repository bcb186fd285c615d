"""Chooses the best node for a pod, or says why no node fits, in the words of kube-scheduler."""

from collections import Counter
from collections.abc import Callable, Iterable

import msgspec

from kubewright.embedded.node_affinity import fits_node, intolerable, preference
from kubewright.embedded.scheduler.demand import Demand, conflicts, demand_of
from kubewright.embedded.scheduler.topology import Topology
from kubewright.embedded.scheduler.view import ClusterView, NodeView
from kubewright.embedded.scheduler.volumes import PodVolumes
from kubewright.kinds.core.v1 import Pod, Taint

__all__ = ["Choice", "choose"]

_CORDON = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")
_HARD = ("NoSchedule", "NoExecute")
_NOT_HELPFUL = "Preemption is not helpful for scheduling"
_NO_VICTIMS = "No preemption victims found for incoming pod"
_WHOLE = 100.0


class Choice(msgspec.Struct, frozen=True):
    """The node for a pod, or why there is none."""

    node: str = ""
    problem: str = ""


def choose(pod: Pod, view: ClusterView, volumes: PodVolumes | None = None) -> Choice:
    """Return the best node for *pod* with its *volumes*, or why none of the nodes fits."""
    nodes = view.nodes
    if not nodes:
        return Choice(problem="no nodes available to schedule pods")
    if volumes is not None and volumes.problem:
        return Choice(problem=_hopeless_message(pod, volumes.problem, count=len(nodes)))
    demand = demand_of(pod)
    topology = Topology(pod, nodes, of_namespace=view.namespace_labels, has_rules=view.has_rules)
    fitting: list[NodeView] = []
    reasons: Counter[str] = Counter()
    hopeless = 0
    for node in nodes:
        final = _lasting_problem(pod, node)
        found = [final] if final else _shortages(demand, node)
        if not found and volumes is not None and (final := volumes.problem_of(node)):
            found = [final]
        found = found or _topology_problems(topology, node)
        reasons.update(found)
        hopeless += bool(final)
        if not found:
            fitting.append(node)
    if not fitting:
        return Choice(
            problem=_unschedulable_message(pod, reasons, count=len(nodes), hopeless=hopeless)
        )
    return Choice(node=_best(pod, demand, fitting, topology).name)


# --- Why not ---


def _lasting_problem(pod: Pod, node: NodeView) -> str:
    """Return why *pod* cannot run on *node*, even if other pods go away."""
    tolerations = pod.spec.tolerations
    if node.unschedulable and intolerable([_CORDON], tolerations, _HARD):
        return "node(s) were unschedulable"
    if bad := intolerable(node.taints, tolerations, _HARD):
        return f"node(s) had untolerated taint {{{bad[0].key}: {bad[0].value or ''}}}"
    if not fits_node(pod.spec, node.name, node.labels):
        return "node(s) didn't match Pod's node affinity/selector"
    return ""


def _shortages(demand: Demand, node: NodeView) -> list[str]:
    """Return what *node* has too little of for *demand* now: ports, pods or resources."""
    taken = (port for pod in node.pods.values() for port in pod.demand.ports)
    if demand.ports and any(conflicts(one, other) for other in taken for one in demand.ports):
        return ["node(s) didn't have free ports for the requested pod ports"]
    found = []
    if len(node.pods) + 1 > node.allocatable.get("pods", 0):
        found.append("Too many pods")
    for name, amount in demand.resources.items():
        if amount and amount > node.allocatable.get(name, 0) - node.used.get(name, 0):
            found.append(f"Insufficient {name}")
    return found


def _topology_problems(topology: Topology, node: NodeView) -> list[str]:
    problem = topology.problem(node)
    return [problem] if problem else []


def _unschedulable_message(pod: Pod, reasons: Counter[str], *, count: int, hopeless: int) -> str:
    return _with_preemption(pod, _counted(reasons), count=count, hopeless=hopeless)


def _hopeless_message(pod: Pod, problem: str, *, count: int) -> str:
    return _with_preemption(pod, problem, count=count, hopeless=count)


def _with_preemption(pod: Pod, problem: str, *, count: int, hopeless: int) -> str:
    head = f"0/{count} nodes are available: "
    text = f"{head}{problem}."
    if pod.spec.preemption_policy == "Never":
        return f"{text} preemption: not eligible due to preemptionPolicy=Never."
    others = Counter({_NOT_HELPFUL: hopeless, _NO_VICTIMS: count - hopeless})
    return f"{text} preemption: {head}{_counted(+others)}."


def _counted(reasons: Counter[str]) -> str:
    return ", ".join(sorted(f"{count} {reason}" for reason, count in reasons.items()))


# --- Which ---


def _best(pod: Pod, demand: Demand, nodes: list[NodeView], topology: Topology) -> NodeView:
    """Return the node with the highest score; of several, the one with the fewest pods."""
    if len(nodes) == 1:
        return nodes[0]
    owner = next((one.uid for one in pod.metadata.owner_references if one.controller), "")
    wishes: list[tuple[float, Callable[[NodeView], float]]] = [
        (3, lambda node: -_soft_taints(pod, node)),
        (2, lambda node: preference(pod.spec, node.name, node.labels)),
        (2, topology.score),
        (2, lambda node: -node.owners[owner] if owner else 0),
    ]
    scores = [_free_share(demand, node) for node in nodes]
    for weight, wish in wishes:
        for i, part in enumerate(_normal([wish(node) for node in nodes])):
            scores[i] += weight * part
    ranked = zip(scores, nodes, strict=True)
    return max(ranked, key=lambda one: (round(one[0], 6), -len(one[1].pods)))[1]


def _soft_taints(pod: Pod, node: NodeView) -> int:
    return len(intolerable(node.taints, pod.spec.tolerations, ("PreferNoSchedule",)))


def _free_share(demand: Demand, node: NodeView) -> float:
    """Return how much of *node* would stay free, from 0 to 100 percent."""
    parts = []
    for name in ("cpu", "memory"):
        if whole := node.allocatable.get(name, 0):
            used = node.used.get(name, 0) + demand.resources.get(name, 0)
            parts.append(max(0.0, whole - used) * _WHOLE / whole)
    return sum(parts) / len(parts) if parts else 0.0


def _normal(values: Iterable[float]) -> list[float]:
    """Return *values* scaled: 0 for the lowest, 100 for the highest; all 0 if they are equal."""
    found = list(values)
    low, high = min(found), max(found)
    return [(one - low) * _WHOLE / (high - low) if high > low else 0.0 for one in found]
