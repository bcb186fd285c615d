"""Which lists a strategic merge patch merges, and by which fields.

kustomize has the schemas of Kubernetes 1.21: a list that came later is replaced as a whole, and so
are all lists of later kinds and of custom resources.
"""

from kubewright.apiserver.schema import definitions
from kubewright.apiserver.schema.tree import Schema
from kubewright.scaffold.kustomize.identity import GroupVersionKind

__all__ = ["elements", "field", "find_schema", "merge_keys"]

_LATER_KINDS = frozenset(
    {
        ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"),
        ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
        ("authentication.k8s.io", "SelfSubjectReview"),
        ("certificates.k8s.io", "ClusterTrustBundle"),
        ("certificates.k8s.io", "PodCertificateRequest"),
        ("networking.k8s.io", "IPAddress"),
        ("networking.k8s.io", "ServiceCIDR"),
        ("storage.k8s.io", "VolumeAttributesClass"),
    }
)
_LATER_GROUPS = frozenset(
    {"internal.apiserver.k8s.io", "resource.k8s.io", "storagemigration.k8s.io"}
)
_LATER_VERSIONS = frozenset(
    {
        GroupVersionKind("autoscaling", "v2", "HorizontalPodAutoscaler"),
        GroupVersionKind("flowcontrol.apiserver.k8s.io", "v1", "FlowSchema"),
        GroupVersionKind("flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfiguration"),
        GroupVersionKind("policy", "v1", "Eviction"),
        GroupVersionKind("storage.k8s.io", "v1", "CSIStorageCapacity"),
    }
)
_LATER_LISTS = frozenset(
    {
        ("CSINodeStatus", "storageHealth"),
        ("ContainerStatus", "allocatedResourcesStatus"),
        ("ContainerStatus", "volumeMounts"),
        ("EphemeralContainer", "ports"),
        ("JSONSchemaProps", "x-kubernetes-validations"),
        ("MutatingWebhook", "matchConditions"),
        ("PodSpec", "evictionResponders"),
        ("PodSpec", "resourceClaims"),
        ("PodSpec", "schedulingGates"),
        ("PodStatus", "hostIPs"),
        ("PodStatus", "nodeAllocatableResourceClaimStatuses"),
        ("PodStatus", "resourceClaimStatuses"),
        ("ValidatingWebhook", "matchConditions"),
    }
)
_SAME_IN_V1 = frozenset({"v1beta1", "v2beta1", "v2beta2"})
"""Versions that are gone, and whose merged lists are those of v1."""
_INGRESS = GroupVersionKind("networking.k8s.io", "v1", "Ingress")


def find_schema(gvk: GroupVersionKind) -> Schema | None:
    """Return the schema of a kind, or ``None`` if kustomize has none."""
    if gvk == ("extensions", "v1beta1", "Ingress"):
        gvk = _INGRESS
    is_later = gvk in _LATER_VERSIONS or gvk.group in _LATER_GROUPS
    if is_later or (gvk.group, gvk.kind) in _LATER_KINDS:
        return None
    if gvk.version in _SAME_IN_V1:
        gvk = GroupVersionKind(gvk.group, "v1", gvk.kind)
        if gvk in _LATER_VERSIONS and gvk.group != "flowcontrol.apiserver.k8s.io":
            return None
    return definitions.find(*gvk)


def field(schema: Schema | None, name: str) -> Schema | None:
    """Return the schema of a field, or ``None`` if kustomize has none."""
    if schema is None or (schema.name, name) in _LATER_LISTS:
        return None
    return schema.properties.get(name, schema.additional)


def elements(schema: Schema | None) -> Schema | None:
    """Return the schema of the elements of a list."""
    return schema.items if schema is not None and schema.type == "array" else None


def merge_keys(schema: Schema | None) -> list[str] | None:
    """Return the fields by which elements are matched; ``None`` if the list is replaced.

    Without a field, the list is one of single values, and merged as a set.
    """
    if schema is None or "merge" not in schema.patch_strategy:
        return None
    return list(schema.list_map_keys) or ([schema.merge_key] if schema.merge_key else [])
