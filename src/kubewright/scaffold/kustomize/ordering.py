"""The order in which the objects are printed."""

from collections.abc import Sequence

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.fields import SortOptions
from kubewright.scaffold.kustomize.identity import GroupVersionKind
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.resource import Resource

__all__ = ["kind_key", "sort"]

_FIRST = (
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
)
_LAST = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


def sort(resources: Collection, options: SortOptions | None) -> None:
    """Put what others need first, or leave the order of the files if *options* say ``fifo``.

    Raises:
        ProblemError: There is no such order, or it has no such options.
    """
    if options is None:
        _sort_by_kind(resources, _FIRST, _LAST)
        return
    legacy = options.legacy_sort_options
    match options.order:
        case "fifo":
            if legacy is not None:
                raise ProblemError("legacySortOptions need `order: legacy`")
        case "legacy":
            first = _FIRST if legacy is None else legacy.order_first
            last = _LAST if legacy is None else legacy.order_last
            _sort_by_kind(resources, first, last)
        case other:
            raise ProblemError(f"order {other!r} is neither fifo nor legacy")


def _sort_by_kind(resources: Collection, first: Sequence[str], last: Sequence[str]) -> None:
    ranks = _ranks(first, last)

    def key(resource: Resource) -> tuple[object, ...]:
        # The real namespaces of Kubernetes come before what others call so.
        is_foreign = resource.kind == "Namespace" and bool(resource.gvk.group)
        place = f"{resource.namespace or '~X'}|{resource.name}"
        return ranks.get(resource.kind, 0), is_foreign, _spelled(resource.gvk), place

    resources.sort(key)


def _ranks(first: Sequence[str], last: Sequence[str]) -> dict[str, int]:
    ranks = {kind: at - len(first) for at, kind in enumerate(first)}
    return ranks | {kind: at + 1 for at, kind in enumerate(last)}


def _spelled(gvk: GroupVersionKind) -> str:
    """Return a text by which kinds sort; a tilde sorts behind all letters."""
    return f"{gvk.group or '~G'}_{gvk.version or '~V'}_{gvk.kind or '~K'}"


_RANKS = _ranks(_FIRST, _LAST)


def kind_key(gvk: GroupVersionKind) -> tuple[int, str]:
    """Return what kinds are sorted by."""
    return _RANKS.get(gvk.kind, 0), _spelled(gvk)
