"""`Informer`: keeps the objects of one kind up to date for readers and handlers."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

import msgspec

from kubewright._aio import Clock, TaskSet
from kubewright.api.kind import RESTMapping
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.cache.codec import Codec
from kubewright.cache.collection import Collection, Locate
from kubewright.cache.entry import Event
from kubewright.cache.handlers import Handler, Queued, Registration, registered
from kubewright.cache.metrics import Counts
from kubewright.cache.packing import Compress, Packing
from kubewright.cache.part import Part
from kubewright.cache.reflector import Reflector
from kubewright.cache.selection import Selection, namespace_set
from kubewright.cache.store import Store
from kubewright.cache.transform import Transform
from kubewright.cache.waiters import Waiters
from kubewright.client.rest import RESTClient
from kubewright.client.watcher import Habits
from kubewright.errors import LifecycleError

R = TypeVar("R", bound=Resource | Unstructured)


class Informer(Generic[R]):
    """Keeps the selected objects of one kind in a store, and tells handlers how they change.

    Handlers receive the changes of each object in the order in which the server sends them. A new
    handler first receives everything that exists, with ``initial`` set. The store is complete
    before the first handler is called.

    Args:
        rest: Where requests go.
        selection: Which objects.
        decode: Makes an object that remembers its JSON.
        transform: What to drop from each object before it is kept.
        compress: Whether to keep objects compressed.
        locate: Asks the server where the kind lives, and calls `move`; for kinds without a class.
        clock: The source of time; by default that of *rest*.

    Attributes:
        store: The objects.
    """

    def __init__(  # noqa: PLR0913  # made by caches only
        self,
        rest: RESTClient,
        selection: Selection,
        *,
        decode: Callable[[bytes], R],
        transform: Transform | None = None,
        compress: Compress = "auto",
        locate: Locate | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._locate = locate
        self._selection = selection
        codec = Codec(
            decode,
            packing=Packing(compress),
            metadata_only=selection.metadata_only,
            transform=transform,
        )
        self.store: Store[R] = Store(codec, mapping=selection.mapping, on_unfit=self.count_unfit)
        self._rest = rest
        self._clock = clock or rest.clock
        self._habits = Habits(shards=selection.shard is not None)
        self._counts = Counts(selection)
        self._registrations: tuple[Registration[R], ...] = ()
        self._waiters = Waiters()
        self._tasks: TaskSet | None = None
        self._stopped = False
        self._parts: dict[str, Part[R]] = {}
        for namespace in self._names(selection.namespaces):
            self._parts[namespace] = self._make_part(namespace)

    def __repr__(self) -> str:
        return f"<Informer of {self.selection}>"

    def count_unfit(self) -> None:
        """Count an object that does not fit its class."""
        self._counts.skipped.value += 1

    # --- State ---

    @property
    def selection(self) -> Selection:
        """Which objects it keeps."""
        return self._selection

    @property
    def origin(self) -> "Informer[Any]":
        """The informer that watches: this one, unless it shares the watch of another one."""
        return self

    @property
    def synced(self) -> bool:
        """Whether the first list of every namespace is in the store."""
        return all(part.reflector.synced for part in self._parts.values())

    def synced_in(self, namespace: str) -> bool:
        """Say whether the first list of *namespace* is in the store."""
        part = self._parts.get(namespace) or self._parts.get("")
        return part is not None and part.reflector.synced

    @property
    def missing(self) -> bool:
        """Whether the server does not have the kind at the moment."""
        return any(part.reflector.missing for part in self._parts.values())

    @property
    def vanished(self) -> bool:
        """Whether the server answered 404 for a kind that its discovery lists, or listed."""
        return any(part.reflector.vanished for part in self._parts.values())

    @property
    def problem(self) -> str | None:
        """What is wrong and what to do about it; ``None`` if nothing is."""
        problems = (part.reflector.problem for part in self._parts.values())
        return next((problem for problem in problems if problem), None)

    @property
    def namespaces(self) -> frozenset[str]:
        """The namespaces that it watches; empty for all."""
        return frozenset(self._parts) - {""}

    @property
    def version(self) -> str:
        """The version up to which everything has been seen; empty for several namespaces."""
        versions = [part.reflector.version for part in self._parts.values()]
        return versions[0] if len(versions) == 1 else ""

    @property
    def reflectors(self) -> tuple[Reflector[R], ...]:
        """The reflectors, one for each namespace."""
        return tuple(part.reflector for part in self._parts.values())

    @property
    def object_count(self) -> int:
        """How many objects it holds."""
        return len(self.store)

    @property
    def size_in_bytes(self) -> int:
        """How many bytes they take."""
        return self.store.size_in_bytes

    @property
    def watch_age(self) -> float:
        """Seconds since its quietest watch last received anything."""
        heard = min(part.reflector.last_heard for part in self._parts.values())
        return self._clock.monotonic() - heard

    async def wait_for_sync(self) -> None:
        """Return once the first list is in the store.

        Raises:
            LifecycleError: The informer stopped before that.
        """
        await self._waiters.until(lambda: self.synced or self._stopped)
        if not self.synced:
            raise LifecycleError(f"the informer of {self.selection} stopped before its first list")

    async def wait_settled(self) -> None:
        """Return once it is synced, or cannot be: the kind is missing, or access is refused.

        Raises:
            LifecycleError: The informer stopped before that.
        """
        await self._waiters.until(lambda: self.is_settled or self._stopped)
        if not self.is_settled:
            raise LifecycleError(f"the informer of {self.selection} stopped before its first list")

    @property
    def is_settled(self) -> bool:
        """Whether it is synced, or known to be unable to sync."""
        return all(
            reflector.synced or reflector.known_to_fail
            for reflector in (part.reflector for part in self._parts.values())
        )

    def busy(self) -> Iterator[str]:
        """Yield what is under way: a list, own writes that no watch has shown, slow handlers."""
        if self._tasks is None:
            return
        if not self.is_settled:
            yield "its first list is under way"
        if (ahead := self.store.ahead) and not self._is_refused:
            yield f"{ahead} of its own writes have not come back through the watch"
        if untold := sum(part.untold for part in self._parts.values()):
            yield f"{untold} changes of a list have not been told"
        if backlog := sum(one.backlog for one in self._registrations):
            yield f"{backlog} changes wait for an async handler"

    async def wait_idle(self) -> None:
        """Wait for what `busy` names; there may be something else by then."""
        await self._waiters.until(self._is_told_or_stopped)
        await self.store.wait_level(unless=lambda: self._is_refused)
        for registration in self._registrations:
            await registration.wait_caught_up()

    @property
    def _is_refused(self) -> bool:
        """Whether nothing more comes for now, and nobody knows for how long."""
        return any(part.reflector.known_to_fail for part in self._parts.values())

    def _is_told_or_stopped(self) -> bool:
        untold = any(part.untold for part in self._parts.values())
        return self._stopped or (self.is_settled and not untold)

    # --- Handlers ---

    def add_handler(self, handler: Handler[R]) -> Registration[R]:
        """Call *handler* for everything that exists, and then for every change.

        A function is called in the same step as the change, and must be quick. An async function is
        called in a task of its own, one change at a time. If it is slow, changes of one object are
        merged, and in the end the informer reads no further.

        Errors that it raises are logged and counted; it is still called for the next change.
        """
        registration = self.registration_of(handler, reader=self)
        self.register(registration)
        return registration

    def registration_of(self, handler: Handler[R], *, reader: "Informer[Any]") -> Registration[R]:
        """Return a registration for *handler*, which was added to *reader*; see `register`."""
        errors = self._counts.handler_errors
        registration = registered(handler, on_remove=reader.unregister, errors=errors)
        registration.reader = reader
        return registration

    def register(self, registration: Registration[R]) -> None:
        """Deliver everything that exists to *registration*, and then every change."""
        for entry in list(self.store.streamed()):
            registration.deliver(Event(None, entry, initial=True))
        self._registrations = (*self._registrations, registration)
        if self._told:
            registration.note_all_delivered()
        if self._tasks is not None and isinstance(registration, Queued):
            registration.start(self._tasks)

    def unregister(self, registration: Registration[R]) -> None:
        """Deliver nothing more to *registration*."""
        self._registrations = tuple(r for r in self._registrations if r is not registration)

    def end_handlers(self, reader: "Informer[Any] | None" = None) -> None:
        """Remove the handlers that were added to *reader*; by default, to this informer."""
        for registration in self._registrations:
            if registration.reader is (reader or self):
                registration.remove()

    def hand_over(self, successor: "Informer[Any]") -> None:
        """Move all handlers to *successor*, before anything has been delivered to them."""
        registrations, self._registrations = self._registrations, ()
        for registration in registrations:
            if isinstance(registration, Queued):
                registration.detach()  # first, or its old task would take changes and lose them
            successor.register(registration)

    @property
    def _told(self) -> bool:
        return all(part.told for part in self._parts.values())

    # --- Life ---

    async def run(self) -> None:
        """Keep the store up to date until cancelled.

        Raises:
            LifecycleError: It runs, or has run.
        """
        if self._tasks is not None or self._stopped:
            raise LifecycleError(f"cannot run the informer of {self.selection} a second time")
        self._counts.begin(self)
        try:
            async with TaskSet(own_context=True) as tasks:
                self._tasks = tasks
                for part in self._parts.values():
                    part.start(tasks)
                for registration in self._registrations:
                    if isinstance(registration, Queued):
                        registration.start(tasks)
                await asyncio.get_running_loop().create_future()
        finally:
            self._tasks = None
            self._end()

    def abandon(self) -> None:
        """Note that it will not run; if it has begun to, it ends by itself."""
        if self._tasks is None and not self._stopped:
            self._end()

    def _end(self) -> None:
        self._stopped = True
        self._counts.end(self)
        self._waiters.wake()
        self.store.end()
        for registration in self._registrations:
            registration.end()

    def move(self, mapping: RESTMapping, namespaces: Iterable[str] | None) -> None:
        """List *mapping* in *namespaces* from now on: this is where the kind lives."""
        self._selection = msgspec.structs.replace(self._selection, mapping=mapping)
        self.store.mapping = mapping
        self.set_namespaces(namespaces)

    def set_namespaces(self, namespaces: Iterable[str] | None) -> None:
        """Watch *namespaces* from now on; all of them if not given.

        Objects elsewhere leave the store; handlers receive them as deleted, with ``unseen`` set.

        Raises:
            ValueError: The kind does not live in namespaces.
        """
        wanted = self._names(namespace_set(namespaces))
        if wanted != {""} and not self.selection.mapping.namespaced:
            raise ValueError(f"{self.selection} are in no namespace")
        left = [self._parts.pop(name) for name in list(self._parts) if name not in wanted]
        for part in left:
            part.stop()
        if "" not in wanted:
            self._leave_all_but(wanted)
        for name in sorted(wanted - self._parts.keys()):
            part = self._parts[name] = self._make_part(name)
            if self._tasks is not None:
                part.start(self._tasks)
        self._wake_waiters()

    def _leave_all_but(self, namespaces: set[str]) -> None:
        present = {entry.key.namespace for entry in self.store.streamed()}
        # And own writes that the stream has not shown. (A store is not a dict.)
        present |= {key.namespace for key in self.store.keys()}  # noqa: SIM118
        for namespace in sorted(present - namespaces):
            for event in self.store.replace((), namespace=namespace, version=""):
                for registration in self._registrations:
                    registration.deliver(event)

    def _names(self, namespaces: frozenset[str]) -> set[str]:
        return set(namespaces) or {""}

    def _make_part(self, namespace: str) -> Part[R]:
        collection = Collection(
            self._rest,
            self.selection,
            namespace=namespace,
            locate=self._locate,
            clock=self._clock,
        )
        part = Part(
            self.store,
            namespace,
            shard=self.selection.shard,
            listeners=lambda: self._registrations,
            on_told=self._tell_if_all_told,
        )
        part.reflector = Reflector(
            collection,
            part,
            name=f"{self.selection} in {namespace!r}" if namespace else str(self.selection),
            habits=self._habits,
            counts=self._counts,
            on_change=self._wake_waiters,
            clock=self._clock,
        )
        return part

    def _tell_if_all_told(self) -> None:
        if self._told:
            for registration in self._registrations:
                registration.note_all_delivered()
        self._waiters.wake()

    def _wake_waiters(self) -> None:
        self._waiters.wake()
        self.store.wake()
