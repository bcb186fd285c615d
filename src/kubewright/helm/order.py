"""Helm's order: what is installed first, and what is removed first."""

from collections.abc import Iterable
from typing import Any

from kubewright.helm.manifest import Hook

__all__ = ["hooks_in_order", "install_order", "removal_order"]

_INSTALL = (
    "PriorityClass", "Namespace", "NetworkPolicy", "ResourceQuota", "LimitRange",
    "PodSecurityPolicy", "PodDisruptionBudget", "ServiceAccount", "Secret", "SecretList",
    "ConfigMap", "StorageClass", "PersistentVolume", "PersistentVolumeClaim",
    "CustomResourceDefinition", "ClusterRole", "ClusterRoleList", "ClusterRoleBinding",
    "ClusterRoleBindingList", "Role", "RoleList", "RoleBinding", "RoleBindingList", "Service",
    "DaemonSet", "Pod", "ReplicationController", "ReplicaSet", "Deployment",
    "HorizontalPodAutoscaler", "StatefulSet", "Job", "CronJob", "IngressClass", "Ingress",
    "APIService", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration",
)  # fmt: skip
_REMOVAL = (
    "APIService", "Ingress", "IngressClass", "Service", "CronJob", "Job", "StatefulSet",
    "HorizontalPodAutoscaler", "Deployment", "ReplicaSet", "ReplicationController", "Pod",
    "DaemonSet", "RoleBindingList", "RoleBinding", "RoleList", "Role", "ClusterRoleBindingList",
    "ClusterRoleBinding", "ClusterRoleList", "ClusterRole", "CustomResourceDefinition",
    "PersistentVolumeClaim", "PersistentVolume", "StorageClass", "ConfigMap", "SecretList",
    "Secret", "ServiceAccount", "PodDisruptionBudget", "PodSecurityPolicy", "LimitRange",
    "ResourceQuota", "NetworkPolicy", "Namespace", "PriorityClass",
)  # fmt: skip
_FIRST_REMOVED = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")


def install_order(objects: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return *objects* in the order in which they are installed; unknown kinds come last."""
    places = {kind: place for place, kind in enumerate(_INSTALL)}
    return sorted(objects, key=lambda obj: _place(obj["kind"], places))


def removal_order(objects: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return *objects* in the order in which they are removed.

    Unknown kinds are most likely custom objects, so they go before what serves them. Webhooks go
    before all: they would refuse what is removed after those who answer for them.
    """
    places = {kind: place for place, kind in enumerate((*_FIRST_REMOVED, "", *_REMOVAL))}
    return sorted(objects, key=lambda obj: places.get(obj["kind"], places[""]))


def hooks_in_order(hooks: Iterable[Hook], event: str) -> list[Hook]:
    """Return the hooks for *event*: by weight, then by name, and only then by kind, as Helm."""
    places = {kind: place for place, kind in enumerate(_INSTALL)}
    chosen = [hook for hook in hooks if event in hook.events]
    return sorted(chosen, key=lambda hook: (hook.weight, hook.name, _place(hook.kind, places)))


def _place(kind: str, places: dict[str, int]) -> tuple[int, str]:
    return (places[kind], "") if kind in places else (len(places), kind)
