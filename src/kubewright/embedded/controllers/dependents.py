"""`Dependents`: the objects of one kind by their controller, with adoption and release."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from kubewright.api.kind import ObjectKey
from kubewright.api.meta import OwnerReference
from kubewright.api.owners import owner_reference
from kubewright.api.resource import Resource
from kubewright.api.selectors import Selector
from kubewright.cache.entry import Entry, Event
from kubewright.client import Client
from kubewright.cluster import Cluster
from kubewright.errors import NotFoundError

__all__ = [
    "Dependents",
    "controller_in",
    "dependents_of",
    "is_orphan_event",
    "patch_metadata",
]

R = TypeVar("R", bound=Resource)

_shared: WeakKeyDictionary[Cluster, dict[type[Resource], "Dependents[Any]"]] = WeakKeyDictionary()


def dependents_of(cluster: Cluster, kind: type[R]) -> "Dependents[R]":
    """Return the dependents of *kind* in *cluster*; all controllers share them."""
    known = _shared.setdefault(cluster, {})
    if kind not in known:
        known[kind] = Dependents(cluster, kind)
    return known[kind]


def controller_in(entry: Entry[Any]) -> OwnerReference | None:
    """Return the owner that controls *entry*, or ``None``."""
    return next((one for one in entry.owners if one.controller), None)


def is_orphan_event(event: Event[Any]) -> bool:
    """Return whether an object has no controller before or after a change."""
    return any(one is not None and controller_in(one) is None for one in (event.old, event.new))


async def patch_metadata(
    client: Client, kind: type[Resource], key: ObjectKey, *, uid: str, change: Mapping[str, object]
) -> None:
    """Patch the metadata of the object with this *uid*; do nothing if it is gone."""
    patch = {"metadata": {"uid": uid, **change}}
    try:
        await client.patch(kind, key, patch, patch_type="strategic")
    except NotFoundError as error:
        if not error.is_about_object:
            raise


class Dependents(Generic[R]):
    """Finds the objects of an owner, and those without a controller, by index.

    Args:
        cluster: Where they are; its cache keeps all of them.
        kind: Their class.
    """

    def __init__(self, cluster: Cluster, kind: type[R]) -> None:
        self._client = cluster.client
        self._kind = kind
        self._informer = cluster.cache.informer(kind, sharded=False)
        self._orphans: dict[str, dict[ObjectKey, None]] = {}
        self._informer.add_handler(self._note_event)

    def owned_by(self, uid: str) -> list[Entry[R]]:
        """Return what the object *uid* controls."""
        owned = self._informer.store.list_entries(index="owner", value=uid)
        return [one for one in owned if (by := controller_in(one)) and by.uid == uid]

    def orphans(self, namespace: str) -> list[Entry[R]]:
        """Return the objects in *namespace* that have no controller."""
        find = self._informer.store.find_entry
        # They were orphans when the watch showed them; we may have adopted them since.
        found = (find(key) for key in self._orphans.get(namespace, ()))
        return [one for one in found if one is not None and controller_in(one) is None]

    def find(self, key: ObjectKey) -> R | None:
        """Return a fresh copy of an object, whoever controls it."""
        return self._informer.store.find(key)

    def all_keys(self) -> Iterator[ObjectKey]:
        """Yield the keys of all objects in the cache."""
        return self._informer.store.keys()

    def in_namespace(self, namespace: str) -> list[R]:
        """Return fresh copies of all objects in *namespace* that the cache has."""
        return self._informer.store.list(namespace)

    async def claim(
        self,
        owner: Resource,
        selector: Selector,
        *,
        fits: Callable[[Entry[R]], bool] = lambda _: True,
    ) -> list[Entry[R]]:
        """Adopt and release objects as needed, and return what *owner* controls then.

        It adopts what it selects and nobody controls, and releases what it no longer selects. An
        owner that is being deleted does neither.

        Args:
            owner: The controller.
            selector: What it selects.
            fits: A further condition that an object must meet, besides the selector.
        """
        leaving = owner.metadata.deletion_timestamp is not None
        claimed = []
        for entry in self.owned_by(owner.metadata.uid):
            if selector.matches(entry.labels) and fits(entry):
                claimed.append(entry)
            elif not leaving:
                await self._release(entry, owner)
        strays = [] if leaving else self.orphans(owner.metadata.namespace)
        wanted = [e for e in strays if not e.deleting and selector.matches(e.labels) and fits(e)]
        if wanted and await self._may_adopt(owner):
            claimed += [one for each in wanted if (one := await self._adopt(each, owner))]
        return claimed

    async def _may_adopt(self, owner: Resource) -> bool:
        # Asks the server: the cache may not know yet that the owner is being deleted, and what it
        # adopted then would be deleted with it.
        fresh = await self._client.live.find(type(owner), owner.key)
        meta = fresh.metadata if fresh is not None else None
        return (
            meta is not None and meta.uid == owner.metadata.uid and meta.deletion_timestamp is None
        )

    async def _adopt(self, entry: Entry[R], owner: Resource) -> Entry[R] | None:
        await self._refer(entry, owner_reference(owner))
        return self._informer.store.find_entry(entry.key)

    async def _release(self, entry: Entry[R], owner: Resource) -> None:
        await self._refer(entry, {"$patch": "delete", "uid": owner.metadata.uid})

    async def _refer(self, entry: Entry[R], reference: object) -> None:
        change = {"ownerReferences": [reference]}
        await patch_metadata(self._client, self._kind, entry.key, uid=entry.uid, change=change)

    def _note_event(self, event: Event[R]) -> None:
        new, key = event.new, event.key
        if new is not None and controller_in(new) is None:
            self._orphans.setdefault(key.namespace, {})[key] = None
        elif (known := self._orphans.get(key.namespace)) is not None:
            known.pop(key, None)
            if not known:
                del self._orphans[key.namespace]
