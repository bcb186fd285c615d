"""Volumes by what they are looked for, so that nobody has to look at all of them."""

from collections.abc import Iterator, Mapping

from kubewright.api.kind import ObjectKey
from kubewright.cache.index import IndexFunction
from kubewright.cache.store import Store
from kubewright.embedded.storage.classes import class_of
from kubewright.kinds.core.v1 import PersistentVolume, PersistentVolumeClaim

__all__ = ["VOLUME_INDEXES", "candidates", "volumes_of"]

BY_CLAIM: str = "claim"
FREE: str = "free"


def _claim_named(volume: PersistentVolume) -> list[str]:
    reference = volume.spec.claim_ref
    if reference is None:
        return []
    return [str(ObjectKey(reference.namespace or "", reference.name or ""))]


def _class_if_free(volume: PersistentVolume) -> list[str]:
    return [class_of(volume)] if volume.spec.claim_ref is None else []


VOLUME_INDEXES: Mapping[str, IndexFunction[PersistentVolume]] = {
    BY_CLAIM: _claim_named,
    FREE: _class_if_free,
}
"""For `Cache.informer`; binder and scheduler share them."""


def volumes_of(store: Store[PersistentVolume], claim: ObjectKey) -> list[PersistentVolume]:
    """Return the volumes that name a claim."""
    return store.list(index=BY_CLAIM, value=str(claim))


def candidates(
    store: Store[PersistentVolume], claim: PersistentVolumeClaim
) -> Iterator[PersistentVolume]:
    """Yield the volumes that *claim* may get: those that name it, and free ones of its class."""
    yield from volumes_of(store, claim.key)
    yield from store.list(index=FREE, value=class_of(claim))
