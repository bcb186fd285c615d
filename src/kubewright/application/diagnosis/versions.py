"""Does the server serve every kind that the operator names, in the version that it names?"""

from collections.abc import AsyncGenerator, Iterator, Mapping

from kubewright.api.kind import GroupVersion, RESTMapping
from kubewright.api.kind_reference import likely_mapping
from kubewright.api.resource import definition_of
from kubewright.application.diagnosis.finding import Finding, error, fine, warning
from kubewright.application.diagnosis.patient import Patient
from kubewright.client.discovery_format import Discovery

__all__ = ["judge", "look"]

_REMOVED: Mapping[str, tuple[str, int]] = {
    "admissionregistration.k8s.io/v1beta1": ("v1", 22),
    "apiextensions.k8s.io/v1beta1": ("v1", 22),
    "autoscaling/v2beta1": ("v2", 25),
    "autoscaling/v2beta2": ("v2", 26),
    "batch/v1beta1": ("v1", 25),
    "certificates.k8s.io/v1beta1": ("v1", 22),
    "coordination.k8s.io/v1beta1": ("v1", 22),
    "discovery.k8s.io/v1beta1": ("v1", 25),
    "events.k8s.io/v1beta1": ("v1", 25),
    "extensions/v1beta1": ("networking.k8s.io/v1 or apps/v1", 22),
    "flowcontrol.apiserver.k8s.io/v1beta1": ("v1", 26),
    "flowcontrol.apiserver.k8s.io/v1beta2": ("v1", 29),
    "flowcontrol.apiserver.k8s.io/v1beta3": ("v1", 32),
    "networking.k8s.io/v1beta1": ("v1", 22),
    "node.k8s.io/v1beta1": ("v1", 25),
    "policy/v1beta1": ("v1", 25),
    "rbac.authorization.k8s.io/v1beta1": ("v1", 22),
    "scheduling.k8s.io/v1beta1": ("v1", 22),
    "storage.k8s.io/v1beta1": ("v1", 27),
}
"""Versions that Kubernetes has removed: what replaces them, and since which 1.x they are gone."""


async def look(patient: Patient) -> AsyncGenerator[Finding, None]:
    """Judge each kind that the operator declares and has no CRD of its own for."""
    if patient.operator is None:
        return
    served = await patient.client.discovery.discover()
    wrong = 0
    for kind in patient.operator.kinds:
        if isinstance(kind, type) and not definition_of(kind).builtin:
            continue  # its CRD is looked at elsewhere
        for finding in judge(likely_mapping(kind), served):
            wrong += 1
            yield finding
    if not wrong:
        yield fine("the server serves every kind that the operator names")


def judge(mapping: RESTMapping, served: Discovery) -> Iterator[Finding]:
    """Say whether the server has a kind in the version that is named, and for how long."""
    version = mapping.gvk.api_version
    subject = f"{mapping.plural} of {version}"
    resources = served.resources.get(GroupVersion.parse(version), ())
    old = _REMOVED.get(version)
    if any(one.kind == mapping.kind for one in resources):
        if old is not None:
            yield warning(
                subject,
                f"The operator uses {mapping.kind} in {version}, which Kubernetes removed in"
                f" 1.{old[1]}.",
                why="After the next upgrade of the cluster it does not work any more.",
                mend=[
                    f"# Name the kind as {old[0]} in the operator; this shows what is served:",
                    f"kubectl explain {mapping.plural}",
                ],
            )
        return
    others = sorted(
        gv.version
        for gv, found in served.resources.items()
        if gv.group == mapping.group and any(one.kind == mapping.kind for one in found)
    )
    instead = f" It serves {', '.join(others)}." if others else ""
    yield error(
        subject,
        f"The server does not serve {mapping.kind} in {version}, which the operator uses.{instead}",
        why="The operator cannot watch it, and waits.",
        mend=[
            f"# Name the version {others[-1]} in the operator, and deploy it again:"
            if others
            else "# Install what provides it, such as its CRD; this shows what is there:",
            f"kubectl api-resources --api-group {mapping.group}"
            if mapping.group
            else "kubectl api-resources",
        ],
    )
