"""`persistentvolume_binder_controller`: binds claims and volumes to each other."""

from kubewright.api.kind import ObjectKey
from kubewright.cluster import Cluster
from kubewright.controller import (
    Controller,
    Request,
    Result,
    Run,
    Watches,
    resource_version_changed,
)
from kubewright.embedded.controllers.persistentvolume.catalog import Catalog
from kubewright.embedded.controllers.persistentvolume.claims import ClaimSync
from kubewright.embedded.controllers.persistentvolume.volumes import VolumeSync
from kubewright.embedded.storage.classes import class_of, is_default
from kubewright.errors import ConflictError, NotFoundError
from kubewright.kinds.core.v1 import PersistentVolume, PersistentVolumeClaim
from kubewright.kinds.storage.v1 import StorageClass

__all__ = ["persistentvolume_binder_controller"]


def persistentvolume_binder_controller(cluster: Cluster) -> Controller:
    """Return the controller that binds claims to volumes, as Kubernetes' own does.

    It makes no volumes: claims of a class with a provisioner wait for that.
    """
    binder = _Binder(Catalog(cluster))
    return Controller(
        "persistentvolume-binder",
        binder.reconcile,
        cluster=cluster,
        watches=[
            Watches(
                PersistentVolumeClaim, map=binder.near_claim, predicate=resource_version_changed
            ),
            Watches(PersistentVolume, map=binder.near_volume, predicate=resource_version_changed),
            Watches(StorageClass, map=binder.near_class, predicate=resource_version_changed),
        ],
        # One after the other: two claims must not find the same volume.
        workers=1,
    )


class _Binder:
    """Requests with a namespace are for claims, those without one for volumes."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._claims = ClaimSync(catalog)
        self._volumes = VolumeSync(catalog)

    async def reconcile(self, request: Request, run: Run) -> Result | None:
        """Look at one claim or volume."""
        before = self._catalog.writes
        try:
            if request.namespace:
                await self._claims.sync(request.key)
            else:
                await self._volumes.sync(request.name)
        except (ConflictError, NotFoundError):
            return Result(requeue=True)  # somebody was faster: look again
        finally:
            run.changed = self._catalog.writes > before
        return None

    def near_claim(self, claim: PersistentVolumeClaim) -> list[Request]:
        """Return what a change of *claim* may matter to: itself, and volumes."""
        names = {one.metadata.name for one in self._catalog.volumes_of(claim.key)}
        if claim.spec.volume_name:
            names.add(claim.spec.volume_name)
        own = _request(claim.key)
        return [own, *(Request("", name) for name in sorted(names))]

    def near_volume(self, volume: PersistentVolume) -> list[Request]:
        """Return what a change of *volume* may matter to: itself, and claims."""
        name, reference = volume.metadata.name, volume.spec.claim_ref
        keys = set(self._catalog.claims_naming(name))
        if reference is not None:
            keys.add(ObjectKey(reference.namespace or "", reference.name or ""))
        else:
            keys.update(self._catalog.claims_waiting(class_of(volume)))
        return [Request("", name), *map(_request, sorted(keys))]

    def near_class(self, one: StorageClass) -> list[Request]:
        """Return the claims that wait for a class."""
        keys = set(self._catalog.claims_waiting(one.metadata.name))
        if is_default(one):
            keys.update(self._catalog.claims_waiting(""))
        return [_request(key) for key in sorted(keys)]


def _request(key: ObjectKey) -> Request:
    return Request(key.namespace, key.name)
