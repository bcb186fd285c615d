"""`Catalog`: the claims, volumes and classes that the binder knows, and all that it writes."""

from collections.abc import Iterator

from kubewright.api.kind import ObjectKey
from kubewright.client.events import EventType
from kubewright.cluster import Cluster
from kubewright.embedded.storage.annotations import BIND_COMPLETED
from kubewright.embedded.storage.classes import class_of, find_default
from kubewright.embedded.storage.indexes import VOLUME_INDEXES, candidates, volumes_of
from kubewright.kinds.core.v1 import PersistentVolume, PersistentVolumeClaim
from kubewright.kinds.storage.v1 import StorageClass

__all__ = ["Catalog"]

COMPONENT: str = "persistentvolume-controller"

_BY_CLASS, _BY_VOLUME = "class", "volume"


class Catalog:
    """Finds and writes claims and volumes; what was written is found at once.

    Each write is refused if the object has changed since it was read.

    Args:
        cluster: Where they are.
    """

    def __init__(self, cluster: Cluster) -> None:
        cache = cluster.cache
        self._live = cluster.live
        self._client = cluster.client
        self._recorder = cluster.recorder(COMPONENT)
        self._claims = cache.informer(
            PersistentVolumeClaim,
            sharded=False,
            indexes={_BY_CLASS: _waiting_class, _BY_VOLUME: _named_volume},
        ).store
        self._volumes = cache.informer(
            PersistentVolume, sharded=False, indexes=VOLUME_INDEXES
        ).store
        self._classes = cache.informer(StorageClass, sharded=False).store
        self.writes: int = 0
        """How many writes there were."""

    # --- Reading ---

    def find_claim(self, key: ObjectKey) -> PersistentVolumeClaim | None:
        """Return a claim."""
        return self._claims.find(key)

    async def find_claim_now(self, key: ObjectKey) -> PersistentVolumeClaim | None:
        """Return a claim as the server has it: nothing is released by what a cache has missed."""
        return await self._live.find(PersistentVolumeClaim, key.name, namespace=key.namespace)

    def find_volume(self, name: str) -> PersistentVolume | None:
        """Return a volume."""
        return self._volumes.find(ObjectKey("", name))

    def find_class(self, name: str) -> StorageClass | None:
        """Return a storage class."""
        return self._classes.find(ObjectKey("", name)) if name else None

    def find_default_class(self) -> StorageClass | None:
        """Return the class for claims that leave theirs open."""
        return find_default(self._classes.list())

    def candidates(self, claim: PersistentVolumeClaim) -> Iterator[PersistentVolume]:
        """Yield the volumes that *claim* may get."""
        return candidates(self._volumes, claim)

    def volumes_of(self, claim: ObjectKey) -> list[PersistentVolume]:
        """Return the volumes that name a claim."""
        return volumes_of(self._volumes, claim)

    def claims_waiting(self, class_name: str) -> list[ObjectKey]:
        """Return the claims of a class that have no volume, and name none."""
        found = self._claims.list_entries(index=_BY_CLASS, value=class_name)
        return [one.key for one in found]

    def claims_naming(self, volume: str) -> list[ObjectKey]:
        """Return the claims that name a volume, bound or not."""
        return [one.key for one in self._claims.list_entries(index=_BY_VOLUME, value=volume)]

    # --- Writing ---

    async def save_claim(self, claim: PersistentVolumeClaim) -> PersistentVolumeClaim:
        """Write what has changed of *claim*, but for its status."""
        saved = await self._client.patch(claim, optimistic=True)
        self.writes += saved is not claim
        return saved

    async def save_claim_status(self, claim: PersistentVolumeClaim) -> PersistentVolumeClaim:
        """Write what has changed of the status of *claim*."""
        saved = await self._client.status.patch(claim, optimistic=True)
        self.writes += saved is not claim
        return saved

    async def save_volume(self, volume: PersistentVolume) -> PersistentVolume:
        """Write what has changed of *volume*, but for its status."""
        saved = await self._client.patch(volume, optimistic=True)
        self.writes += saved is not volume
        return saved

    async def set_phase(
        self, volume: PersistentVolume, phase: str, message: str = ""
    ) -> PersistentVolume:
        """Write the phase of *volume*, unless it is that already."""
        if volume.status.phase == phase:
            return volume
        volume.status.phase, volume.status.message = phase, message or None
        saved = await self._client.status.patch(volume, optimistic=True)
        self.writes += saved is not volume
        return saved

    def tell(
        self,
        obj: PersistentVolumeClaim | PersistentVolume,
        reason: str,
        message: str,
        *,
        type: EventType = "Normal",  # noqa: A002  # the word of the API
    ) -> None:
        """Write an event about *obj*."""
        self._recorder.event(obj, reason=reason, message=message, type=type)


def _waiting_class(claim: PersistentVolumeClaim) -> list[str]:
    if claim.spec.volume_name or BIND_COMPLETED in claim.metadata.annotations:
        return []
    return [class_of(claim)]


def _named_volume(claim: PersistentVolumeClaim) -> list[str]:
    return [claim.spec.volume_name] if claim.spec.volume_name else []
