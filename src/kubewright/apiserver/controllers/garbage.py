"""Garbage collection: what is owned goes when its owner goes, in the way the owner was deleted."""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from kubewright.apiserver.backend import Backend
from kubewright.apiserver.controllers.loopback import Handle, Loopback
from kubewright.apiserver.controllers.worker import NotYetError
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.storage import Event, Stored
from kubewright.apiserver.wire.request import Response

if TYPE_CHECKING:
    from kubewright.apiserver.controllers.worker import Worker

ORPHAN: str = "orphan"
FOREGROUND: str = "foregroundDeletion"
MERGE: str = "application/merge-patch+json"


class StoredKey(NamedTuple):
    """Where an object is."""

    resource: GroupResource
    key: str


class Owner(msgspec.Struct, rename="camel", gc=False, frozen=True):
    """An owner reference."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    block_owner_deletion: bool = False


class _Metadata(msgspec.Struct, rename="camel", gc=False):
    uid: str = ""
    owner_references: list[Owner] = []
    finalizers: list[str] = []
    deletion_timestamp: str | None = None


class _Object(msgspec.Struct, gc=False):
    metadata: _Metadata


_metadata = msgspec.json.Decoder(_Object).decode


class GarbageCollector:
    """Knows who owns whom, and deletes what nobody owns any longer."""

    def __init__(self, backend: Backend, handle: Handle) -> None:
        self._backend = backend
        self._loopback = Loopback(handle, backend.registry, "garbage-collector")
        self._owned: dict[str, dict[StoredKey, None]] = {}
        self._owners: dict[StoredKey, tuple[Owner, ...]] = {}
        self._gone: set[str] = set()
        self._worker: Worker

    def start(self, worker: "Worker") -> None:
        """Look at every object, and at every change from now on."""
        self._worker = worker
        store = self._backend.store
        store.listen(self._handle_event)
        for resource in store.resources():
            for stored in store.collection(resource).list():
                self._see(StoredKey(resource, stored.key), stored)

    def _handle_event(self, resource: GroupResource, event: Event) -> None:
        place = StoredKey(resource, event.current.key)
        if event.type == "DELETED":
            self._forget(place)
            self._look_after(_metadata(event.current.data).metadata, gone=True)
        else:
            self._see(place, event.current)

    def _see(self, place: StoredKey, stored: Stored) -> None:
        """Note the owners of an object; most have none, which the bytes tell."""
        data = stored.data
        if b'"ownerReferences"' not in data:
            if place in self._owners:
                self._forget(place)
            if b'"deletionTimestamp"' in data:
                self._look_after(_metadata(data).metadata, place=place)
            return
        found = _metadata(data).metadata
        owners = tuple(found.owner_references)
        if self._owners.get(place) != owners:
            self._forget(place)
            self._owners[place] = owners
            for owner in owners:
                self._owned.setdefault(owner.uid, {})[place] = None
            if any(self._owner_state(owner, place) != "solid" for owner in owners):
                self._worker.add(place)
        self._look_after(found, place=place)

    def _forget(self, place: StoredKey) -> None:
        for owner in self._owners.pop(place, ()):
            places = self._owned.get(owner.uid)
            if places is not None:
                places.pop(place, None)
                if not places:
                    del self._owned[owner.uid]
                    self._gone.discard(owner.uid)
            # A foreground deletion may have waited for this object.
            self._revisit_owner(owner, place)

    def _revisit_owner(self, owner: Owner, place: StoredKey) -> None:
        found = self._find_owner(owner, place)
        if found is not None:
            self._worker.add(found)

    def _look_after(
        self, found: _Metadata, *, place: StoredKey | None = None, gone: bool = False
    ) -> None:
        """Queue the dependents of an object that goes, and the object if it waits for them."""
        if gone:
            if found.uid in self._owned:
                # The definition of its kind may be deleted before the worker looks.
                self._gone.add(found.uid)
            for dependent in self._owned.get(found.uid, ()):
                self._worker.add(dependent)
        elif place is not None and found.deletion_timestamp:
            self._worker.add(place)

    # Finding.

    def _load(self, place: StoredKey) -> Obj | None:
        stored = self._backend.store.collection(place.resource).find(place.key)
        return stored.decode() if stored else None

    def _find_owner(self, owner: Owner, place: StoredKey) -> StoredKey | None:
        """Return where the owner of the object at *place* is, if it is still the same."""
        group = owner.api_version.rpartition("/")[0]
        resource = self._backend.registry.find_any(group, owner.kind)
        if resource is None:
            return None
        namespace = place.key.rpartition("/")[0]
        key = f"{namespace}/{owner.name}" if resource.namespaced else owner.name
        found = StoredKey(resource.group_resource, key)
        stored = self._backend.store.collection(found.resource).find(key)
        if stored is None or _metadata(stored.data).metadata.uid != owner.uid:
            return None
        return found

    def _owner_state(self, owner: Owner, place: StoredKey) -> str:
        """Return ``solid``, ``waiting`` (for its dependents), or ``gone``."""
        if owner.uid in self._gone:
            return "gone"
        group = owner.api_version.rpartition("/")[0]
        resource = self._backend.registry.find_any(group, owner.kind)
        if resource is None:
            return "solid"  # unknown: a kind that is not served here may be served elsewhere
        if resource.namespaced and "/" not in place.key:
            return "solid"  # its namespace is unknown
        found = self._find_owner(owner, place)
        if found is None:
            return "gone"
        obj = self._load(found)
        assert obj is not None
        return "waiting" if _waits(obj) else "solid"

    def _dependents(self, uid: str) -> Iterator[tuple[StoredKey, Obj]]:
        for place in list(self._owned.get(uid, ())):
            if (obj := self._load(place)) is not None:
                yield place, obj

    # Working.

    async def work(self, key: object) -> None:
        """Do what the object at *key* needs, as an owner and as one that is owned."""
        assert isinstance(key, StoredKey)
        obj = self._load(key)
        if obj is None:
            return
        meta = obj["metadata"]
        if meta.get("deletionTimestamp"):
            if ORPHAN in meta.get("finalizers", ()):
                await self._orphan(key, obj)
                return
            if FOREGROUND in meta.get("finalizers", ()):
                await self._delete_dependents_first(key, obj)
                return
        if meta.get("ownerReferences"):
            await self._check_owners(key, obj)

    async def _orphan(self, place: StoredKey, obj: Obj) -> None:
        uid = obj["metadata"]["uid"]
        for dependent, found in self._dependents(uid):
            await self._disown(dependent, found, {uid})
            await asyncio.sleep(0)  # others want to be served meanwhile
        await self._release(place, obj, ORPHAN)

    async def _delete_dependents_first(self, place: StoredKey, obj: Obj) -> None:
        uid = obj["metadata"]["uid"]
        blocking = False
        for dependent, found in list(self._dependents(uid)):
            try:
                await self._check_owners(dependent, found)
                await asyncio.sleep(0)  # others want to be served meanwhile
            except NotYetError:
                self._worker.add(dependent)  # by itself: the others need not wait for it
            # As it is now: it may be gone, or block no longer.
            owners = self._owners.get(dependent, ())
            blocking |= any(one.uid == uid and one.block_owner_deletion for one in owners)
        if not blocking:
            await self._release(place, obj, FOREGROUND)

    async def _check_owners(self, place: StoredKey, obj: Obj) -> None:
        """Delete the object if no owner is left, or forget those that are gone."""
        owners = self._owners.get(place, ())
        states = {owner.uid: self._owner_state(owner, place) for owner in owners}
        if not states or set(states.values()) == {"solid"}:
            return
        bad = {uid for uid, state in states.items() if state != "solid"}
        if "solid" in states.values():
            await self._disown(place, obj, bad)
            return
        meta = obj["metadata"]
        if meta.get("deletionTimestamp"):
            return
        policy = "Background"
        if "waiting" in states.values() and self._owned.get(meta["uid"]):
            policy = "Foreground"
            if any(_waits(found) for _, found in self._dependents(meta["uid"])):
                await self._unblock(place, obj)
        elif ORPHAN in meta.get("finalizers", ()):
            policy = "Orphan"
        elif FOREGROUND in meta.get("finalizers", ()):
            policy = "Foreground"
        await self._delete(place, meta, policy)

    async def _delete(self, place: StoredKey, meta: dict[str, Any], policy: str) -> None:
        path = self._path(place)
        if path is None:
            return
        options = {"preconditions": {"uid": meta["uid"]}, "propagationPolicy": policy}
        _check(await self._loopback.ask("DELETE", path, options))

    async def _disown(self, place: StoredKey, obj: Obj, owners: set[str]) -> None:
        path = self._path(place)
        kept = [
            one for one in obj["metadata"].get("ownerReferences", ()) if one["uid"] not in owners
        ]
        if path is not None:
            change = {"uid": obj["metadata"]["uid"], "ownerReferences": kept or None}
            _check(await self._loopback.ask("PATCH", path, {"metadata": change}, media=MERGE))

    async def _unblock(self, place: StoredKey, obj: Obj) -> None:
        """Stop an object from blocking the deletion of its owners, which it may own in turn.

        In such a circle each object would wait for the next for ever.
        """
        path = self._path(place)
        owners = [
            {**one, "blockOwnerDeletion": False}
            for one in obj["metadata"].get("ownerReferences", ())
        ]
        if path is not None:
            change = {"uid": obj["metadata"]["uid"], "ownerReferences": owners}
            _check(await self._loopback.ask("PATCH", path, {"metadata": change}, media=MERGE))

    async def _release(self, place: StoredKey, obj: Obj, finalizer: str) -> None:
        path = self._path(place)
        kept = [name for name in obj["metadata"].get("finalizers", ()) if name != finalizer]
        if path is not None:
            change = {
                "resourceVersion": obj["metadata"]["resourceVersion"],
                "finalizers": kept or None,
            }
            answer = await self._loopback.ask("PATCH", path, {"metadata": change}, media=MERGE)
            if answer.status == 409:  # noqa: PLR2004  # Conflict: look again at what it is now
                self._worker.add(place)
            else:
                _check(answer)

    def _path(self, place: StoredKey) -> str | None:
        namespace, _, name = place.key.rpartition("/")
        return self._loopback.path(place.resource, namespace, name)


def _waits(obj: Obj) -> bool:
    """Whether an object is being deleted, and waits for those that it owns."""
    meta = obj["metadata"]
    return bool(meta.get("deletionTimestamp")) and FOREGROUND in meta.get("finalizers", ())


def _check(answer: Response) -> None:
    """Have it tried again if it was refused; what is gone, or another object now, is fine."""
    if answer.status not in (200, 202, 404, 409):
        raise NotYetError
