"""`Part`: one namespace of an informer, which a reflector fills and handlers listen to."""

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar

import msgspec

from kubewright._aio import TaskSet
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.cache.entry import Entry, Event
from kubewright.cache.handlers import Queued, Registration
from kubewright.cache.reflector import Reflector
from kubewright.cache.shard import Shard
from kubewright.cache.store import Store

R = TypeVar("R", bound=Resource | Unstructured)

_SLICE = 1000  # changes delivered in one go: a few milliseconds

Registrations = tuple[Registration[R], ...]


class Part(Generic[R]):
    """The objects of one namespace, or of all, in the store of an informer.

    Args:
        store: Where they are kept.
        namespace: The namespace; empty for all.
        shard: Which of them belong to this process; all if not given.
        listeners: Returns the registrations to call.
        on_told: Called when a list has been delivered to all of them.

    Attributes:
        reflector: What fills it.
        told: Whether the first list has been delivered to all handlers.
    """

    reflector: Reflector[R]

    def __init__(
        self,
        store: Store[R],
        namespace: str,
        *,
        shard: Shard | None,
        listeners: Callable[[], Registrations[R]],
        on_told: Callable[[], None],
    ) -> None:
        self.told: bool = False
        self._store = store
        self._namespace = namespace or None
        self._listeners = listeners
        self._on_told = on_told
        self._active = True
        self._task: asyncio.Task[None] | None = None
        self._untold: deque[Event[R]] = deque()
        self._untold_to: Registrations[R] = ()
        self.entry: Callable[[bytes], Entry[R]] = partial(store.codec.entry, known=store.find_named)
        """Returns the entry for an object; raises `DecodeError` if it cannot be read."""
        # Without a shard every object counts: `bool` of an entry is always true.
        self.owns: Callable[[Entry[R]], bool] = bool if shard is None else _owned_by(shard)
        """Says whether the object belongs to this process."""

    def start(self, tasks: TaskSet) -> None:
        """Start to fill it, in a task of *tasks*."""
        self._task = tasks.start(self.reflector.run())

    def stop(self) -> None:
        """Stop filling it; deliver what was seen but not delivered yet."""
        self._active = False
        if self._task is not None:
            self._task.cancel()
        self._tell(len(self._untold))

    async def replace(self, entries: list[Entry[R]], version: str) -> None:
        """Replace all objects with *entries*, and deliver the differences in slices."""
        if not self._active:
            return
        events = self._store.replace(entries, namespace=self._namespace, version=version)
        if not self.told:
            events = [_initial(event) for event in events]
        # Handlers added from here on are told about the whole store first, so not about these.
        self._untold.extend(events)
        self._untold_to = self._listeners()
        while self._untold:
            # Without `wait_for_room`: the objects are in memory already, and a slow listener must
            # not keep the others from ever being told.
            self._tell(_SLICE)
            await asyncio.sleep(0)
        self._mark_told()
        while self._store.pack_some():  # noqa: ASYNC110  # work in slices, nothing to wait for
            await asyncio.sleep(0)

    def put(self, entry: Entry[R]) -> None:
        """Put *entry* into the store, and deliver the change to the handlers."""
        if self._active:
            event = self._store.put(entry)
            if event is not None:
                for registration in self._listeners():
                    registration.deliver(event)

    def remove(self, entry: Entry[R]) -> None:
        """Remove the object of *entry*, and deliver the change to the handlers."""
        if self._active:
            event = self._store.remove(entry)
            if event is not None:
                for registration in self._listeners():
                    registration.deliver(event)

    @property
    def untold(self) -> int:
        """How many changes of a list are still to be delivered."""
        return len(self._untold)

    def settle(self, version: str) -> None:
        """Note that everything up to *version* has been seen."""
        if self._active:
            self._store.settle(version, namespace=self._namespace)
            self._store.pack_some()

    @property
    def full(self) -> bool:
        """Whether an async handler is too far behind."""
        return any(one.queue.full for one in self._listeners() if isinstance(one, Queued))

    async def wait_for_room(self) -> None:
        """Wait until the async handlers have caught up."""
        for registration in self._listeners():
            if isinstance(registration, Queued):
                await registration.queue.wait_for_room()

    def _tell(self, count: int) -> None:
        untold = self._untold
        while untold and count > 0:
            count -= 1
            event = untold.popleft()
            for registration in self._untold_to:
                if registration.active:
                    registration.deliver(event)

    def _mark_told(self) -> None:
        self.told = True
        self._on_told()


def _owned_by(shard: Shard) -> Callable[[Entry[Any]], bool]:
    return lambda entry: shard.owns(entry.uid)


def _initial(event: Event[R]) -> Event[R]:
    """Mark objects that are new in a first list; known ones changed like any other."""
    return event if event.old is not None else msgspec.structs.replace(event, initial=True)
