"""`Departed`: remembers objects that are gone, for reconcilers with a ``gone`` function."""

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple

from kubewright._aio import Clock
from kubewright.controller.request import Reason, Request
from kubewright.controller.sources import Sink

if TYPE_CHECKING:
    from kubewright.cache.entry import Entry, Event
    from kubewright.cache.informer import Informer

__all__ = ["RECENT", "Departed"]

RECENT: float = 60.0
"""Seconds for which a process that does not lead remembers objects that are gone: the leader may
have died before it acted on them. Longer than a lease."""


class _Gone(NamedTuple):
    entry: "Entry[Any]"
    at: float


class Departed:
    """Remembers objects that are gone until their reconciler has acted on it, which it queues.

    It listens from its creation on, so that a new leader knows what went while nobody led. An
    object that was replaced by another one of its name is gone, too.

    Args:
        informer: Where the objects are kept.
        cluster: The name of their cluster.
        clock: Where time comes from.
    """

    name: str = "gone"
    """The reason that its reconciles show."""

    def __init__(self, informer: "Informer[Any]", *, cluster: str, clock: Clock) -> None:
        self._cluster = cluster
        self._clock = clock
        self._gone: dict[Request, dict[str, _Gone]] = {}  # ordered by the last deletion
        self._sink: Sink | None = None
        self._registration = informer.add_handler(self._hear)

    def __len__(self) -> int:
        """Return how many objects are gone and not yet acted on."""
        return sum(map(len, self._gone.values()))

    async def run(self, sink: Sink) -> None:
        """Queue a reconcile for each object that is gone, until cancelled."""
        self._drop_old()
        self._sink = sink
        try:
            for request in list(self._gone):
                sink.add(request, Reason(self.name))
            await asyncio.Event().wait()
        finally:
            self._sink = None

    def release(self) -> None:
        """Stop listening."""
        self._registration.remove()

    def find(self, request: Request) -> "list[Entry[Any]]":
        """Return the last states of the objects of that name that are gone, the oldest first."""
        return [one.entry for one in self._gone.get(request, {}).values()]

    def forget(self, request: Request, uid: str) -> None:
        """Note that the reconciler has acted on the object *uid*."""
        gone = self._gone.get(request, {})
        gone.pop(uid, None)
        if not gone:
            self._gone.pop(request, None)

    def _hear(self, event: "Event[Any]") -> None:
        old, new = event.old, event.new
        if old is None or (new is not None and new.uid == old.uid):
            return
        request = Request(old.key.namespace, old.key.name, self._cluster)
        gone = self._gone.pop(request, {})
        gone[old.uid] = _Gone(old, self._clock.monotonic())
        self._gone[request] = gone
        if self._sink is None:
            self._drop_old()
        else:
            self._sink.add(request, Reason(self.name), mark=old.uid)

    def _drop_old(self) -> None:
        now = self._clock.monotonic()
        while self._gone:
            first = next(iter(self._gone))
            if any(now - one.at <= RECENT for one in self._gone[first].values()):
                return
            del self._gone[first]
