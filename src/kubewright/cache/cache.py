"""`Cache`: the informers of one cluster, each shared by equal declarations, and typed reads."""

import asyncio
import builtins
from collections.abc import Awaitable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeVar, overload

import msgspec

from kubewright._aio import Clock, TaskSet
from kubewright.api.kind import GroupVersionKind, ObjectKey, RESTMapping
from kubewright.api.kind_reference import Kind, KindLike, kind_text, likely_mapping
from kubewright.api.partial import PartialObjectMetadata
from kubewright.api.requests import Request
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.cache.codec import Codec
from kubewright.cache.index import IndexFunction
from kubewright.cache.informer import Informer
from kubewright.cache.own_writes import NOTE, note, own_write
from kubewright.cache.packing import Compress
from kubewright.cache.reading import Reading
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
    located,
    read_as,
    typed,
)
from kubewright.client.transport import Response
from kubewright.errors import CacheNotSyncedError, LifecycleError, SchemeError
from kubewright.runnable import Problem

R = TypeVar("R", bound=Resource | Unstructured)
D = TypeVar("D", bound=Resource)


class _Declaration(NamedTuple):
    """A declaration of an informer; equal ones share it.

    Attributes:
        kind: The class that objects are read as; or the kind, if it has none.
        selection: Which objects; all namespaces if it follows the cache.
        transform: What is dropped from them.
        follows: Whether it watches the namespaces of the cache, also when those change.
    """

    kind: KindLike[Any] | RESTMapping
    selection: Selection
    transform: Transform | None
    follows: bool

    def watches_like(self, other: "_Declaration", mapping: RESTMapping) -> bool:
        """Say whether both need the same watch, given that both are of the kind of *mapping*."""
        return (
            msgspec.structs.replace(self.selection, mapping=mapping)
            == msgspec.structs.replace(other.selection, mapping=mapping)
            and self.transform == other.transform
            and self.follows == other.follows
        )


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
        self._client = client
        self._rest = client.rest
        self._home = client.namespace
        self._namespaces = namespace_set(namespaces)
        self.shard: Shard | None = shard
        """The part of each kind that is kept, unless an informer says otherwise."""
        self._compress = compress
        self._clock = clock or client.clock
        self._informers: dict[_Declaration, Informer[Any]] = {}
        self._origins: dict[Informer[Any], _Declaration] = {}  # the informers that watch
        self._by_resource: dict[tuple[str, str], list[Informer[Any]]] = {}
        self._wholes: dict[RESTMapping, list[Informer[Any]]] = {}
        self._indexes: dict[tuple[Informer[Any], str], IndexFunction[Any]] = {}
        self._kept_indexes: set[tuple[Informer[Any], str]] = set()
        self._index_holders: dict[tuple[Informer[Any], str], int] = {}
        self._running: dict[Informer[Any], asyncio.Task[None]] = {}
        self._kept: set[Informer[Any]] = set()
        self._holders: dict[Informer[Any], int] = {}
        self._tasks: TaskSet | None = None
        self._phase: Literal["new", "running", "stopped"] = "new"

    def __len__(self) -> int:
        return len(self._informers)

    def __iter__(self) -> Iterator[Informer[Any]]:
        return iter(tuple(self._informers.values()))

    @property
    def namespaces(self) -> frozenset[str]:
        """Where informers look by default; empty for everywhere."""
        return self._namespaces

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
        declared = _Declaration(
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
        informer = self._informers.get(declared)
        if informer is None:
            informer = self._declare(declared, target, compress)
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
        for declared, one in tuple(self._informers.items()):
            if one is informer:
                del self._informers[declared]
        for name in [name for one, name in self._indexes if one is informer]:
            self._drop_index(informer, name)
        self._kept.discard(informer)
        self._holders.pop(informer, None)
        origin = informer.origin
        if any(one.origin is origin for one in self._informers.values()):
            informer.end_handlers()
            return None
        return self._end(origin)

    def _end(self, origin: Informer[Any]) -> "asyncio.Task[None] | None":
        """Stop the watch of *origin*; return the task that ends."""
        if self._origins.pop(origin, None) is not None:
            self._unregister(origin)
        task = self._running.pop(origin, None)
        if task is not None:
            task.cancel()
        return task

    def set_namespaces(self, namespaces: Iterable[str] | None) -> None:
        """Watch other namespaces from now on, with every informer that was declared without any.

        Raises:
            ValueError: One of them is empty.
        """
        self._namespaces = namespace_set(namespaces)
        for informer, declared in self._origins.items():
            if declared.follows and informer.selection.mapping.namespaced:
                informer.set_namespaces(self._namespaces)

    def _declare(
        self, declared: _Declaration, target: ServedKind[Any], compress: Compress | None
    ) -> Informer[Any]:
        if self._phase == "stopped":
            raise LifecycleError(f"cannot watch {declared.selection}: the cache has stopped")
        shared = self._find_origin(declared, target.mapping)
        if shared is None:
            informer = self._watch(declared, target, compress)
        elif isinstance(declared.kind, Kind):
            informer = _read_as_kind(shared)
        else:
            informer = Reading(shared, target.decode)
        self._informers[declared] = informer
        return informer

    def _watch(
        self, declared: _Declaration, target: ServedKind[Any], compress: Compress | None
    ) -> Informer[Any]:
        """Make an informer with a watch of its own for *declared*."""
        kind = declared.kind

        def decode(raw: bytes) -> Unstructured:
            return read_as(raw, origin.selection.mapping)  # as far as it is known by then

        def locate() -> Awaitable[RESTMapping]:
            assert isinstance(kind, Kind)
            return self._locate(kind, origin)

        origin: Informer[Any] = Informer(
            self._rest,
            declared.selection,
            decode=decode if isinstance(kind, Kind) else target.decode,
            transform=declared.transform,
            compress=self._compress if compress is None else compress,
            locate=locate if isinstance(kind, Kind) else None,
            clock=self._clock,
        )
        if declared.follows and self._namespaces and declared.selection.mapping.namespaced:
            origin.set_namespaces(self._namespaces)
        self._origins[origin] = declared
        self._register(origin)
        if self._tasks is not None:
            self._start(origin, self._tasks)
        # It may turn out that the same is watched already, once the kind has been located.
        return _read_as_kind(origin, origin.store.codec) if isinstance(kind, Kind) else origin

    def _find_origin(self, declared: _Declaration, mapping: RESTMapping) -> Informer[Any] | None:
        """Return the informer that already watches what *declared* needs, for whichever type."""
        for origin, other in self._origins.items():
            # For a `Kind`, plural and scope are a guess until discovery has been asked.
            known = origin.selection.mapping
            if known.gvk == mapping.gvk and declared.watches_like(other, mapping):
                return origin
        return None

    def _register(self, informer: Informer[Any]) -> None:
        """Make *informer* findable by its resource."""
        selection = informer.selection
        self._by_resource.setdefault(_resource(selection.mapping), []).append(informer)
        if _is_whole(selection):
            self._wholes.setdefault(selection.mapping, []).append(informer)

    def _unregister(self, informer: Informer[Any]) -> None:
        selection = informer.selection
        self._by_resource[_resource(selection.mapping)].remove(informer)
        if _is_whole(selection):
            self._wholes[selection.mapping].remove(informer)

    async def _locate(self, kind: Kind, origin: Informer[Any]) -> RESTMapping:
        """Ask discovery where *kind* lives, and point its informer there.

        If another informer already watches the same, that one takes over.

        Raises:
            NoMatchError: The server does not have it.
        """
        if origin.vanished:
            self._client.mapper.reset()  # what discovery said about it is outdated
        mapping = await located(kind, self._client.mapper)
        declared = self._origins.get(origin)
        if declared is not None and origin.selection.mapping != mapping:
            other = self._find_origin(declared, mapping)
            if other is None or other is origin or any(one.synced for one in origin.reflectors):
                self._move(origin, declared, mapping)
            else:
                self._merge(origin, other)
                declared = None
        if declared is None:
            await (
                asyncio.get_running_loop().create_future()
            )  # until it is cancelled: its informer has ended
        return mapping

    def _move(self, origin: Informer[Any], declared: _Declaration, mapping: RESTMapping) -> None:
        self._unregister(origin)
        own = self._namespaces if declared.follows else declared.selection.namespaces
        origin.move(mapping, own if mapping.namespaced else None)
        self._register(origin)

    def _merge(self, origin: Informer[Any], other: Informer[Any]) -> None:
        """Let *other* serve all readers of *origin*, which has not listed anything, and end it."""
        for informer in self._informers.values():
            if isinstance(informer, Reading) and informer.origin is origin:
                informer.share(other)
        origin.hand_over(other)
        self._end(origin)

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
        if self._phase != "new":
            raise LifecycleError(f"cannot run the cache: it is {self._phase}. Make a new one.")
        self._phase = "running"
        try:
            async with TaskSet() as tasks:
                self._tasks = tasks
                for origin in tuple(self._origins):
                    self._start(origin, tasks)
                await asyncio.get_running_loop().create_future()
        finally:
            self._phase = "stopped"
            self._tasks = None
            if self._observe in self._rest.observers:
                self._rest.observers.remove(self._observe)

    async def wait_ready(self) -> None:
        """Return once each informer is synced, or is known to be missing or refused.

        Raises:
            LifecycleError: The cache stopped before that.
        """
        waited: set[Informer[Any]] = set()
        while new := [one for one in self if one not in waited]:  # more may be declared meanwhile
            waited.add(new[0])
            try:
                await new[0].wait_settled()
            except LifecycleError:
                if new[0] in self._informers.values():  # otherwise it was removed meanwhile
                    raise

    def health(self) -> Iterator[Problem]:
        """Yield each informer that is not up to date, and why; a restart does not help.

        If access is refused, the text includes the missing RBAC rule.
        """
        for informer in tuple(self._origins):
            name = f"informer/{informer.selection}"
            if informer.problem is not None:
                yield Problem(name, informer.problem, logged=True)
            elif not informer.synced:
                yield Problem(name, _why_not(informer, self._phase))

    def _start(self, informer: Informer[Any], tasks: TaskSet) -> None:
        if self._observe not in self._rest.observers:
            self._rest.observers.append(self._observe)
        name = f"informer/{informer.selection}"
        self._running[informer] = tasks.start(informer.run(), name=name)

    def _observe(self, request: Request, response: Response) -> None:
        """Let readers see a write of this process."""
        attempt = request.attempt
        informers = self._by_resource.get((attempt.group, attempt.resource))
        if not informers:
            return
        write = own_write(request, response)
        if write is not None:
            if (tell := NOTE.get()) is not None:
                tell(write)
            for informer in informers:
                # An informer that is not running yet will list what was written.
                if informer in self._running:
                    note(write, informer)

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
        for informer in self._wholes.get(mapping, ()):
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
        for declared, informer in self._informers.items():
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
        declared = [each for each in self._informers if each.kind == kind]
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
        return self._informers[first]

    def _check_synced(self, informer: Informer[R], namespace: str | None) -> Informer[R]:
        """Return *informer*; raise an error unless the first list of *namespace* is complete."""
        if not (informer.synced if namespace is None else informer.synced_in(namespace)):
            raise CacheNotSyncedError(
                f"cannot read {informer.selection} from the cache:"
                f" {informer.problem or _why_not(informer, self._phase)}"
            )
        return informer

    def _key(
        self, informer: Informer[Any], name: str | ObjectKey, namespace: str | None
    ) -> ObjectKey:
        key = key_of(name, namespace)
        if not informer.selection.mapping.namespaced:
            return ObjectKey("", key.name)
        return key if key.namespace else ObjectKey(self._home, key.name)


def _why_not(informer: Informer[Any], phase: str) -> str:
    if phase == "new":
        return (
            "it does not run yet. Wait for `wait_ready`, or read from the server with client.live."
        )
    if phase == "stopped":
        return "it stopped before its first list was complete"
    return "its first list is not complete yet. Wait for `wait_ready`."


def _is_whole(selection: Selection) -> bool:
    """Say whether it selects everything in its namespaces, or in its shard of them."""
    return (
        selection.labels.selects_everything
        and selection.fields.selects_everything
        and not selection.metadata_only
    )


def _target(kind: KindLike[Any] | RESTMapping, *, metadata_only: bool) -> ServedKind[Any]:
    if isinstance(kind, Kind):
        return dynamic(likely_mapping(kind))  # until the server has been asked
    if isinstance(kind, RESTMapping):
        return dynamic(kind)
    if not isinstance(kind, type):
        raise SchemeError(f"{kind!r:.80} is not a kind: give a class, or kw.Kind(...)")
    # The class itself may require fields that are not requested.
    return typed(PartialObjectMetadata.of(kind) if metadata_only else kind)


def _read_as_kind(
    origin: Informer[Any], codec: Codec[Unstructured] | None = None
) -> Reading[Unstructured]:
    """Return an informer that reads the objects of *origin* as `Unstructured`."""

    def decode(raw: bytes) -> Unstructured:
        return read_as(raw, made.selection.mapping)  # as far as it is known by then

    made = Reading(origin, decode, codec=codec)
    return made


def _resource(mapping: RESTMapping) -> tuple[str, str]:
    return mapping.group, mapping.plural
