"""What OLM's objects say about how far it is, and about what is wrong."""

from collections.abc import Iterable, Mapping
from typing import Any

from kubewright.bundle.document import at, items, mapping, text

__all__ = [
    "csv_text",
    "missing_of",
    "phase_of",
    "plan_name",
    "plan_problem",
    "subscription_problem",
    "targets_of",
]

_TROUBLES = (
    "ResolutionFailed", "BundleUnpackFailed", "InstallPlanFailed", "InstallPlanMissing",
    "CatalogSourcesUnhealthy",
)  # fmt: skip
_PRESENT = ("Present", "PresentNotSatisfied", "Satisfied")


def plan_name(subscription: Mapping[str, Any] | None) -> str:
    """Return the name of the InstallPlan that a Subscription has; empty if it has none."""
    found = at(subscription, "status", "installPlanRef", "name")
    return text(found) or text(at(subscription, "status", "installplan", "name"))


def subscription_problem(subscription: Mapping[str, Any] | None) -> str:
    """Return why a Subscription does not get on; empty if it does not say."""
    conditions = _conditions(subscription)
    for kind in _TROUBLES:
        one = conditions.get(kind, {})
        if one.get("status") == "True":
            said = text(one.get("message")) or text(one.get("reason"))
            return f"{kind}: {said}" if said else kind
    return ""


def plan_problem(plan: Mapping[str, Any] | None) -> str:
    """Return why an InstallPlan has failed or waits; empty if it does not say."""
    lookups = items(at(plan, "status", "bundleLookups"))
    listed = [one for lookup in lookups for one in items(at(lookup, "conditions"))]
    own = items(at(plan, "status", "conditions"))
    bad = [one for one in own if at(one, "status") == "False"]
    bad += [one for one in listed if at(one, "status") == "True"]
    said = [text(at(one, "message")) or text(at(one, "reason")) for one in bad]
    return "; ".join(dict.fromkeys(filter(None, [*said, text(at(plan, "status", "message"))])))


def phase_of(found: Mapping[str, Any] | None) -> str:
    """Return the phase of an InstallPlan or of a ClusterServiceVersion; empty for none."""
    return text(at(found, "status", "phase"))


def csv_text(csv: Mapping[str, Any] | None) -> str:
    """Return how far a ClusterServiceVersion is, and why."""
    if csv is None:
        return "OLM has not made it yet"
    status = mapping(at(csv, "status"))
    phase = text(status.get("phase")) or "no phase yet"
    reason, message = text(status.get("reason")), text(status.get("message"))
    why = ": ".join(filter(None, [reason, message]))
    return f"{phase} ({why})" if why else phase


def missing_of(csv: Mapping[str, Any] | None) -> list[str]:
    """Return what a ClusterServiceVersion needs and does not find, each in a line."""
    found: list[str] = []
    for one in items(at(csv, "status", "requirementStatus")):
        state = text(at(one, "status"))
        if state in _PRESENT and not _unsatisfied(one):
            continue
        name = f"{text(at(one, 'kind'))} {text(at(one, 'name'))}"
        found.append(": ".join(filter(None, [name, state, text(at(one, "message"))])))
        found += [f"  {one}" for one in _unsatisfied(one)]
    return found


def targets_of(group: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the namespaces that an OperatorGroup is for; none for all."""
    said = items(at(group, "status", "namespaces")) or items(at(group, "spec", "targetNamespaces"))
    return tuple(one for one in said if isinstance(one, str) and one)


def _unsatisfied(requirement: Any) -> list[str]:
    dependents: Iterable[Any] = items(at(requirement, "dependents"))
    bad = [one for one in dependents if at(one, "status") not in {None, "Satisfied", "Present"}]
    return [
        ": ".join(filter(None, [text(at(one, "kind")), text(at(one, "message"))])) for one in bad
    ]


def _conditions(found: Mapping[str, Any] | None) -> dict[str, dict[str, Any]]:
    listed = [mapping(one) for one in items(at(found, "status", "conditions"))]
    return {text(one.get("type")): one for one in listed}
