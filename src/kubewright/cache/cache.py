"""`Cache`: declares what is kept of one cluster, and reads it."""

import asyncio
import builtins
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeVar, overload

from kubewright._aio import Clock
from kubewright.api.kind import GroupVersionKind, ObjectKey, RESTMapping
from kubewright.api.kind_reference import Kind, KindLike, kind_text, likely_mapping
from kubewright.api.partial import PartialObjectMetadata
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.cache.index import IndexFunction
from kubewright.cache.informer import Informer
from kubewright.cache.informers import Declaration, Informers
from kubewright.cache.packing import Compress
from kubewright.cache.selection import (
    ALL,
    Selection,
    field_selector,
    label_selector,
    namespace_set,
)
from kubewright.cache.shard import Shard
from kubewright.cache.transform import Transform
from kubewright.cache.view import CacheView
from kubewright.client.client import Client
from kubewright.client.target import (
    Fields,
    Labels,
    ServedKind,
    dynamic,
    key_of,
    typed,
)
from kubewright.errors import CacheNotSyncedError, LifecycleError, SchemeError
from kubewright.runnable import Problem

R = TypeVar("R", bound=Resource | Unstructured)
D = TypeVar("D", bound=Resource)


class Cache:
    """Keeps the objects of declared kinds in memory, up to date by watches.

    Declare what you want to read with `informer`; equal declarations share one. Reads come from
    memory and return private copies. They may lag behind the server by the time that an event
    takes, but never behind this process: after a write through *client* (``create``, ``update``,
    ``patch``, ``apply``, ``delete``, of the object or its status), each read returns the result of
    that write or something newer. Handlers follow the watch alone.

    Three writes are visible only when the watch brings them: a ``delete_all``, a ``scale``, and one
    in another version of the kind than the informer's.

    Args:
        client: Where the objects are.
        namespaces: Where to look, unless an informer says otherwise; everywhere by default.
        shard: Keep only this part of each kind.
        compress: Whether to keep objects compressed; ``"auto"`` does so where it pays off.
        clock: The source of time; by default the client's.
    """

    def __init__(
        self,
        client: Client,
        *,
        namespaces: Iterable[str] | None = None,
        shard: Shard | None = None,
        compress: Compress = "auto",
        clock: Clock | None = None,
    ) -> None:
        self._home = client.namespace
        self._informers = Informers(
            client,
            namespaces=namespace_set(namespaces),
            compress=compress,
            clock=clock or client.clock,
        )
        self.shard: Shard | None = shard
        """The part of each kind that is kept, unless an informer says otherwise."""
        self._kept: set[Informer[Any]] = set()
        self._holders: dict[Informer[Any], int] = {}
        self._indexes: dict[tuple[Informer[Any], str], IndexFunction[Any]] = {}
        self._kept_indexes: set[tuple[Informer[Any], str]] = set()
        self._index_holders: dict[tuple[Informer[Any], str], int] = {}

    def __len__(self) -> int:
        return len(self._informers.declared)

    def __iter__(self) -> Iterator[Informer[Any]]:
        return iter(tuple(self._informers.declared.values()))

    @property
    def namespaces(self) -> frozenset[str]:
        """Where informers look by default; empty for everywhere."""
        return self._informers.namespaces

    # --- What is kept ---

    @overload
    def informer(
        self, kind: type[Resource], *, metadata_only: Literal[True],
        labels: Labels | None = None, fields: Fields | None = None,
        transform: Transform | None = None,
        indexes: Mapping[str, IndexFunction[PartialObjectMetadata]] | None = None,
        namespaces: Iterable[str] | None = None, compress: Compress | None = None,
        sharded: bool = True, kept: bool = True,
    ) -> Informer[PartialObjectMetadata]: ...  # fmt: skip
    @overload
    def informer(
        self, kind: type[D], *, labels: Labels | None = None, fields: Fields | None = None,
        metadata_only: bool = False, transform: Transform | None = None,
        indexes: Mapping[str, IndexFunction[D]] | None = None,
        namespaces: Iterable[str] | None = None, compress: Compress | None = None,
        sharded: bool = True, kept: bool = True,
    ) -> Informer[D]: ...  # fmt: skip
    @overload
    def informer(
        self, kind: Kind | RESTMapping, *,
        labels: Labels | None = None, fields: Fields | None = None,
        metadata_only: bool = False, transform: Transform | None = None,
        indexes: Mapping[str, IndexFunction[Unstructured]] | None = None,
        namespaces: Iterable[str] | None = None, compress: Compress | None = None,
        sharded: bool = True, kept: bool = True,
    ) -> Informer[Unstructured]: ...  # fmt: skip
    def informer(  # noqa: PLR0913  # an informer has that many options
        self,
        kind: KindLike[Any] | RESTMapping,
        *,
        labels: Labels | None = None,
        fields: Fields | None = None,
        metadata_only: bool = False,
        transform: Transform | None = None,
        indexes: Mapping[str, IndexFunction[Any]] | None = None,
        namespaces: Iterable[str] | None = None,
        compress: Compress | None = None,
        sharded: bool = True,
        kept: bool = True,
    ) -> Informer[Any]:
        """Return the informer of *kind*, declaring it if it is new.

        It starts with the cache, or at once if the cache is running.

        Args:
            kind: The class; or a `Kind`, or where one lives, for objects without a class. However
                it is named, the same objects are listed and watched once.
            labels: Only objects with these labels.
            fields: Only objects with these fields.
            metadata_only: Request only the metadata; objects are then `PartialObjectMetadata`.
            transform: Drops parts of each object before it is kept.
            indexes: By name, functions that return the values by which an object is found.
            namespaces: Where to look; by default where the cache does.
            compress: Whether to keep objects compressed; by default as the cache does. The first
                declaration decides.
            sharded: Whether to keep only the shard of the cache, if it has one.
            kept: Whether it stays until `remove`; otherwise it ends with its last holder.

        Raises:
            ValueError: A selector is malformed, or an index of that name is another function.
            LifecycleError: The cache has stopped.
        """
        target = _target(kind, metadata_only=metadata_only)
        mapping = target.mapping
        follows = namespaces is None or not mapping.namespaced
        declared = Declaration(
            kind,
            Selection(
                mapping=mapping,
                labels=label_selector(labels),
                fields=field_selector(fields),
                namespaces=namespace_set(namespaces) if mapping.namespaced else ALL,
                metadata_only=metadata_only,
                shard=self.shard if sharded else None,
            ),
            transform,
            follows,
        )
        informer = self._informers.declared.get(declared)
        if informer is None:
            informer = self._informers.declare(declared, target, compress)
        if kept:
            self._kept.add(informer)
        for name, function in (indexes or {}).items():
            self._add_index(informer, name, function)
            self._kept_indexes.add((informer, name))
        return informer

    def hold(self, informer: Informer[Any]) -> None:
        """Add a holder to *informer*, who will `release` it later."""
        self._holders[informer] = self._holders.get(informer, 0) + 1

    def release(self, informer: Informer[Any]) -> None:
        """Remove a holder; after the last one, an informer that is not kept ends."""
        left = self._holders.pop(informer, 1) - 1
        if left > 0:
            self._holders[informer] = left
        elif informer not in self._kept:
            self._forget(informer)

    def hold_index(self, informer: Informer[Any], name: str, function: IndexFunction[Any]) -> None:
        """Add an index to *informer*, or a holder to that index, who will `release_index` it later.

        Raises:
            ValueError: An index of that name is another function.
        """
        self._add_index(informer, name, function)
        held = informer, name
        self._index_holders[held] = self._index_holders.get(held, 0) + 1

    def release_index(self, informer: Informer[Any], name: str) -> None:
        """Remove a holder; after the last one, the index goes unless `informer` declared it."""
        held = informer, name
        left = self._index_holders.pop(held, 1) - 1
        if left > 0:
            self._index_holders[held] = left
        elif held not in self._kept_indexes:
            self._drop_index(informer, name)

    def _drop_index(self, informer: Informer[Any], name: str) -> None:
        held = informer, name
        self._kept_indexes.discard(held)
        self._index_holders.pop(held, None)
        if self._indexes.pop(held, None) is not None:
            informer.store.remove_index(name)

    async def remove(self, informer: Informer[Any]) -> None:
        """Stop *informer* and wait for its end; do nothing if it is not in this cache."""
        task = self._forget(informer)
        if task is not None:
            await asyncio.wait([task])

    def _forget(self, informer: Informer[Any]) -> "asyncio.Task[None] | None":
        """Stop *informer* and forget it; return the task that ends."""
        for name in [name for one, name in self._indexes if one is informer]:
            self._drop_index(informer, name)
        self._kept.discard(informer)
        self._holders.pop(informer, None)
        return self._informers.forget(informer)

    def _add_index(self, informer: Informer[Any], name: str, function: IndexFunction[Any]) -> None:
        # Two users of an informer may declare the same index.
        if self._indexes.get((informer, name)) is not function:
            informer.store.add_index(name, function)
            self._indexes[informer, name] = function

    # --- Life ---

    async def run(self) -> None:
        """Keep every informer up to date until cancelled.

        Raises:
            LifecycleError: It runs, or has run.
        """
        await self._informers.run()

    async def wait_ready(self) -> None:
        """Return once each informer is synced, or is known to be missing or refused.

        Raises:
            LifecycleError: The cache stopped before that.
        """
        await self._informers.wait_ready()

    def health(self) -> Iterator[Problem]:
        """Yield each informer that is not up to date, and why; a restart does not help.

        If access is refused, the text includes the missing RBAC rule.
        """
        return self._informers.health()

    def busy(self) -> Iterator[str]:
        """Yield what its informers have under way; see `Informer.busy`."""
        return self._informers.busy()

    async def wait_idle(self) -> None:
        """Wait for what `busy` names; there may be something else by then."""
        await self._informers.wait_idle()

    def set_namespaces(self, namespaces: Iterable[str] | None) -> None:
        """Watch other namespaces from now on, with every informer that was declared without any.

        Raises:
            ValueError: One of them is empty.
        """
        self._informers.set_namespaces(namespaces)

    # --- Reads ---

    @overload
    def find(
        self, kind: type[D], name: str | ObjectKey, *, namespace: str | None = None
    ) -> D | None: ...
    @overload
    def find(
        self, kind: Kind, name: str | ObjectKey, *, namespace: str | None = None
    ) -> Unstructured | None: ...
    def find(self, kind: Any, name: str | ObjectKey, *, namespace: str | None = None) -> Any:
        """Return a fresh copy of an object, or ``None`` if the cache does not have it.

        Raises:
            LifecycleError: The kind is not declared.
            CacheNotSyncedError: Its first list is not complete.
        """
        informer = self._informer_of(kind)
        key = self._key(informer, name, namespace)
        return self._check_synced(informer, key.namespace).store.find(key)

    @overload
    def get(self, kind: type[D], name: str | ObjectKey, *, namespace: str | None = None) -> D: ...
    @overload
    def get(
        self, kind: Kind, name: str | ObjectKey, *, namespace: str | None = None
    ) -> Unstructured: ...
    def get(self, kind: Any, name: str | ObjectKey, *, namespace: str | None = None) -> Any:
        """Return a fresh copy of an object.

        Raises:
            NotFoundError: The cache does not have it.
            LifecycleError: The kind is not declared.
            CacheNotSyncedError: Its first list is not complete.
        """
        informer = self._informer_of(kind)
        key = self._key(informer, name, namespace)
        return self._check_synced(informer, key.namespace).store.get(key)

    @overload
    def list(
        self, kind: type[D], *, namespace: str | None = None, labels: Labels | None = None,
        index: str | None = None, value: str | None = None,
    ) -> list[D]: ...  # fmt: skip
    @overload
    def list(
        self, kind: Kind, *, namespace: str | None = None, labels: Labels | None = None,
        index: str | None = None, value: str | None = None,
    ) -> "builtins.list[Unstructured]": ...  # fmt: skip
    def list(
        self,
        kind: Any,
        *,
        namespace: str | None = None,
        labels: Labels | None = None,
        index: str | None = None,
        value: str | None = None,
    ) -> Any:
        """Return fresh copies of the matching objects.

        An object that does not fit its class is left out: it is logged once, and counted in
        ``kubewright_objects_skipped_total``. To see every object, read the entries in the store of
        the informer.

        Args:
            kind: The class, or a `Kind`.
            namespace: Only objects in this namespace.
            labels: Only objects with these labels.
            index: With *value*: only objects that this index finds by it; ``"owner"`` finds by the
                uid of an owner.
            value: What to look up in *index*.

        Raises:
            ValueError: There is no such index, or no value to look up.
            LifecycleError: The kind is not declared.
            CacheNotSyncedError: Its first list is not complete.
        """
        store = self._check_synced(self._informer_of(kind), namespace).store
        return store.list(namespace, labels, index=index, value=value)

    def in_namespace(self, namespace: str) -> CacheView:
        """Return a view with *namespace* as the default, also for lists."""
        return CacheView(self, namespace)

    def reader(self, mapping: RESTMapping, namespace: str) -> Informer[Any] | None:
        """Return an informer that has all objects of a kind in *namespace*, or ``None``.

        Of several, one that drops nothing from the objects is preferred. One with a shard has all
        objects of that shard.

        Args:
            mapping: The kind.
            namespace: The namespace; empty for all of them, or for kinds without namespaces.

        Raises:
            CacheNotSyncedError: There is one, but its first list is not complete.
        """
        unsynced = partial = None
        for informer in self._informers.find_wholes(mapping):
            if not informer.synced_in(namespace):
                if not informer.namespaces or namespace in informer.namespaces:
                    unsynced = informer
            elif informer.store.codec.partial:
                partial = informer
            else:
                return informer
        if partial is None and unsynced is not None:
            return self._check_synced(unsynced, namespace)
        return partial

    def is_served(self, kind: GroupVersionKind | Kind) -> bool | None:
        """Say whether the server has a kind; ``None`` if no informer knows."""
        for declared, informer in self._informers.declared.items():
            if kind in (declared.kind, informer.selection.mapping.gvk):
                if informer.missing:
                    return False
                if informer.synced:
                    return True
        return None

    def mapping_of(self, kind: KindLike[Any]) -> RESTMapping:
        """Return where a declared *kind* lives; for a `Kind`, as far as it is known.

        Raises:
            LifecycleError: The kind is not declared.
        """
        return self._informer_of(kind).selection.mapping

    def _informer_of(self, kind: KindLike[R]) -> Informer[R]:
        declared = [each for each in self._informers.declared if each.kind == kind]
        if not declared:
            name = kind_text(kind)
            raise LifecycleError(
                f"{name} is not in the cache: declare it with cache.informer({name}), or read it"
                " through the client"
            )
        # The one with the most to read comes first.
        declared.sort(key=lambda each: (not each.selection.is_whole, each.transform is not None))
        first = declared[0]
        if len(declared) > 1 and not first.selection.is_whole:
            raise ValueError(
                f"there are several informers of {kind_text(kind)}, each of a part of them: read"
                " from the store of the one that you mean, informer.store.get(...)"
            )
        return self._informers.declared[first]

    def _check_synced(self, informer: Informer[R], namespace: str | None) -> Informer[R]:
        """Return *informer*; raise an error unless the first list of *namespace* is complete."""
        if not (informer.synced if namespace is None else informer.synced_in(namespace)):
            raise CacheNotSyncedError(
                f"cannot read {informer.selection} from the cache:"
                f" {informer.problem or self._informers.why_not()}"
            )
        return informer

    def _key(
        self, informer: Informer[Any], name: str | ObjectKey, namespace: str | None
    ) -> ObjectKey:
        key = key_of(name, namespace)
        if not informer.selection.mapping.namespaced:
            return ObjectKey("", key.name)
        return key if key.namespace else ObjectKey(self._home, key.name)


def _target(kind: KindLike[Any] | RESTMapping, *, metadata_only: bool) -> ServedKind[Any]:
    if isinstance(kind, Kind):
        return dynamic(likely_mapping(kind))  # until the server has been asked
    if isinstance(kind, RESTMapping):
        return dynamic(kind)
    if not isinstance(kind, type):
        raise SchemeError(f"{kind!r:.80} is not a kind: give a class, or kw.Kind(...)")
    # The class itself may require fields that are not requested.
    return typed(PartialObjectMetadata.of(kind) if metadata_only else kind)
