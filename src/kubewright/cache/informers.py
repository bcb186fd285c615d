"""`Informers`: what a cache keeps: which informers watch, where, and who shares their watches."""

import asyncio
from collections.abc import Awaitable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

import msgspec

from kubewright._aio import Clock, TaskSet
from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.api.kind_reference import Kind, KindLike
from kubewright.api.requests import Request
from kubewright.api.unstructured import Unstructured
from kubewright.cache.codec import Codec
from kubewright.cache.informer import Informer
from kubewright.cache.own_writes import NOTE, note, note_deletions, own_write
from kubewright.cache.packing import Compress
from kubewright.cache.reading import Reading
from kubewright.cache.selection import Selection, namespace_set
from kubewright.cache.transform import Transform
from kubewright.client.client import Client
from kubewright.client.target import ServedKind, located, read_as
from kubewright.client.transport import Response
from kubewright.errors import LifecycleError
from kubewright.runnable import Problem

__all__ = ["Declaration", "Informers"]


class Declaration(NamedTuple):
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

    def watches_like(self, other: "Declaration", mapping: RESTMapping) -> bool:
        """Say whether both need the same watch, given that both are of the kind of *mapping*."""
        return (
            msgspec.structs.replace(self.selection, mapping=mapping)
            == msgspec.structs.replace(other.selection, mapping=mapping)
            and self.transform == other.transform
            and self.follows == other.follows
        )


class Informers:
    """The informers of one cluster. Declarations that need the same watch share it.

    Args:
        client: Where the objects are.
        namespaces: Where informers look, unless they say otherwise; everywhere if empty.
        compress: Whether to keep objects compressed, unless a declaration says otherwise.
        clock: The source of time.

    Attributes:
        declared: The informers that were declared. Several of them may share a watch.
        namespaces: Where informers look by default; empty for everywhere.
    """

    def __init__(
        self, client: Client, *, namespaces: frozenset[str], compress: Compress, clock: Clock
    ) -> None:
        self.declared: dict[Declaration, Informer[Any]] = {}
        self.namespaces: frozenset[str] = namespaces
        self._client = client
        self._rest = client.rest
        self._compress = compress
        self._clock = clock
        self._origins: dict[Informer[Any], Declaration] = {}  # the informers that watch
        self._by_resource: dict[tuple[str, str], list[Informer[Any]]] = {}
        self._wholes: dict[RESTMapping, list[Informer[Any]]] = {}
        self._running: dict[Informer[Any], asyncio.Task[None]] = {}
        self._tasks: TaskSet | None = None
        self._phase: Literal["new", "running", "stopped"] = "new"

    def find_wholes(self, mapping: RESTMapping) -> Iterable[Informer[Any]]:
        """Return the informers that select everything of a kind, or a whole shard of it."""
        return self._wholes.get(mapping, ())

    # --- Declarations ---

    def declare(
        self, declared: Declaration, target: ServedKind[Any], compress: Compress | None
    ) -> Informer[Any]:
        """Return a new informer for *declared*, which shares a watch if there is a matching one.

        Args:
            declared: What was declared.
            target: The kind, and how to decode its objects.
            compress: Whether to keep objects compressed; ``None`` for the default.

        Raises:
            LifecycleError: The cache has stopped.
        """
        if self._phase == "stopped":
            raise LifecycleError(f"cannot watch {declared.selection}: the cache has stopped")
        shared = self._find_origin(declared, target.mapping)
        if shared is None:
            informer = self._watch(declared, target, compress)
        elif isinstance(declared.kind, Kind):
            informer = _read_as_kind(shared)
        else:
            informer = Reading(shared, target.decode)
        self.declared[declared] = informer
        return informer

    def _watch(
        self, declared: Declaration, target: ServedKind[Any], compress: Compress | None
    ) -> Informer[Any]:
        """Make an informer with a watch of its own for *declared*."""
        kind = declared.kind

        def decode(raw: bytes) -> Unstructured:
            return read_as(raw, origin.selection.mapping)  # as far as it is known by then

        def locate() -> Awaitable[RESTMapping]:
            return self._locate(origin)

        origin: Informer[Any] = Informer(
            self._rest,
            declared.selection,
            decode=decode if isinstance(kind, Kind) else target.decode,
            transform=declared.transform,
            compress=self._compress if compress is None else compress,
            locate=locate,
            clock=self._clock,
        )
        if declared.follows and self.namespaces and declared.selection.mapping.namespaced:
            origin.set_namespaces(self.namespaces)
        self._origins[origin] = declared
        self._register(origin)
        if self._tasks is not None:
            self._start(origin, self._tasks)
        # It may turn out that the same is watched already, once the kind has been located.
        return _read_as_kind(origin, origin.store.codec) if isinstance(kind, Kind) else origin

    def _find_origin(self, declared: Declaration, mapping: RESTMapping) -> Informer[Any] | None:
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

    async def _locate(self, origin: Informer[Any]) -> RESTMapping:
        """Ask discovery where the kind of *origin* lives, and point it there.

        A class knows it; discovery is asked only if one of the readers named a `Kind`. If another
        informer already watches the same, that one takes over.

        Raises:
            NoMatchError: The server does not have it.
        """
        kind = self._kind_to_locate(origin)
        if kind is None:
            return origin.selection.mapping
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
            # Its informer has ended: wait for the cancellation, and list nothing.
            await asyncio.get_running_loop().create_future()
        return mapping

    def _kind_to_locate(self, origin: Informer[Any]) -> Kind | None:
        """Return the `Kind` to ask discovery for; ``None`` if all readers have a class."""
        kinds = [each.kind for each, one in self.declared.items() if one.origin is origin]
        unknown = [kind for kind in kinds if isinstance(kind, Kind)]
        if unknown and any(not isinstance(kind, Kind) or kind.gvk for kind in kinds):
            # One of them needs this very version, whichever the server prefers by now.
            gvk = origin.selection.mapping.gvk
            return Kind(gvk.api_version, gvk.kind)
        return unknown[0] if unknown else None

    def _move(self, origin: Informer[Any], declared: Declaration, mapping: RESTMapping) -> None:
        self._unregister(origin)
        own = self.namespaces if declared.follows else declared.selection.namespaces
        origin.move(mapping, own if mapping.namespaced else None)
        self._register(origin)

    def _merge(self, origin: Informer[Any], other: Informer[Any]) -> None:
        """Let *other* serve all readers of *origin*, which has not listed anything, and end it."""
        for informer in self.declared.values():
            if isinstance(informer, Reading) and informer.origin is origin:
                informer.share(other)
        origin.hand_over(other)
        self._end(origin)

    def forget(self, informer: Informer[Any]) -> "asyncio.Task[None] | None":
        """Drop *informer*, and stop its watch if nobody shares it; return the task that ends."""
        for declared, one in tuple(self.declared.items()):
            if one is informer:
                del self.declared[declared]
        origin = informer.origin
        if any(one.origin is origin for one in self.declared.values()):
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
        origin.abandon()  # a task that is cancelled before its first step does nothing at all
        return task

    def set_namespaces(self, namespaces: Iterable[str] | None) -> None:
        """Watch other namespaces from now on, with every informer that was declared without any.

        Raises:
            ValueError: One of them is empty.
        """
        self.namespaces = namespace_set(namespaces)
        for informer, declared in self._origins.items():
            if declared.follows and informer.selection.mapping.namespaced:
                informer.set_namespaces(self.namespaces)

    # --- Life ---

    async def run(self) -> None:
        """Run every informer until cancelled; see `Cache.run`."""
        if self._phase != "new":
            raise LifecycleError(f"cannot run the cache: it is {self._phase}. Make a new one.")
        self._phase = "running"
        try:
            async with TaskSet(own_context=True) as tasks:
                self._tasks = tasks
                for origin in tuple(self._origins):
                    self._start(origin, tasks)
                await asyncio.get_running_loop().create_future()
        finally:
            self._phase = "stopped"
            self._tasks = None
            for origin in tuple(self._origins):
                origin.abandon()
            if self._observe in self._rest.observers:
                self._rest.observers.remove(self._observe)
                self._rest.knowledge.remove(self._find_known)

    async def wait_ready(self) -> None:
        """Return once each informer is synced, or is known to be missing or refused.

        Raises:
            LifecycleError: The cache stopped before that.
        """
        waited: set[Informer[Any]] = set()
        # More may be declared meanwhile.
        while new := [one for one in self.declared.values() if one not in waited]:
            waited.add(new[0])
            try:
                await new[0].wait_settled()
            except LifecycleError:
                if new[0] in self.declared.values():  # otherwise it was removed meanwhile
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
                yield Problem(name, self.why_not())

    def busy(self) -> Iterator[str]:
        """Yield what the informers have under way; see `Informer.busy`."""
        for informer in tuple(self._origins):
            for what in informer.busy():
                yield f"informer/{informer.selection}: {what}"

    async def wait_idle(self) -> None:
        """Wait for what `busy` names; there may be something else by then."""
        for informer in tuple(self._origins):
            if any(informer.busy()):
                await informer.wait_idle()

    def _start(self, informer: Informer[Any], tasks: TaskSet) -> None:
        if self._observe not in self._rest.observers:
            self._rest.observers.append(self._observe)
            self._rest.knowledge.append(self._find_known)
        name = f"informer/{informer.selection}"
        self._running[informer] = tasks.start(informer.run(), name=name)

    def _observe(self, request: Request, response: Response) -> None:
        """Let readers see a write of this process."""
        attempt = request.attempt
        informers = self._by_resource.get((attempt.group, attempt.resource))
        if not informers:
            return
        # An informer that is not running yet will list what was written.
        running = [informer for informer in informers if informer in self._running]
        if attempt.verb == "deletecollection":
            for informer in running:
                note_deletions(response, informer)
            return
        write = own_write(request, response)
        if write is not None:
            if (tell := NOTE.get()) is not None:
                tell(write)
            for informer in running:
                note(write, informer)

    def _find_known(self, request: Request) -> bytes | None:
        """Return the object that *request* is about, as readers see it; see `Knowledge`."""
        attempt = request.attempt
        key = ObjectKey(attempt.namespace, attempt.name)
        for informer in self._by_resource.get((attempt.group, attempt.resource), ()):
            version = informer.selection.mapping.gvk.version
            if informer.store.codec.partial or f"/{version}/" not in request.target:
                continue  # it does not keep the whole object, or in another shape
            entry = informer.store.find_entry(key)
            if entry is not None:
                return entry.raw
        return None

    def why_not(self) -> str:
        """Return why an informer without a problem of its own is not synced."""
        if self._phase == "new":
            return (
                "it does not run yet. Wait for `wait_ready`, or read from the server with"
                " client.live."
            )
        if self._phase == "stopped":
            return "it stopped before its first list was complete"
        return "its first list is not complete yet. Wait for `wait_ready`."


def _is_whole(selection: Selection) -> bool:
    """Say whether it selects everything in its namespaces, or in its shard of them."""
    return (
        selection.labels.selects_everything
        and selection.fields.selects_everything
        and not selection.metadata_only
    )


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
