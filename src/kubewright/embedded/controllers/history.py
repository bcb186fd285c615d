"""ControllerRevisions: the earlier templates of StatefulSets and DaemonSets, for rollbacks."""

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from kubewright import _json
from kubewright.api.meta import ObjectMeta
from kubewright.api.owners import is_controlled_by, owner_reference
from kubewright.api.selectors import Selector
from kubewright.cluster import Cluster
from kubewright.embedded.controllers.dependents import dependents_of
from kubewright.embedded.controllers.pod_template import safe_hash
from kubewright.errors import AlreadyExistsError
from kubewright.kinds.apps.v1 import ControllerRevision, DaemonSet, StatefulSet
from kubewright.kinds.core.v1 import PodTemplateSpec

__all__ = ["History", "Snapshot", "expendable", "template_of"]

HASH_LABEL: Final = "controller.kubernetes.io/hash"
_LONGEST_NAME: Final = 223


class Snapshot(NamedTuple):
    """The revision of the current template, and how many names collided on the way to it."""

    revision: ControllerRevision
    collisions: int


class History:
    """Reads and writes the revisions of sets.

    Args:
        cluster: Where they are.
        label: The label of a revision that holds its hash.
    """

    def __init__(self, cluster: Cluster, *, label: str = HASH_LABEL) -> None:
        self._client = cluster.client
        self._revisions = dependents_of(cluster, ControllerRevision)
        self._label = label

    async def claim_revisions(
        self, owner: StatefulSet | DaemonSet, selector: Selector
    ) -> list[ControllerRevision]:
        """Adopt and release revisions as needed; return those of *owner*, the latest last."""
        found = [one.object for one in await self._revisions.claim(owner, selector)]
        return sorted(found, key=lambda one: (one.revision or 0, one.metadata.name))

    async def take_snapshot(
        self, owner: StatefulSet | DaemonSet, known: Sequence[ControllerRevision]
    ) -> Snapshot:
        """Return the revision of the current template, created or renumbered to be the latest.

        Args:
            owner: The set.
            known: Its revisions, the latest last.
        """
        collisions = owner.status.collision_count or 0
        number = max((one.revision or 0 for one in known), default=0) + 1
        same = [one for one in known if template_of(one) == owner.spec.template]
        if not same:
            return await self._create(owner, number, collisions)
        found = same[-1]
        if found is not known[-1]:
            found.revision = number
            found = await self._client.patch(found)
        return Snapshot(found, collisions)

    async def _create(
        self, owner: StatefulSet | DaemonSet, number: int, collisions: int
    ) -> Snapshot:
        while True:
            made = self._revision_for(owner, number, collisions)
            try:
                return Snapshot(await self._client.create(made), collisions)
            except AlreadyExistsError:
                found = await self._client.live.find(ControllerRevision, made.key)
            if found is not None and _is_ours(found, owner):
                return Snapshot(found, collisions)
            collisions += 1

    def _revision_for(
        self, owner: StatefulSet | DaemonSet, number: int, collisions: int
    ) -> ControllerRevision:
        data = _patch_to(owner.spec.template)
        digest = safe_hash(data, collisions)
        meta = owner.metadata
        return ControllerRevision(
            metadata=ObjectMeta(
                name=f"{meta.name[:_LONGEST_NAME]}-{digest}",
                namespace=meta.namespace,
                labels={**owner.spec.template.metadata.labels, self._label: digest},
                annotations=meta.annotations,
                owner_references=[owner_reference(owner)],
            ),
            data=data,
            revision=number,
        )

    async def delete_all(self, revisions: Sequence[ControllerRevision]) -> None:
        """Delete *revisions*."""
        for one in revisions:
            await self._client.delete(one, uid=one.metadata.uid, missing_ok=True)


def _is_ours(found: ControllerRevision, owner: StatefulSet | DaemonSet) -> bool:
    return is_controlled_by(found, owner) and template_of(found) == owner.spec.template


def _patch_to(template: PodTemplateSpec) -> dict[str, Any]:
    """Return the patch that brings a set back to *template*; kubectl sends it as it is."""
    return {"spec": {"template": {**_json.to_builtins(template), "$patch": "replace"}}}


def template_of(revision: ControllerRevision) -> PodTemplateSpec:
    """Return the template that *revision* remembers."""
    data = revision.data if isinstance(revision.data, dict) else {}
    kept = dict((data.get("spec") or {}).get("template") or {})
    kept.pop("$patch", None)
    # Go programs write "creationTimestamp": null, which a strict decoder refuses.
    return _json.decode(msgspec.json.encode(kept), PodTemplateSpec)


def expendable(
    revisions: Sequence[ControllerRevision], *, live: Collection[str], limit: int | None
) -> list[ControllerRevision]:
    """Return which of *revisions* exceed the history limit: the first that are not in use.

    Args:
        revisions: All but the current one, the latest last.
        live: Names of those that pods still have.
        limit: How many to keep; ``None`` for all.
    """
    if limit is None or limit < 0:
        return []
    unused = [one for one in revisions if one.metadata.name not in live]
    return unused[: max(0, len(revisions) - limit)]
