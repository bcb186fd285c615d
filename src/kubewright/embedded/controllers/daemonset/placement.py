"""Which nodes take a pod of a DaemonSet, and how the pod requests its node."""

from typing import Final, NamedTuple

from kubewright.embedded.controllers.pod_template import pod_from
from kubewright.embedded.node_affinity import fits_node, intolerable
from kubewright.kinds.apps.v1 import DaemonSet
from kubewright.kinds.core.v1 import (
    Affinity,
    Node,
    NodeAffinity,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    Pod,
    PodSpec,
    Toleration,
)

__all__ = ["Fit", "fit_of", "generation_of", "pod_for"]

HASH_LABEL: Final = "controller-revision-hash"
GENERATION_LABEL: Final = "pod-template-generation"
GENERATION: Final = "deprecated.daemonset.template.generation"
_ALWAYS_TOLERATED: Final = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)
_NO_NETWORK: Final = ("node.kubernetes.io/network-unavailable", "NoSchedule")


class Fit(NamedTuple):
    """Whether a node takes a pod.

    Attributes:
        runs: Whether a pod should be created there.
        stays: Whether one that is there may stay.
    """

    runs: bool
    stays: bool


def pod_for(owner: DaemonSet, node: str, digest: str) -> Pod:
    """Return the pod of *owner* for *node*, not created yet.

    Args:
        owner: The set.
        node: The name of the node.
        digest: The hash of the current template.
    """
    pod = pod_from(owner.spec.template, owner)
    if generation := generation_of(owner):
        pod.metadata.labels[GENERATION_LABEL] = generation
    pod.metadata.labels[HASH_LABEL] = digest
    pod.spec.tolerations = tolerations(pod.spec)
    by_name = NodeSelectorRequirement(key="metadata.name", operator="In", values=[node])
    term = NodeSelectorTerm(match_fields=[by_name])
    affinity = pod.spec.affinity or Affinity()
    rules = affinity.node_affinity or NodeAffinity()
    rules.required_during_scheduling_ignored_during_execution = NodeSelector(
        node_selector_terms=[term]
    )
    affinity.node_affinity = rules
    pod.spec.affinity = affinity
    return pod


def generation_of(owner: DaemonSet) -> str:
    """Return how often the template of *owner* has changed; empty if it does not say."""
    return owner.metadata.annotations.get(GENERATION, "")


def tolerations(spec: PodSpec) -> list[Toleration]:
    """Return the tolerations of daemon pods: their own, and those for every node condition."""
    wanted = [*_ALWAYS_TOLERATED, *([_NO_NETWORK] if spec.host_network else [])]
    added = [Toleration(key=key, operator="Exists", effect=effect) for key, effect in wanted]
    return [*spec.tolerations, *(one for one in added if one not in spec.tolerations)]


def fit_of(owner: DaemonSet, node: Node) -> Fit:
    """Return whether *node* takes a pod of *owner*."""
    spec, name = owner.spec.template.spec, node.metadata.name
    if spec.node_name and spec.node_name != name:
        return Fit(runs=False, stays=False)
    if not fits_node(spec, name, node.metadata.labels):
        return Fit(runs=False, stays=False)
    against = intolerable(node.spec.taints, tolerations(spec), ("NoSchedule", "NoExecute"))
    return Fit(runs=not against, stays=all(taint.effect != "NoExecute" for taint in against))
