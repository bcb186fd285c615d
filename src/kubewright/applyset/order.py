"""The order in which objects are installed; they are removed the other way around."""

from collections.abc import Iterable
from enum import IntEnum

from kubewright.api.kind import GroupKind
from kubewright.applyset.member import Member, ObjectName

__all__ = ["Phase", "phase_of", "phases_of"]


class Phase(IntEnum):
    """Objects that do not need one another: those of one phase are applied at the same time.

    The next phase begins when all of a phase are there.
    """

    NAMESPACES = 0
    DEFINITIONS = 1
    """CustomResourceDefinitions; each must be served before an object of it can be applied."""
    CONFIGURATION = 2
    """Whatever pods need before they start: accounts, rights, settings, volumes, services."""
    WORKLOADS = 3
    CUSTOM_OBJECTS = 4
    """Objects of custom kinds, whose operator may be among the workloads."""
    INTERCEPTORS = 5
    """Webhooks and aggregated APIs: from now on the server asks what the workloads serve."""


_BUILT_IN = frozenset({"", "apps", "autoscaling", "batch", "extensions", "policy"})
_WORKLOADS = frozenset(
    {
        "CronJob.batch", "DaemonSet.apps", "Deployment.apps", "Job.batch", "Pod", "ReplicaSet.apps",
        "HorizontalPodAutoscaler.autoscaling", "ReplicationController", "StatefulSet.apps",
    }
)  # fmt: skip
_INTERCEPTORS = frozenset(
    {
        "APIService.apiregistration.k8s.io",
        "MutatingAdmissionPolicy.admissionregistration.k8s.io",
        "MutatingAdmissionPolicyBinding.admissionregistration.k8s.io",
        "MutatingWebhookConfiguration.admissionregistration.k8s.io",
        "ValidatingAdmissionPolicy.admissionregistration.k8s.io",
        "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io",
        "ValidatingWebhookConfiguration.admissionregistration.k8s.io",
    }
)


def phase_of(name: ObjectName, defined: frozenset[GroupKind] = frozenset()) -> Phase:
    """Return the phase of an object.

    Args:
        name: The object.
        defined: The kinds that CRDs of the same set define.
    """
    kind = name.gvk.group_kind
    if name.is_namespace:
        return Phase.NAMESPACES
    if name.is_definition:
        return Phase.DEFINITIONS
    if str(kind) in _INTERCEPTORS:
        return Phase.INTERCEPTORS
    if str(kind) in _WORKLOADS:
        return Phase.WORKLOADS
    if kind in defined or not (kind.group in _BUILT_IN or kind.group.endswith(".k8s.io")):
        return Phase.CUSTOM_OBJECTS
    return Phase.CONFIGURATION


def phases_of(members: Iterable[Member]) -> list[tuple[Phase, list[Member]]]:
    """Return *members* by phase, those that come first at the beginning; the rest as it was."""
    all_of_them = list(members)
    defined = frozenset(gvk.group_kind for one in all_of_them for gvk, _ in one.defines)
    phases: dict[Phase, list[Member]] = {}
    for member in all_of_them:
        phases.setdefault(phase_of(member.name, defined), []).append(member)
    return sorted(phases.items())
