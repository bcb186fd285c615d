"""The volume claims of a StatefulSet: created with its pods, kept or deleted by its policy."""

from collections.abc import Sequence

from kubewright.api.kind import ObjectKey
from kubewright.api.meta import OwnerReference
from kubewright.api.owners import owner_reference
from kubewright.client import EventRecorder
from kubewright.cluster import Cluster
from kubewright.embedded.controllers.batch import said
from kubewright.embedded.controllers.dependents import dependents_of
from kubewright.embedded.controllers.pod_state import PodState
from kubewright.embedded.controllers.statefulset.identity import (
    claim_names,
    claims_for,
    ordinal_of,
    ordinals,
)
from kubewright.errors import AlreadyExistsError, KubewrightError
from kubewright.kinds.apps.v1 import StatefulSet
from kubewright.kinds.core.v1 import PersistentVolumeClaim

__all__ = ["Claims", "owners_for"]


class Claims:
    """Reads and writes the claims of sets."""

    def __init__(self, cluster: Cluster, recorder: EventRecorder) -> None:
        self._client = cluster.client
        self._claims = dependents_of(cluster, PersistentVolumeClaim)
        self._recorder = recorder

    def are_leaving(self, owner: StatefulSet, ordinal: int) -> bool:
        """Return whether a claim of an earlier pod of this ordinal is about to be deleted."""
        return any(
            one.metadata.deletion_timestamp is not None or _belongs_to_pod(one)
            for one in self._present(owner, ordinal)
        )

    async def create_missing(self, owner: StatefulSet, ordinal: int) -> None:
        """Create the missing claims of one pod."""
        present = {one.metadata.name for one in self._present(owner, ordinal)}
        for claim in claims_for(owner, ordinal):
            if claim.metadata.name not in present:
                claim.metadata.owner_references = owners_for(owner, (), pod=None, wanted=True)
                await self._create(owner, claim, f"{owner.metadata.name}-{ordinal}")

    async def hand_over(self, owner: StatefulSet, pod: PodState) -> None:
        """Set the owners of the claims of *pod*, so that they are deleted as the policy says."""
        ordinal = ordinal_of(pod.name)
        for claim in self._present(owner, ordinal):
            before = claim.metadata.owner_references
            after = owners_for(owner, before, pod=pod, wanted=ordinal in ordinals(owner))
            if before != after:
                claim.metadata.owner_references = after
                await self._client.patch(claim)

    def _present(self, owner: StatefulSet, ordinal: int) -> list[PersistentVolumeClaim]:
        names = claim_names(owner, ordinal).values()
        keys = (ObjectKey(owner.metadata.namespace, name) for name in names)
        return [claim for key in keys if (claim := self._claims.find(key)) is not None]

    async def _create(self, owner: StatefulSet, claim: PersistentVolumeClaim, pod: str) -> None:
        about = f"Claim {claim.metadata.name}"
        try:
            await self._client.create(claim)
        except AlreadyExistsError:
            return
        except KubewrightError as error:
            text = f"create {about} for Pod {pod} in StatefulSet {owner.metadata.name} failed"
            text += f" error: {said(error)}"
            self._recorder.event(owner, reason="FailedCreate", message=text, type="Warning")
            raise
        text = f"create {about} Pod {pod} in StatefulSet {owner.metadata.name} success"
        self._recorder.event(owner, reason="SuccessfulCreate", message=text)


def owners_for(
    owner: StatefulSet,
    present: Sequence[OwnerReference],
    *,
    pod: PodState | None,
    wanted: bool,
) -> list[OwnerReference]:
    """Return the owners of a claim; it is deleted with them.

    Args:
        owner: The set, with its policy.
        present: The owners that it has now; those that are not ours stay.
        pod: The pod that uses it, if there is one.
        wanted: Whether the set still wants that pod.
    """
    policy = owner.spec.persistent_volume_claim_retention_policy
    uids = {owner.metadata.uid, pod.uid if pod is not None else ""}
    others = [one for one in present if one.uid not in uids]
    if any(one.controller for one in others):
        return list(present)  # somebody else decides
    if policy is None:
        return others
    if policy.when_scaled == "Delete" and not wanted and pod is not None:
        return [*others, _pod_reference(pod)]
    if policy.when_deleted == "Delete" and (wanted or policy.when_scaled != "Delete"):
        return [*others, owner_reference(owner)]
    return others


def _pod_reference(pod: PodState) -> OwnerReference:
    return OwnerReference(
        api_version="v1",
        kind="Pod",
        name=pod.name,
        uid=pod.uid,
        controller=True,
        block_owner_deletion=True,
    )


def _belongs_to_pod(claim: PersistentVolumeClaim) -> bool:
    return any(one.kind == "Pod" for one in claim.metadata.owner_references)
