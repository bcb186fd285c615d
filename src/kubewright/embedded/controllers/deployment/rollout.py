"""`Rollout`: one step from the old replica sets of a deployment to the new one."""

from collections.abc import Callable, Sequence

from kubewright.api.owners import is_controlled_by
from kubewright.client import EventRecorder
from kubewright.cluster import Cluster
from kubewright.embedded.controllers.batch import is_ending_namespace, said
from kubewright.embedded.controllers.deployment import revision
from kubewright.embedded.controllers.deployment.scaling import (
    Scale,
    annotate_size,
    new_size,
    resized,
    rolled_down,
    size_of,
)
from kubewright.embedded.controllers.deployment.status import is_complete, set_progress
from kubewright.embedded.controllers.pod_template import is_same_template
from kubewright.errors import AlreadyExistsError, APIError
from kubewright.kinds.apps.v1 import Deployment, ReplicaSet

__all__ = ["Rollout"]


class Rollout:
    """The replica sets of one deployment, and the steps of one reconcile.

    It writes replica sets at once. The deployment is changed in memory only; the caller writes it
    at the end.

    Attributes:
        new: The set of the current template, if there is one.
        old: The others, from the oldest to the newest.
        changed: Whether anything was written.
    """

    def __init__(
        self,
        cluster: Cluster,
        recorder: EventRecorder,
        deployment: Deployment,
        sets: Sequence[ReplicaSet],
    ) -> None:
        self._client = cluster.client
        self._clock = cluster.clock
        self._recorder = recorder
        self._deployment = deployment
        self.new: ReplicaSet | None = revision.find_new(deployment, sets)
        self.old: list[ReplicaSet] = sorted(
            (one for one in sets if one is not self.new), key=revision.age
        )
        self.changed: bool = False

    @property
    def sets(self) -> list[ReplicaSet]:
        """All of them."""
        return [*self.old, *([self.new] if self.new is not None else [])]

    async def assign_revision(self) -> None:
        """Give the new set, if there is one, and the deployment the latest revision number."""
        new, deployment = self.new, self._deployment
        if new is None:
            return
        revision.annotate(new, deployment, revision.next_revision(self.old))
        new.spec.min_ready_seconds = deployment.spec.min_ready_seconds or None
        await self._update(new)
        self._note_revision(new)
        if not any(one.type == "Progressing" for one in deployment.status.conditions):
            self._progress("FoundNewReplicaSet", f'Found new replica set "{new.metadata.name}"')

    async def roll(self) -> bool:
        """Scale the new set up, or else the old ones down, as far as the strategy allows now.

        Returns:
            False if the new set was not created because its name is taken.
        """
        new = await self._ensure_replica_set()
        if new is None:
            return False
        if not await self._scale(Scale(new, new_size(self._deployment, new, self.old))):
            for one in rolled_down(self._deployment, new, self.old):
                await self._scale(one)
        return True

    async def recreate(self, runs: Callable[[ReplicaSet], bool]) -> bool:
        """Scale the old sets to zero, and create the new one once their last pod is gone.

        Args:
            runs: Tells whether a set has pods that have not ended.

        Returns:
            False if the new set was not created because its name is taken.
        """
        active = [one for one in self.old if size_of(one)]
        for one in active:
            await self._scale(Scale(one, 0))
        if active or any(one.status.replicas or runs(one) for one in self.old):
            return True
        new = await self._ensure_replica_set()
        if new is None:
            return False
        await self._scale(Scale(new, new_size(self._deployment, new, self.old)))
        return True

    async def resize(self) -> None:
        """Scale all sets for the number of replicas that is wanted now."""
        for one in resized(self._deployment, self.new, self.old):
            await self._scale(one, note=True)
        if self._deployment.spec.paused:
            await self._delete_old()

    async def clean_up(self) -> None:
        """Delete old sets beyond the history limit, once the rollout is complete."""
        if is_complete(self._deployment, self._deployment.status):
            await self._delete_old()

    async def _delete_old(self) -> None:
        for one in revision.expendable(self._deployment, self.old):
            await self._client.delete(one, uid=one.metadata.uid, missing_ok=True)
            self.changed = True

    async def _ensure_replica_set(self) -> ReplicaSet | None:
        """Return the new set, created if it does not exist; ``None`` after a name collision."""
        if self.new is not None:
            return self.new
        deployment = self._deployment
        made = revision.replica_set_for(deployment, revision.next_revision(self.old))
        made.spec.replicas = new_size(deployment, made, self.old)
        try:
            self.new = await self._client.create(made)
        except AlreadyExistsError:
            self.new = await self._resolve_collision(made)
            return self.new
        except APIError as error:
            self._report_failure(made, error)
            raise
        self.changed = True
        name = made.metadata.name
        if made.spec.replicas:
            self._event(f"Scaled up replica set {name} from 0 to {made.spec.replicas}")
        self._note_revision(self.new)
        self._progress("NewReplicaSetCreated", f'Created new replica set "{name}"')
        return self.new

    async def _resolve_collision(self, made: ReplicaSet) -> ReplicaSet | None:
        """Return the set that has this name already if it is ours; else count a collision."""
        found = await self._client.live.find(ReplicaSet, made.key)
        if (
            found is not None
            and is_controlled_by(found, self._deployment)
            and is_same_template(found.spec.template, made.spec.template)
        ):
            return found
        status = self._deployment.status
        status.collision_count = (status.collision_count or 0) + 1
        return None

    def _report_failure(self, made: ReplicaSet, error: APIError) -> None:
        if is_ending_namespace(error):
            return
        text = f'Failed to create new replica set "{made.metadata.name}": {said(error)}'
        reason = "ReplicaSetCreateError"
        set_progress(self._deployment, reason, text, failed=True, now=self._clock.now())
        self._recorder.event(self._deployment, reason=reason, message=text, type="Warning")

    async def _scale(self, scale: Scale, *, note: bool = False) -> bool:
        """Scale a set if it has another size; return whether it had.

        Args:
            scale: The set and its size.
            note: Whether to write the wanted size into its annotations in any case.
        """
        one, before = scale.set, size_of(scale.set)
        if before == scale.size and not note:
            return False
        annotate_size(one, self._deployment)
        one.spec.replicas = scale.size
        await self._update(one)
        if before != scale.size:
            way = "up" if before < scale.size else "down"
            name = one.metadata.name
            self._event(f"Scaled {way} replica set {name} from {before} to {scale.size}")
        return before != scale.size

    async def _update(self, one: ReplicaSet) -> None:
        """Write the changes of *one*, and keep what the server stored."""
        stored = await self._client.patch(one, optimistic=True)
        if stored is one:
            return
        self.changed = True
        if one is self.new:
            self.new = stored
        else:
            self.old[self.old.index(one)] = stored

    def _note_revision(self, new: ReplicaSet) -> None:
        number = new.metadata.annotations.get(revision.REVISION)
        if number is not None:
            self._deployment.metadata.annotations[revision.REVISION] = number

    def _progress(self, reason: str, message: str) -> None:
        set_progress(self._deployment, reason, message, now=self._clock.now())

    def _event(self, message: str) -> None:
        self._recorder.event(self._deployment, reason="ScalingReplicaSet", message=message)
