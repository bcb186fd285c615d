"""`Objects`: puts the objects of a release on the server, watches them, and removes them."""

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from kubewright.api.kind import GroupVersionKind, ObjectKey
from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.client.wait import wait_for
from kubewright.errors import APIError, InvalidError, NoMatchError, NotFoundError, TerminalError
from kubewright.helm.bodies import (
    beside,
    digest,
    of_uid,
    projected,
    three_way,
    together,
    with_encoded_texts,
    without_status,
)
from kubewright.helm.managed_fields import is_applied_by, loosened, taken_over
from kubewright.helm.manifest import identity
from kubewright.helm.ownership import (
    MANAGED_BY,
    RELEASE_NAME,
    RELEASE_NAMESPACE,
    Owner,
    is_irreplaceable,
    is_kept,
    is_known,
    is_marked,
    is_owned,
    names_other,
    owners,
)

if TYPE_CHECKING:
    from kubewright.cluster import Cluster
    from kubewright.helm.dependents import Dependents

__all__ = ["Objects", "Owner", "is_kept"]

ESTABLISHED_WITHIN: float = 60.0
_DEFINITION = "CustomResourceDefinition"
_NOT_APPLICABLE = ("duplicate entries for key", "omits key field")
"""What a server says of an object that can be written, and not applied."""


class _Applied(msgspec.Struct, frozen=True):
    """What was applied to an object, and what it looked like afterwards."""

    uid: str
    wanted: bytes
    found: bytes


class _Seen(msgspec.Struct, frozen=True):
    """An object of a manifest, and the version of it that agreed with it."""

    obj: dict[str, Any]
    kind: Kind
    key: ObjectKey
    version: str


class Objects:
    """Writes the objects of releases.

    Args:
        cluster: Where they are.
        dependents: Where they are watched.
        field_owner: The owner of their fields.
    """

    def __init__(self, cluster: "Cluster", dependents: "Dependents", field_owner: str) -> None:
        self._cluster = cluster
        self._dependents = dependents
        self._field_owner = field_owner
        self._applied: dict[tuple[str, str, GroupVersionKind, ObjectKey], _Applied] = {}
        self._seen: dict[tuple[str, str, GroupVersionKind, ObjectKey], _Seen] = {}

    async def check_ownership(
        self, objects: list[dict[str, Any]], owner: Owner, *, before: bool = False
    ) -> None:
        """Refuse objects that are there already and belong to somebody else.

        Args:
            objects: What is about to be applied.
            owner: The release.
            before: Whether a revision before had them, too. Then their marks may have been taken
                away by hand; what is new must have them.

        Raises:
            TerminalError: There is one.
        """
        for obj in objects:
            live = await self._find_live(*identity(obj, owner.namespace))
            if live is None or is_marked(live, owner):
                continue
            if not before or not self._is_ours(live, owner):
                raise _refusal(live, owner)

    async def ensure(self, objects: list[dict[str, Any]], owner: Owner) -> bool:
        """Mend the objects that differ from what was applied; return whether there were any.

        A Job that its ``ttlSecondsAfterFinished`` removes is not made again.

        Raises:
            TerminalError: One belongs to somebody else now; all others are mended.
        """
        changed = False
        refused: TerminalError | None = None
        for obj in objects:
            if self._is_as_seen(obj, owner):
                continue
            body = await self._dressed(obj, owner)
            live = await self._dependents.find(body)
            if live is None and _goes_when_done(body):
                continue
            if live is not None and self._agrees(owner, beside(body, live), live):
                self._seen[_known(obj, owner)] = _Seen(
                    obj, Kind(body.api_version, body.kind), body.key, live.resource_version
                )
                continue
            try:
                await self._apply(body, owner)
            except TerminalError as error:
                refused = refused or error
            changed = True
        if refused is not None:
            raise refused
        return changed

    async def apply(
        self,
        objects: list[dict[str, Any]],
        owner: Owner,
        *,
        before: Iterable[dict[str, Any]] = (),
        replace: bool = False,
    ) -> None:
        """Apply *objects*, one after the other.

        Args:
            objects: What to apply, in order.
            owner: The release.
            before: What is there by now, to know what is to be taken away.
            replace: Whether to make an object anew that does not accept a change.

        Raises:
            TerminalError: One belongs to somebody else, or is never made anew.
        """
        known = {_named(one, owner): one for one in before}
        for obj in objects:
            body = await self._dressed(obj, owner)
            try:
                await self._apply(body, owner, known.get(_named(obj, owner)))
            except InvalidError as error:
                if not replace:
                    raise
                await self._make_way(body, owner, error)
                await self._apply(body, owner)

    async def take_over(self, objects: list[dict[str, Any]], owner: Owner) -> None:
        """Become the owner of the fields that helm has set.

        Otherwise a field that a later manifest leaves out would stay: it would still be helm's.
        """
        for obj in objects:
            live = await self._find_live(*identity(obj, owner.namespace))
            if live is not None and is_marked(live, owner):
                await self._write_managed_fields(live, taken_over(live, self._field_owner))

    async def create_definitions(self, definitions: list[dict[str, Any]]) -> None:
        """Create the CRDs that are not there; those that are stay as they are."""
        for found in definitions:
            crd = Unstructured(found)
            if await self._find_live(crd.gvk, crd.key) is None:
                await self._cluster.client.create(crd)
                if crd.kind == _DEFINITION:
                    await self._wait_established(crd)

    async def delete(self, objects: list[dict[str, Any]], owner: Owner) -> list[str]:
        """Delete *objects* of the release; return those that are still there, in words."""
        left = []
        for obj in objects:
            gvk, key = identity(obj, owner.namespace)
            self._applied.pop(_known(obj, owner), None)
            self._seen.pop(_known(obj, owner), None)
            live = await self._find_live(gvk, key)
            if live is None:
                continue
            if is_kept(live) or is_kept(obj) or names_other(live, owner):
                await self._disown(live, owner)  # or it would go with the custom object
                continue
            if not is_marked(live, owner):
                continue
            if live.metadata.deletion_timestamp is None:
                await self._cluster.client.delete(
                    Kind(gvk.api_version, gvk.kind), key, uid=live.metadata.uid,
                    propagation="Background", missing_ok=True,
                )  # fmt: skip
            if await self._find_live(gvk, key) is not None:
                left.append(f"{gvk.kind} {key}")
        return left

    async def release_kept(self, objects: list[dict[str, Any]], owner: Owner) -> None:
        """Let go of those of *objects* that stay when the custom object goes."""
        for obj in objects:
            live = await self._find_live(*identity(obj, owner.namespace))
            if live is not None and (is_kept(live) or is_kept(obj)):
                await self._disown(live, owner)

    def forget(self, name: str, namespace: str) -> None:
        """Forget a release that is gone."""
        for found in (self._applied, self._seen):
            for known in [one for one in found if one[:2] == (namespace, name)]:
                del found[known]

    async def _dressed(self, obj: dict[str, Any], owner: Owner) -> Unstructured:
        """Return *obj* as it is applied: with its namespace, its owner and Helm's marks."""
        gvk, key = identity(obj, owner.namespace)
        namespaced = await self._is_namespaced(gvk, str(key))
        metadata = {**obj["metadata"]}
        metadata.pop("creationTimestamp", None)
        if namespaced:
            metadata["namespace"] = key.namespace
        else:
            metadata.pop("namespace", None)
        metadata["labels"] = {**(metadata.get("labels") or {}), MANAGED_BY: "Helm"}
        metadata["annotations"] = {
            **(metadata.get("annotations") or {}),
            RELEASE_NAME: owner.name,
            RELEASE_NAMESPACE: owner.namespace,
        }
        reachable = not owner.is_namespaced or (namespaced and key.namespace == owner.namespace)
        if reachable and not is_kept(obj):
            metadata["ownerReferences"] = [owner.reference]
        return Unstructured(with_encoded_texts({**obj, "metadata": metadata}))

    async def _is_namespaced(self, gvk: GroupVersionKind, name: str) -> bool:
        try:
            mapping = await self._cluster.client.mapper.mapping(gvk)
        except NoMatchError as error:
            raise TerminalError(f"cannot make the {gvk.kind} {name!r}: {error}") from error
        return mapping.namespaced

    async def _apply(
        self, body: Unstructured, owner: Owner, before: dict[str, Any] | None = None
    ) -> None:
        await self._dependents.follow(Kind(body.api_version, body.kind))
        live = await self._find_live(body.gvk, body.key)
        if live is not None and not self._is_ours(live, owner):
            raise _refusal(live, owner)
        body = beside(body, live)
        if live is not None and before is not None and not is_applied_by(live, self._field_owner):
            live = await self._write_whole(body, live, owner, before)  # as it was before
        try:
            answer = await self._cluster.client.apply(
                of_uid(body, live), field_owner=self._field_owner, force=True
            )
        except APIError as error:
            if not any(one in str(error) for one in _NOT_APPLICABLE):
                raise
            answer = await self._write_whole(body, live, owner, before)
        else:
            await self._write_managed_fields(answer, loosened(answer, self._field_owner))
        if "ownerReferences" not in body["metadata"]:
            answer = await self._disown(answer, owner)
        known = (owner.namespace, owner.name, body.gvk, body.key)
        self._applied[known] = _Applied(
            answer.metadata.uid, digest(body), digest(projected(answer, body))
        )
        if body.kind == _DEFINITION:
            await self._wait_established(body)

    async def _write_whole(
        self,
        body: Unstructured,
        live: Unstructured | None,
        owner: Owner,
        before: dict[str, Any] | None,
    ) -> Unstructured:
        """Write *body* as it is: it has an entry of a list twice, which an apply cannot have.

        What is to be taken away is told by the manifest *before*, as by Helm: older servers write
        no managedFields for such an object.
        """
        by = self._field_owner
        if live is None:
            return await self._cluster.client.create(body, field_owner=by)
        seen = {"uid": live.metadata.uid, "resourceVersion": live.resource_version}
        wanted = together(without_status(body), {"metadata": seen})
        if found := body["metadata"].get("ownerReferences"):
            wanted["metadata"]["ownerReferences"] = [*owners(live, owner), *found]
        patch = three_way(before or {}, wanted)
        kind = Kind(body.api_version, body.kind)
        return await self._cluster.client.patch(kind, body.key, patch, field_owner=by)

    async def _write_managed_fields(
        self, live: Unstructured, fields: list[dict[str, Any]] | None
    ) -> None:
        if fields is None:
            return
        patch = [
            {"op": "test", "path": "/metadata/uid", "value": live.metadata.uid},
            {"op": "replace", "path": "/metadata/managedFields", "value": fields},
        ]
        kind = Kind(live.api_version, live.kind)
        await self._cluster.client.patch(kind, live.key, patch, patch_type="json")

    async def _disown(self, live: Unstructured, owner: Owner) -> Unstructured:
        """Take the custom object away from the owners of *live*, and return what it is then."""
        if not is_owned(live, owner):
            return live
        metadata = {
            "uid": live.metadata.uid,
            "resourceVersion": live.resource_version,
            "ownerReferences": owners(live, owner) or None,
        }
        kind = Kind(live.api_version, live.kind)
        with suppress(NotFoundError):
            return await self._cluster.client.patch(kind, live.key, {"metadata": metadata})
        return live

    def _is_ours(self, live: Unstructured, owner: Owner) -> bool:
        """Say whether *live* is of this release: by its marks, or as what we have written."""
        if is_known(live, owner, self._field_owner):
            return True
        before = self._applied.get((owner.namespace, owner.name, live.gvk, live.key))
        is_same = before is not None and before.uid == live.metadata.uid
        return is_same and not names_other(live, owner)

    def _is_as_seen(self, obj: dict[str, Any], owner: Owner) -> bool:
        """Say whether neither *obj* nor what is there has changed since they agreed.

        An event of one object is a look at all of its release, which may be large.
        """
        seen = self._seen.get(_known(obj, owner))
        if seen is None or seen.obj is not obj:
            return False
        return self._dependents.version(seen.kind, seen.key) == seen.version

    def _agrees(self, owner: Owner, body: Unstructured, live: Unstructured) -> bool:
        """Say whether *live* is as it was after *body* was applied, or as *body* says."""
        if "ownerReferences" not in body["metadata"] and is_owned(live, owner):
            return False
        found = projected(live, body)
        before = self._applied.get((owner.namespace, owner.name, body.gvk, body.key))
        if before is None or before.wanted != digest(body):
            return bool(found == without_status(body))
        return before.uid == live.metadata.uid and before.found == digest(found)

    async def _wait_established(self, crd: Unstructured) -> None:
        def ready(live: Unstructured | None) -> bool:
            conditions = live.status.get("conditions") or () if live is not None else ()
            return any(
                one["type"] == "Established" and one["status"] == "True" for one in conditions
            )

        kind = Kind(crd.api_version, crd.kind)
        await wait_for(self._cluster.live, kind, crd.name, ready, timeout=ESTABLISHED_WITHIN)
        self._cluster.client.mapper.reset()

    async def _make_way(self, body: Unstructured, owner: Owner, error: InvalidError) -> None:
        """Delete the object that does not become *body*, and wait until it is gone.

        Raises:
            InvalidError: There is none, so nothing is in the way.
            TerminalError: It belongs to somebody else, or what it holds would be lost.
        """
        live = await self._find_live(body.gvk, body.key)
        if live is None:
            raise error
        if not self._is_ours(live, owner):
            raise _refusal(live, owner)
        if is_kept(live) or is_kept(body) or is_irreplaceable(live):
            raise TerminalError(
                f"{error}. {live.kind} {str(live.key)!r} is not made anew, since what it holds"
                " would be lost. Delete it yourself if it may be, or take the change back."
            ) from error
        kind, uid = Kind(body.api_version, body.kind), live.metadata.uid
        await self._cluster.client.delete(kind, body.key, uid=uid, missing_ok=True)
        await wait_for(
            self._cluster.live, kind, body.key,
            lambda found: found is None or found.metadata.uid != uid, timeout=ESTABLISHED_WITHIN,
        )  # fmt: skip

    async def _find_live(self, gvk: GroupVersionKind, key: ObjectKey) -> Unstructured | None:
        try:
            return await self._cluster.live.find(Kind(gvk.api_version, gvk.kind), key)
        except (NoMatchError, NotFoundError):
            return None  # the server does not have the kind, so none of its objects


def _goes_when_done(body: Unstructured) -> bool:
    """Say whether the cluster removes *body* by itself: to make it again would run it again."""
    is_job = body.kind == "Job" and body.gvk.group == "batch"
    return is_job and (body.get("spec") or {}).get("ttlSecondsAfterFinished") is not None


def _known(obj: dict[str, Any], owner: Owner) -> tuple[str, str, GroupVersionKind, ObjectKey]:
    return (owner.namespace, owner.name, *identity(obj, owner.namespace))


def _named(obj: dict[str, Any], owner: Owner) -> tuple[str, str, ObjectKey]:
    gvk, key = identity(obj, owner.namespace)
    return gvk.group, gvk.kind, key


def _refusal(live: Unstructured, owner: Owner) -> TerminalError:
    return TerminalError(
        f"{live.kind} {str(live.key)!r} is there already, and does not belong to the release"
        f" {owner.name!r}. Remove it; or let it be adopted, with the label"
        f" {MANAGED_BY}=Helm and the annotations {RELEASE_NAME}={owner.name} and"
        f" {RELEASE_NAMESPACE}={owner.namespace}."
    )
