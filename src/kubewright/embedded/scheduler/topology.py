"""How pods relate to one another: affinity, anti-affinity, and even spread over domains.

A domain is all nodes with the same value of a label, such as a zone. Everything here is computed
once for each pod to schedule, and not for each node.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import msgspec

from kubewright.api.selectors import Selector, selector_from
from kubewright.embedded.node_affinity import fits_node, intolerable
from kubewright.embedded.scheduler.view import NodeView, Placed, all_placed
from kubewright.kinds.core.v1 import Pod, PodAffinityTerm, TopologySpreadConstraint

__all__ = ["Topology"]

NOT_NEAR: str = "node(s) didn't match pod affinity rules"
NOT_APART: str = "node(s) didn't match pod anti-affinity rules"
KEPT_AWAY: str = "node(s) didn't satisfy existing pods anti-affinity rules"
UNEVEN: str = "node(s) didn't match pod topology spread constraints"
NO_DOMAIN: str = f"{UNEVEN} (missing required label)"

_Labels = Callable[[str], Mapping[str, str]]
_Domain = tuple[str, str]


class Term(msgspec.Struct, frozen=True):
    """Which pods a rule is about, and in which domains."""

    key: str
    selector: Selector
    namespaces: frozenset[str]
    namespace_selector: Selector | None

    @classmethod
    def of(cls, term: PodAffinityTerm, namespace: str) -> "Term":
        """Return the rule of *term* of a pod in *namespace*."""
        chosen = None if term.namespace_selector is None else selector_from(term.namespace_selector)
        own = () if term.namespaces or chosen is not None else (namespace,)
        return cls(
            term.topology_key,
            selector_from(term.label_selector),
            frozenset((*term.namespaces, *own)),
            chosen,
        )

    def covers(self, namespace: str, labels: Mapping[str, str], of_namespace: _Labels) -> bool:
        """Return whether the rule is about a pod in *namespace* with *labels*."""
        if not self.selector.matches(labels):
            return False
        if namespace in self.namespaces:
            return True
        chosen = self.namespace_selector
        return chosen is not None and chosen.matches(of_namespace(namespace))


class _Spread(msgspec.Struct):
    """How many pods of a kind each domain has, for one constraint."""

    constraint: TopologySpreadConstraint
    counts: dict[str, int]
    itself: int

    def excess(self, node: NodeView) -> int | None:
        """Return by how much a pod on *node* would break the rule; ``None`` without a domain."""
        value = node.labels.get(self.constraint.topology_key)
        if value is None:
            return None
        least = min(self.counts.values(), default=0)
        wanted = self.constraint.min_domains
        if wanted is not None and len(self.counts) < wanted:
            least = 0
        return self.counts.get(value, 0) + self.itself - least - self.constraint.max_skew


class Topology:
    """What the other pods mean for a pod to schedule.

    Args:
        pod: The pod.
        nodes: All nodes with their pods.
        of_namespace: The labels of a namespace.
        has_rules: Whether any placed pod keeps others away.
    """

    def __init__(
        self, pod: Pod, nodes: list[NodeView], *, of_namespace: _Labels, has_rules: bool
    ) -> None:
        self._pod = pod
        self._nodes = nodes
        self._by_name = {node.name: node for node in nodes}
        self._of_namespace = of_namespace
        affinity = pod.spec.affinity
        near = affinity.pod_affinity if affinity else None
        apart = affinity.pod_anti_affinity if affinity else None
        self._near = [
            (term, self._domains(term))
            for term in self._terms(
                near.required_during_scheduling_ignored_during_execution if near else ()
            )
        ]
        self._apart = [
            self._domains(term)
            for term in self._terms(
                apart.required_during_scheduling_ignored_during_execution if apart else ()
            )
        ]
        self._forbidden = self._kept_away() if has_rules else set()
        self._wishes: list[tuple[Counter[_Domain], int]] = []
        for rule, sign in ((near, 1), (apart, -1)):
            wished = rule.preferred_during_scheduling_ignored_during_execution if rule else ()
            for one in wished:
                [term] = self._terms([one.pod_affinity_term])
                self._wishes.append((self._domains(term), sign * one.weight))
        self._hard = [self._spread(one) for one in self._constraints("DoNotSchedule")]
        self._soft = [self._spread(one) for one in self._constraints("ScheduleAnyway")]

    def problem(self, node: NodeView) -> str:
        """Return why the pod cannot be on *node*; empty if it can."""
        for spread in self._hard:
            excess = spread.excess(node)
            if excess is None:
                return NO_DOMAIN
            if excess > 0:
                return UNEVEN
        domains = set(node.labels.items())
        if any(self._is_far(term, found, node) for term, found in self._near):
            return NOT_NEAR
        if any(found.keys() & domains for found in self._apart):
            return NOT_APART
        return KEPT_AWAY if self._forbidden & domains else ""

    def score(self, node: NodeView) -> int:
        """Return how well *node* suits the preferences of the pod about other pods."""
        total = 0
        for found, weight in self._wishes:
            total += weight * sum(found[one] for one in node.labels.items() if one in found)
        for spread in self._soft:
            excess = spread.excess(node)
            total -= len(self._nodes) if excess is None else excess
        return total

    # --- Affinity ---

    def _terms(self, terms: Iterable[PodAffinityTerm]) -> list[Term]:
        return [Term.of(one, self._pod.metadata.namespace) for one in terms]

    def _domains(self, term: Term) -> Counter[_Domain]:
        """Return how many pods that *term* is about each domain has."""
        found: Counter[_Domain] = Counter()
        for placed in all_placed(self._nodes):
            if term.covers(placed.namespace, placed.labels, self._of_namespace):
                value = self._by_name[placed.node].labels.get(term.key)
                if value is not None:
                    found[term.key, value] += 1
        return found

    def _is_far(self, term: Term, found: Counter[_Domain], node: NodeView) -> bool:
        value = node.labels.get(term.key)
        if value is None:
            return True
        if (term.key, value) in found:
            return False
        # The first pod of a group with affinity to itself has no other pod to be near to.
        meta = self._pod.metadata
        return bool(found) or not term.covers(meta.namespace, meta.labels, self._of_namespace)

    def _kept_away(self) -> set[_Domain]:
        """Return the domains with a pod that keeps this one away."""
        found: set[_Domain] = set()
        meta = self._pod.metadata
        for placed in all_placed(self._nodes):
            for rule in placed.keeps_away:
                term = Term.of(rule, placed.namespace)
                value = self._by_name[placed.node].labels.get(term.key)
                if value is not None and term.covers(
                    meta.namespace, meta.labels, self._of_namespace
                ):
                    found.add((term.key, value))
        return found

    # --- Spread ---

    def _constraints(self, kind: str) -> list[TopologySpreadConstraint]:
        found = self._pod.spec.topology_spread_constraints
        return [one for one in found if one.when_unsatisfiable == kind]

    def _spread(self, one: TopologySpreadConstraint) -> _Spread:
        meta = self._pod.metadata
        selector = selector_from(one.label_selector)
        alike = {key: meta.labels[key] for key in one.match_label_keys if key in meta.labels}
        counts: dict[str, int] = {}

        def is_meant(placed: Placed) -> bool:
            return (
                placed.namespace == meta.namespace
                and alike.items() <= placed.labels.items()
                and selector.matches(placed.labels)
            )

        for node in self._nodes:
            value = node.labels.get(one.topology_key)
            if value is not None and self._counts(one, node):
                here = sum(map(is_meant, node.pods.values()))
                counts[value] = counts.get(value, 0) + here
        return _Spread(one, counts, int(selector.matches(meta.labels)))

    def _counts(self, one: TopologySpreadConstraint, node: NodeView) -> bool:
        """Return whether *node* is one of those that the pods are spread over."""
        pod = self._pod
        if one.node_affinity_policy != "Ignore" and not fits_node(pod.spec, node.name, node.labels):
            return False
        if one.node_taints_policy != "Honor":
            return True
        effects = ("NoSchedule", "NoExecute")
        return not intolerable(node.taints, pod.spec.tolerations, effects)
