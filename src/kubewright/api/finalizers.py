"""Finalizers: marks that keep a deleted object until a controller has cleaned up after it."""

from typing import Any, Final

from kubewright.api.names import check_label_key
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured

__all__ = ["add_finalizer", "check_finalizer", "has_finalizer", "remove_finalizer"]

# Kubernetes' own finalizers are older than the rule that a name needs a domain.
_WITHOUT_DOMAIN: Final = frozenset({"foregroundDeletion", "orphan", "kubernetes"})


def add_finalizer(obj: Resource | Unstructured, name: str) -> bool:
    """Add the finalizer *name* to *obj* in place; return whether it was not there yet.

    Raises:
        ValueError: The name is not of the form ``domain/name``.

    Example:
        >>> pod = Unstructured(apiVersion="v1", kind="Pod", metadata={"name": "web"})
        >>> add_finalizer(pod, "example.com/backup"), add_finalizer(pod, "example.com/backup")
        (True, False)
    """
    check_finalizer(name)
    if has_finalizer(obj, name):
        return False
    _store(obj, [*_finalizers(obj), name])
    return True


def remove_finalizer(obj: Resource | Unstructured, name: str) -> bool:
    """Remove the finalizer *name* from *obj* in place; return whether it was there."""
    if not has_finalizer(obj, name):
        return False
    _store(obj, [one for one in _finalizers(obj) if one != name])
    return True


def has_finalizer(obj: Resource | Unstructured, name: str) -> bool:
    """Tell whether *obj* has the finalizer *name*."""
    return name in _finalizers(obj)


def check_finalizer(name: str) -> None:
    """Check the name of a finalizer.

    Raises:
        ValueError: It is not of the form ``domain/name``.
    """
    if name in _WITHOUT_DOMAIN:
        return
    try:
        check_label_key(name)
    except ValueError as error:
        raise ValueError(f"not a finalizer: {error}") from None
    if "/" not in name:
        raise ValueError(f"not a finalizer: {name!r} has no domain; write 'example.com/{name}'")


def _finalizers(obj: Resource | Unstructured) -> list[str]:
    if isinstance(obj, Resource):
        return obj.metadata.finalizers
    found: list[str] = (obj.get("metadata") or {}).get("finalizers") or []
    return found


def _store(obj: Resource | Unstructured, finalizers: list[str]) -> None:
    if isinstance(obj, Resource):
        obj.metadata.finalizers = finalizers
        return
    metadata: dict[str, Any] = obj.get("metadata") or {}
    metadata.pop("finalizers", None)
    if finalizers:
        metadata["finalizers"] = finalizers
    obj["metadata"] = metadata
