"""`folder_provisioner`: makes a volume for each claim that asks for one, and deletes it after.

It stands beside the binder as an external provisioner does in Kubernetes: the binder says on a
claim who is asked, and binds what appears; it says of a volume that it is released, and its
provisioner deletes it.
"""

from kubewright.api.kind import ObjectKey
from kubewright.api.meta import ObjectMeta
from kubewright.client.events import EventType
from kubewright.cluster import Cluster
from kubewright.controller import (
    Controller,
    Request,
    Result,
    Run,
    Watches,
    resource_version_changed,
)
from kubewright.embedded.storage.annotations import (
    FINALIZER,
    PROVISIONED_BY,
    PROVISIONER,
    SELECTED_NODE,
    STORAGE_PROVISIONERS,
)
from kubewright.embedded.storage.binding import claim_reference
from kubewright.embedded.storage.classes import class_of, waits_for_consumer
from kubewright.embedded.storage.folders import Folders
from kubewright.embedded.storage.growth import grow
from kubewright.embedded.storage.provisioned import folder_of
from kubewright.errors import AlreadyExistsError, ConflictError, NotFoundError
from kubewright.kinds.core.v1 import (
    HostPathVolumeSource,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeSpec,
)
from kubewright.kinds.storage.v1 import StorageClass

__all__ = ["folder_provisioner"]

WORKERS: int = 4
LET_GO: tuple[str, ...] = ("Released", "Failed")


def folder_provisioner(cluster: Cluster, folders: Folders | None = None) -> Controller:
    """Return the controller that makes volumes for claims of the provisioner `PROVISIONER`.

    Args:
        cluster: Where the claims are.
        folders: Where the folders are; there are none unless given, for simulated pods.
    """
    provisioner = _Provisioner(cluster, folders or Folders())
    return Controller(
        "folder-provisioner",
        provisioner.reconcile,
        cluster=cluster,
        watches=[
            Watches(PersistentVolumeClaim, map=_request, predicate=resource_version_changed),
            Watches(PersistentVolume, map=_request, predicate=resource_version_changed),
            Watches(StorageClass, map=provisioner.of_class),
        ],
        workers=WORKERS,
    )


def _request(obj: PersistentVolumeClaim | PersistentVolume) -> list[Request]:
    return [Request(obj.metadata.namespace, obj.metadata.name)]


class _Provisioner:
    """Requests with a namespace are for claims, those without one for volumes."""

    def __init__(self, cluster: Cluster, folders: Folders) -> None:
        self._folders = folders
        self._client = cluster.client
        self._live = cluster.live
        self._recorder = cluster.recorder(PROVISIONER)
        cache = cluster.cache
        self._claims = cache.informer(PersistentVolumeClaim, sharded=False).store
        self._volumes = cache.informer(PersistentVolume, sharded=False).store
        self._classes = cache.informer(StorageClass, sharded=False).store

    async def reconcile(self, request: Request, run: Run) -> Result | None:
        """Make, grow or delete one volume, if there is a reason to."""
        try:
            if request.namespace:
                run.changed = await self._sync_claim(request.key)
            else:
                run.changed = await self._sync_volume(request.key)
        except (ConflictError, NotFoundError):
            return Result(requeue=True)  # somebody was faster: look again
        return None

    def of_class(self, one: StorageClass) -> list[Request]:
        """Return the claims of a class, which may have come after them."""
        found = (each for each in self._claims.list() if class_of(each) == one.metadata.name)
        return [request for claim in found for request in _request(claim)]

    # --- Claims ---

    async def _sync_claim(self, key: ObjectKey) -> bool:
        claim = self._claims.find(key)
        if claim is None or claim.metadata.deletion_timestamp is not None:
            return False
        if claim.spec.volume_name:
            volume = self._volumes.find(ObjectKey("", claim.spec.volume_name))
            if volume is None or not folder_of(volume):
                return False
            return await grow(claim, volume, client=self._client, recorder=self._recorder)
        found = self._classes.find(ObjectKey("", class_of(claim)))
        if found is None or not _is_asked(claim, found):
            return False
        return await self._provision(claim, found)

    async def _provision(self, claim: PersistentVolumeClaim, found: StorageClass) -> bool:
        volume = self._volume_for(claim, found)
        if self._volumes.find_entry(volume.key) is not None:
            return False  # the binder will see it, too
        meta = claim.metadata
        text = "External provisioner is provisioning volume for claim"
        self._tell(claim, "Provisioning", f'{text} "{meta.namespace}/{meta.name}"')
        if problem := _refusal(claim):
            self._tell_failure(claim, problem)
            return False
        try:
            self._folders.make(volume.metadata.name, claim)
        except OSError as error:
            self._tell_failure(claim, str(error))
            raise
        try:
            await self._client.create(volume)
        except AlreadyExistsError:
            return False
        text = f"Successfully provisioned volume {volume.metadata.name}"
        self._tell(claim, "ProvisioningSucceeded", text)
        return True

    def _volume_for(self, claim: PersistentVolumeClaim, found: StorageClass) -> PersistentVolume:
        """Return the volume for *claim*, not created yet; its name is the same each time."""
        name = f"pvc-{claim.metadata.uid}"
        source = HostPathVolumeSource(
            path=str(self._folders.path(name, claim)), type="DirectoryOrCreate"
        )
        resources = claim.spec.resources
        size = (resources.requests if resources else {}).get("storage", "0")
        return PersistentVolume(
            metadata=ObjectMeta(
                name=name, annotations={PROVISIONED_BY: PROVISIONER}, finalizers=[FINALIZER]
            ),
            spec=PersistentVolumeSpec(
                access_modes=claim.spec.access_modes,
                capacity={"storage": size},
                claim_ref=claim_reference(claim),
                host_path=source,
                persistent_volume_reclaim_policy=found.reclaim_policy,
                storage_class_name=class_of(claim),
                volume_mode=claim.spec.volume_mode,
            ),
        )

    # --- Volumes ---

    async def _sync_volume(self, key: ObjectKey) -> bool:
        """Delete a volume that is let go: the object first, which its finalizer keeps meanwhile."""
        volume = self._volumes.find(key)
        if volume is None or not folder_of(volume):
            return False
        deletes = volume.spec.persistent_volume_reclaim_policy == "Delete"
        is_let_go = volume.status.phase in LET_GO
        if volume.metadata.deletion_timestamp is None:
            if deletes and is_let_go:
                # Only this version: the user may just have decided to keep it.
                meta = volume.metadata
                await self._client.delete(
                    volume, uid=meta.uid, resource_version=meta.resource_version, missing_ok=True
                )
            return deletes and is_let_go
        if FINALIZER not in volume.metadata.finalizers or volume.status.phase == "Bound":
            return False
        if deletes and is_let_go:
            await self._remove_folder(volume)
        volume.metadata.finalizers.remove(FINALIZER)
        await self._client.patch(volume, optimistic=True)
        return True

    async def _remove_folder(self, volume: PersistentVolume) -> None:
        try:
            await self._folders.remove(folder_of(volume))
        except OSError as error:
            self._tell(volume, "VolumeFailedDelete", str(error), warning=True)
            volume.status.phase, volume.status.message = "Failed", str(error)
            await self._client.status.patch(volume)
            raise

    # --- Events ---

    def _tell_failure(self, claim: PersistentVolumeClaim, problem: str) -> None:
        text = f'failed to provision volume with StorageClass "{class_of(claim)}": {problem}'
        self._tell(claim, "ProvisioningFailed", text, warning=True)

    def _tell(
        self,
        obj: PersistentVolumeClaim | PersistentVolume,
        reason: str,
        message: str,
        *,
        warning: bool = False,
    ) -> None:
        kind: EventType = "Warning" if warning else "Normal"
        self._recorder.event(obj, reason=reason, message=message, type=kind)


def _is_asked(claim: PersistentVolumeClaim, found: StorageClass) -> bool:
    """Return whether a volume is wanted of us, and now."""
    notes = claim.metadata.annotations
    if found.provisioner != PROVISIONER:
        return False
    if PROVISIONER not in {notes.get(one) for one in STORAGE_PROVISIONERS}:
        return False
    return not waits_for_consumer(found) or SELECTED_NODE in notes


def _refusal(claim: PersistentVolumeClaim) -> str:
    """Return why a folder will not do for *claim*; empty if it will."""
    if claim.spec.volume_mode == "Block":
        return "a folder is a file system: set volumeMode to Filesystem"
    if claim.spec.data_source is not None or claim.spec.data_source_ref is not None:
        return "a folder starts empty: remove the dataSource and copy the data in a pod"
    return ""
