"""Which kinds belong to no namespace, as far as kustomize knows.

It knows the kinds of Kubernetes 1.21; all others, custom ones too, it takes for namespaced. That
is what its output shows, so newer kinds are missing here on purpose.
"""

__all__ = ["is_cluster_scoped"]

_V1 = ("v1",)
_BOTH = ("v1", "v1beta1")
_CLUSTER_SCOPED: dict[tuple[str, str], tuple[str, ...]] = {
    ("", "ComponentStatus"): _V1,
    ("", "Namespace"): _V1,
    ("", "Node"): _V1,
    ("", "NodeProxyOptions"): _V1,
    ("", "PersistentVolume"): _V1,
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): _BOTH,
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): _BOTH,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _BOTH,
    ("apiregistration.k8s.io", "APIService"): _BOTH,
    ("certificates.k8s.io", "CertificateSigningRequest"): _BOTH,
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"): ("v1beta1",),
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"): ("v1beta1",),
    ("networking.k8s.io", "IngressClass"): _BOTH,
    ("node.k8s.io", "RuntimeClass"): _BOTH,
    ("policy", "PodSecurityPolicy"): ("v1beta1",),
    ("rbac.authorization.k8s.io", "ClusterRole"): _BOTH,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): _BOTH,
    ("scheduling.k8s.io", "PriorityClass"): _BOTH,
    ("storage.k8s.io", "CSIDriver"): _BOTH,
    ("storage.k8s.io", "CSINode"): _BOTH,
    ("storage.k8s.io", "StorageClass"): _BOTH,
    ("storage.k8s.io", "VolumeAttachment"): _BOTH,
}


def is_cluster_scoped(group: str, version: str, kind: str) -> bool:
    """Return whether kustomize leaves objects of this kind without a namespace."""
    return version in _CLUSTER_SCOPED.get((group, kind), ())
