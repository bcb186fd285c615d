"""The children of an object: the cached objects that it controls."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from kubewright.api.kind_reference import KindLike, kind_of, kind_text
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.cache.store import OWNER
from kubewright.errors import CacheNotSyncedError, ConflictError, SchemeError
from kubewright.operator.apply import as_wanted
from kubewright.operator.child import Child

if TYPE_CHECKING:
    from kubewright.cache.entry import Entry
    from kubewright.cache.informer import Informer
    from kubewright.cluster import CachedClient

O = TypeVar("O", bound=Resource | Unstructured)  # noqa: E741  # the type of the given object
R = TypeVar("R", bound=Resource | Unstructured)

__all__ = ["Family"]


class Family:
    """Finds and prunes children, with the informers of the kinds that a reconciler declared.

    Args:
        client: Deletes children that are no longer wanted.
        owned: The informers of the owned kinds.
        others: The informers of other kinds whose objects may be applied.
    """

    def __init__(
        self,
        client: "CachedClient",
        owned: Mapping[Any, "Informer[Any]"],
        others: Mapping[Any, "Informer[Any]"] | None = None,
    ) -> None:
        self._client = client
        self._informers = dict(owned)
        known: dict[KindLike[Any], Informer[Any]] = {**(others or {}), **owned}
        self._whole = [one for one in known.values() if not one.selection.metadata_only]
        self._told: set[tuple[str, str]] = set()

    def find(self, obj: Resource | Unstructured) -> "Entry[Any] | None":
        """Return the cached entry of *obj*; ``None`` if it, or its kind, is not in the cache.

        Kinds that are cached in another version, or only their metadata, do not count.
        """
        informer = self._informer_for(obj)
        if informer is None or not informer.synced:
            return None
        return informer.store.find_entry(obj.key)

    async def find_live(self, obj: O) -> O | None:
        """Return the object that *obj* names, from the cache if its kind is cached.

        An object that is not in the cache counts as absent; creating it will tell.
        """
        if self._informer_for(obj) is not None:
            entry = self.find(obj)
            return None if entry is None else as_wanted(obj, entry)
        kind: Any = kind_of(obj)
        live: O | None = await self._client.live.find(kind, obj.key)
        return live

    def is_news(self, obj: Resource | Unstructured) -> bool:
        """Say whether *obj* is the first object of a kind that is not cached."""
        kind = obj.api_version, obj.kind
        if kind in self._told or self._informer_for(obj) is not None:
            return False
        self._told.add(kind)
        return True

    def _informer_for(self, obj: Resource | Unstructured) -> "Informer[Any] | None":
        # The last declaration wins. Compared here: where a `Kind` lives may be known only by now.
        informer: Informer[Any]
        for informer in reversed(self._whole):
            mapping = informer.selection.mapping
            if mapping.kind == obj.kind and mapping.gvk.api_version == obj.api_version:
                return informer
        return None

    def children(self, kind: KindLike[R], uid: str) -> list[R]:
        """Return the objects of *kind* whose controller is the object *uid*.

        An object that does not fit its class is left out and logged.

        Raises:
            SchemeError: *kind* was not declared as owned.
            CacheNotSyncedError: Its first list is not complete.
        """
        entries = list(self._entries(kind, uid))
        found: list[R] = self._informers[kind].store.objects(entries)
        return found

    async def prune(
        self,
        kinds: Iterable[KindLike[Any]],
        uid: str,
        wanted: set[Child],
        spare: Callable[[Child], bool] = lambda _: False,
    ) -> list[Child]:
        """Delete the children of the object *uid* that are not *wanted*; return those deleted.

        Args:
            kinds: The owned kinds to look at; if empty, all of them.
            uid: The uid of the parent.
            wanted: The children to keep.
            spare: Says whether to keep a child that is not wanted.

        Raises:
            SchemeError: A kind was not declared as owned.
            CacheNotSyncedError: The first list of a kind is not complete.
        """
        deleted = []
        for kind in tuple(kinds) or tuple(self._informers):
            for child, entry in self._unwanted(kind, uid, wanted):
                if not spare(child) and await self._delete(kind, entry):
                    deleted.append(child)
        return deleted

    def _unwanted(
        self, kind: KindLike[R], uid: str, wanted: set[Child]
    ) -> list[tuple[Child, "Entry[R]"]]:
        entries = list(self._entries(kind, uid))
        mapping = self._informers[kind].selection.mapping
        found = [
            (Child(mapping.group, mapping.kind, entry.key.namespace, entry.key.name), entry)
            for entry in entries
            if not entry.deleting
        ]
        return [(child, entry) for child, entry in found if child not in wanted]

    async def _delete(self, kind: Any, entry: "Entry[Any]") -> bool:
        try:
            await self._client.delete(
                kind, entry.key, uid=entry.uid, propagation="Background", missing_ok=True
            )
        except ConflictError:
            live = await self._client.live.find(kind, entry.key)
            if live is not None and live.metadata.uid == entry.uid:
                raise  # it is there, and was refused for another reason: try again
            return False  # another object has taken its name meanwhile, which is not ours
        return True

    def _entries(self, kind: KindLike[R], uid: str) -> Iterator["Entry[R]"]:
        informer = self._informers.get(kind)
        if informer is None:
            name = kind_text(kind)
            owned = ", ".join(map(kind_text, self._informers)) or "none"
            raise SchemeError(
                f"{name} is not among the kinds that this reconciler owns ({owned}): write"
                f" owns=[{name}] where it is declared"
            )
        if not informer.synced:
            raise CacheNotSyncedError(
                f"cannot tell which {kind_text(kind)} objects there are: their first list is not"
                f" complete. {informer.problem or 'Try again later.'}"
            )
        for entry in informer.store.list_entries(index=OWNER, value=uid):
            if any(one.controller and one.uid == uid for one in entry.owners):
                yield entry
