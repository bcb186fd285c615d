"""The volumes of a pod that needs a node: which nodes have them, and which can get them."""

from collections.abc import Callable, Iterable

import msgspec

from kubewright.api.kind import ObjectKey
from kubewright.cluster import Cluster
from kubewright.embedded.scheduler.view import NodeView
from kubewright.embedded.storage.annotations import SELECTED_NODE
from kubewright.embedded.storage.binding import reserve_volume
from kubewright.embedded.storage.classes import class_of, waits_for_consumer
from kubewright.embedded.storage.indexes import VOLUME_INDEXES, candidates
from kubewright.embedded.storage.matching import (
    is_bound,
    reaches_node,
    request_of,
    smallest_volume,
)
from kubewright.kinds.core.v1 import PersistentVolume, PersistentVolumeClaim, Pod
from kubewright.kinds.storage.v1 import StorageClass

__all__ = ["PodVolumes", "VolumeView", "claim_keys"]

NO_PROVISIONER: str = "kubernetes.io/no-provisioner"

FAR: str = "node(s) didn't match PersistentVolume's node affinity"
LOST: str = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
NO_VOLUME: str = "node(s) didn't find available persistent volumes to bind"
UNBOUND: str = "pod has unbound immediate PersistentVolumeClaims"


def claim_keys(pod: Pod) -> list[ObjectKey]:
    """Return the claims that the volumes of *pod* name."""
    sources = (one.persistent_volume_claim for one in pod.spec.volumes)
    namespace = pod.metadata.namespace
    return [ObjectKey(namespace, one.claim_name) for one in sources if one is not None]


class PodVolumes(msgspec.Struct):
    """The volumes of one pod, as of now.

    Attributes:
        problem: Why no node will do; empty if one might.
        bound: The volumes that it has; ``None`` for one that is gone.
        waiting: The claims that get a volume when the pod has a node, the smallest first.
        volumes: The volumes among which they may find theirs.
        classes: The storage classes by name.
    """

    problem: str = ""
    bound: list[PersistentVolume | None] = []
    waiting: list[PersistentVolumeClaim] = []
    volumes: list[PersistentVolume] = []
    classes: dict[str, StorageClass] = {}

    def problem_of(self, node: NodeView) -> str:
        """Return why the pod cannot have its volumes on *node*; empty if it can."""
        there = [one for one in self.bound if one is not None]
        if len(there) < len(self.bound):
            return LOST
        if not all(reaches_node(one, node.name, node.labels) for one in there):
            return FAR
        found = self.choices(node)
        makeable = (
            self._can_be_made(claim, node)
            for claim, volume in zip(self.waiting, found, strict=True)
            if volume is None
        )
        return "" if all(makeable) else NO_VOLUME

    def choices(self, node: NodeView) -> list[PersistentVolume | None]:
        """Return a volume on *node* for each waiting claim; ``None`` where one has to be made."""
        found: list[PersistentVolume | None] = []
        free = [one for one in self.volumes if reaches_node(one, node.name, node.labels)]
        for claim in self.waiting:
            chosen = None
            if SELECTED_NODE not in claim.metadata.annotations:
                chosen = smallest_volume(claim, free)
            if chosen is not None:
                free.remove(chosen)
            found.append(chosen)
        return found

    def _can_be_made(self, claim: PersistentVolumeClaim, node: NodeView) -> bool:
        if claim.metadata.annotations.get(SELECTED_NODE, node.name) != node.name:
            return False
        found = self.classes.get(class_of(claim))
        if found is None or found.provisioner in {"", NO_PROVISIONER}:
            return False
        return not found.allowed_topologies or any(
            all(node.labels.get(one.key) in one.values for one in term.match_label_expressions)
            for term in found.allowed_topologies
        )


class VolumeView:
    """Follows claims, volumes and classes, and asks for the volumes of a pod.

    Args:
        cluster: Where they are.
        on_claim: Called with each claim that has changed.
        on_change: Called when a pod that did not fit may fit now.
    """

    def __init__(
        self,
        cluster: Cluster,
        *,
        on_claim: Callable[[ObjectKey], None],
        on_change: Callable[[], None],
    ) -> None:
        self._client = cluster.client
        cache = cluster.cache
        claims = cache.informer(PersistentVolumeClaim, sharded=False)
        volumes = cache.informer(PersistentVolume, sharded=False, indexes=VOLUME_INDEXES)
        classes = cache.informer(StorageClass, sharded=False)
        self._informers = (claims, volumes, classes)
        self._claims, self._volumes, self._classes = claims.store, volumes.store, classes.store
        claims.add_handler(lambda event: on_claim(event.key))
        volumes.add_handler(lambda event: on_change())
        classes.add_handler(lambda event: on_change())

    async def wait_ready(self) -> None:
        """Return once all of them are known."""
        for one in self._informers:
            await one.wait_settled()

    def of(self, pod: Pod) -> PodVolumes | None:
        """Return the volumes of *pod*; ``None`` if it names no claims."""
        keys = claim_keys(pod)
        if not keys:
            return None
        claims: list[PersistentVolumeClaim] = []
        for key in keys:
            claim = self._claims.find(key)
            if problem := _problem(claim, key.name):
                return PodVolumes(problem)
            assert claim is not None
            claims.append(claim)
        return self._sorted(claims)

    def _sorted(self, claims: Iterable[PersistentVolumeClaim]) -> PodVolumes:
        found = PodVolumes(classes={one.metadata.name: one for one in self._classes.list()})
        for claim in claims:
            if is_bound(claim):
                key = ObjectKey("", claim.spec.volume_name or "")
                found.bound.append(self._volumes.find(key))
            elif claim.spec.volume_name or not waits_for_consumer(
                found.classes.get(class_of(claim))
            ):
                return PodVolumes(UNBOUND)
            else:
                found.waiting.append(claim)
        if found.waiting:
            found.waiting.sort(key=lambda claim: request_of(claim).nanos)
            chosen = (candidates(self._volumes, claim) for claim in found.waiting)
            # Two claims may be of one class.
            found.volumes = list(
                {one.metadata.name: one for some in chosen for one in some}.values()
            )
        return found

    async def secure(self, volumes: PodVolumes, node: NodeView) -> None:
        """Ask for the missing volumes on *node*.

        Raises:
            ConflictError: Somebody was faster; choose again.
            NotFoundError: A claim or volume is gone; choose again.
        """
        choices = volumes.choices(node)
        for claim, volume in zip(volumes.waiting, choices, strict=True):
            if volume is not None:
                reserve_volume(volume, claim)
                await self._client.patch(volume, optimistic=True)
            else:
                claim.metadata.annotations[SELECTED_NODE] = node.name
                await self._client.patch(claim, optimistic=True)


def _problem(claim: PersistentVolumeClaim | None, name: str) -> str:
    if claim is None:
        return f'persistentvolumeclaim "{name}" not found'
    if claim.status.phase == "Lost":
        gone = f'non-existent persistentvolume "{claim.spec.volume_name or ""}"'
        return f'persistentvolumeclaim "{name}" bound to {gone}'
    if claim.metadata.deletion_timestamp is not None:
        return f'persistentvolumeclaim "{name}" is being deleted'
    return ""
