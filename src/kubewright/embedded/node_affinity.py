"""Which nodes a pod may run on: node selectors and affinity, taints and tolerations."""

from collections.abc import Iterable, Mapping

from kubewright.kinds.core.v1 import (
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PodSpec,
    Taint,
    Toleration,
)

__all__ = ["fits_node", "intolerable", "matches_term", "preference", "tolerates"]

_NAME = "metadata.name"


def fits_node(spec: PodSpec, name: str, labels: Mapping[str, str]) -> bool:
    """Return whether a pod may run on the node *name* with *labels*."""
    if any(labels.get(key) != value for key, value in spec.node_selector.items()):
        return False
    affinity = spec.affinity.node_affinity if spec.affinity else None
    if affinity is None:
        return True
    required = affinity.required_during_scheduling_ignored_during_execution
    if required is None:
        return True
    return any(matches_term(one, name, labels) for one in required.node_selector_terms)


def preference(spec: PodSpec, name: str, labels: Mapping[str, str]) -> int:
    """Return how much a pod prefers the node: the sum of the weights of all terms that match."""
    affinity = spec.affinity.node_affinity if spec.affinity else None
    wishes = affinity.preferred_during_scheduling_ignored_during_execution if affinity else ()
    return sum(one.weight for one in wishes if matches_term(one.preference, name, labels))


def matches_term(term: NodeSelectorTerm, name: str, labels: Mapping[str, str]) -> bool:
    """Return whether *term* matches a node; an empty one matches none."""
    if not term.match_expressions and not term.match_fields:
        return False
    fields = {_NAME: name}
    return all(_holds(one, labels) for one in term.match_expressions) and all(
        _holds(one, fields) for one in term.match_fields
    )


def _holds(one: NodeSelectorRequirement, values: Mapping[str, str]) -> bool:
    value = values.get(one.key)
    match one.operator:
        case "In":
            return value is not None and value in one.values
        case "NotIn":
            return value is None or value not in one.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            return _compares(one.operator, value, one.values)
    return False


def _compares(operator: str, value: str | None, limits: list[str]) -> bool:
    try:
        number, limit = int(value or ""), int(limits[0])
    except (ValueError, IndexError):
        return False
    return number > limit if operator == "Gt" else number < limit


def intolerable(
    taints: Iterable[Taint], tolerations: list[Toleration], effects: Iterable[str]
) -> list[Taint]:
    """Return the *taints* with one of *effects* that none of *tolerations* tolerates."""
    return [
        taint
        for taint in taints
        if taint.effect in effects and not any(tolerates(one, taint) for one in tolerations)
    ]


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Return whether *toleration* tolerates *taint*."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator == "Exists":
        return True
    if not toleration.key:
        return False
    value, other = toleration.value or "", taint.value or ""
    if toleration.operator in {"Gt", "Lt"}:
        return _compares(toleration.operator, other, [value])
    return value == other
