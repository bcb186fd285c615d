"""`Mapper`: calls a map function for each change, and again later if it fails."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from kubewright._aio import Clock, TaskSet, apart
from kubewright.api.kind import ObjectKey
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.cache.entry import Entry, Event
from kubewright.controller.mapping import (
    MapContext,
    is_async,
    requests_for,
    takes_context,
    versions,
)
from kubewright.controller.request import Reason, Request
from kubewright.controller.sources import Sink
from kubewright.controller.watches import Watches
from kubewright.errors import CacheNotSyncedError, DecodeError
from kubewright.log import get_logger
from kubewright.metrics import CounterValue
from kubewright.workqueue import LOW, ExponentialBackoff, WorkQueue

if TYPE_CHECKING:
    from kubewright.cluster import Cluster

__all__ = ["Mapper"]

R = TypeVar("R", bound=Resource | Unstructured)

TASKS: int = 8
"""For how many objects an async map function may run at a time."""
DEADLINE: float = 60.0
"""Seconds that an async map function may take before it is cancelled and called again."""
MOST_VERSIONS: int = 100
"""How many states of one object are kept while its map function fails."""

_log = get_logger(__name__)


class _Question(msgspec.Struct, frozen=True):
    """A state of an object for which the map function has not returned yet."""

    entry: Entry[Any]
    reason: Reason
    priority: int


class Mapper(Generic[R]):
    """Turns the events of one kind into requests, with the map function of the user.

    A sync function is called right away, in the step that handles the event. An async one runs in
    tasks of the mapper, and so do retries; the states of one object are mapped in order. An object
    that does not fit its class is logged and left out: a retry would not help.

    Args:
        watch: The kind, and the function.
        sink: Where requests go.
        cluster: The cluster of the objects that the function names.
        errors: Counts its failures.
        home: The cluster of the controller, which a function with two parameters may read from.
    """

    def __init__(
        self,
        watch: Watches[R],
        sink: Sink,
        *,
        cluster: str,
        errors: CounterValue,
        home: "Cluster | None" = None,
    ) -> None:
        self._map: Any = watch.map
        self._home = home if takes_context(watch.map) else None
        self._name = str(watch)
        self._is_async = is_async(watch.map)
        self._sink = sink
        self._cluster = cluster
        self._errors = errors
        self._clock: Clock = sink.clock
        self._queue: WorkQueue[ObjectKey] = WorkQueue(
            limiter=ExponentialBackoff(base=0.1, cap=300.0), clock=self._clock
        )
        self._open: dict[ObjectKey, list[_Question]] = {}

    def __len__(self) -> int:
        """Return how many objects wait for the map function."""
        return len(self._open)

    @property
    def backlog(self) -> int:
        """How many objects are being mapped, or are next; retries that are not due do not count."""
        return len(self._queue) + self._queue.processing

    async def wait_idle(self) -> None:
        """Return once there is no `backlog`."""
        await self._queue.wait_idle()

    def hear(self, event: Event[R], reason: Reason) -> None:
        """Map both states of the object, now or in a task."""
        priority = LOW if event.initial else 0
        for entry in versions(event):
            question = _Question(entry, reason, priority)
            if self._is_async:
                self._postpone(question)
            else:
                self._ask_now(question)

    async def run(self) -> None:
        """Map what could not be mapped at once, until cancelled."""
        async with TaskSet() as tasks:
            for _ in range(TASKS if self._is_async else 1):
                tasks.start(self._work())
            await tasks.wait()

    def _ask_now(self, question: _Question) -> None:
        try:
            answer = self._ask(question.entry)
            if isinstance(answer, Awaitable):
                self._is_async = True  # a plain function around an async one
                _close(answer)
                self._postpone(question)
                return
            self._answer(question, answer)
        except DecodeError as error:
            self._skip(question, error)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001  # user code may raise anything; it is retried
            self._note_failure(question, error)
            if self._postpone(question, wait=True):
                self._queue.add_rate_limited(question.entry.key)

    def _ask(self, entry: Entry[Any]) -> Any:
        if self._home is None:
            return self._map(entry.object)
        return self._map(entry.object, MapContext(self._home, entry.key.namespace))

    async def _work(self) -> None:
        while True:
            key = await self._queue.get()
            try:
                await self._catch_up(key)
            finally:
                self._queue.done(key)

    async def _catch_up(self, key: ObjectKey) -> None:
        left = [one for one in self._open.pop(key, ()) if not await self._find_answer(one)]
        if left:
            self._open[key] = [*left, *self._open.get(key, ())]
            self._queue.add_rate_limited(key)
        else:
            self._queue.forget(key)

    async def _find_answer(self, question: _Question) -> bool:
        try:
            async with self._clock.timeout(DEADLINE):
                # In a task of its own: a function that cancels its task would otherwise end ours,
                # and the change would be lost.
                await apart(self._ask_patiently(question))
        except DecodeError as error:
            self._skip(question, error)
        except Exception as error:  # noqa: BLE001  # user code may raise anything; it is retried
            self._note_failure(question, error)
            return False
        return True

    async def _ask_patiently(self, question: _Question) -> None:
        answer = self._ask(question.entry)
        self._answer(question, await answer if isinstance(answer, Awaitable) else answer)

    def _answer(self, question: _Question, targets: Any) -> None:
        namespace = question.entry.key.namespace
        found = requests_for(targets, namespace=namespace, cluster=self._cluster)
        for request in found:
            self._add(request, question)

    def _add(self, request: Request, question: _Question) -> None:
        entry = question.entry
        mark = entry.uid if question.reason.event == "DELETED" else entry.resource_version
        self._sink.add(request, question.reason, priority=question.priority, mark=mark)

    def _postpone(self, question: _Question, *, wait: bool = False) -> bool:
        """Leave *question* to the tasks; return whether it is the only one about its object."""
        key = question.entry.key
        asked = self._open.setdefault(key, [])
        _put(asked, question)
        if len(asked) > MOST_VERSIONS:
            # The first names the objects concerned when the trouble began, the last those now.
            _log.warning("map function lags behind, a state is left out", key=str(key))
            del asked[1]
        if not wait:
            self._queue.add(key, priority=question.priority)
        return len(asked) == 1

    def _skip(self, question: _Question, error: Exception) -> None:
        key = str(question.entry.key)
        _log.error("object does not fit its class, not mapped", key=key, error=str(error))

    def _note_failure(self, question: _Question, error: BaseException) -> None:
        if isinstance(error, CacheNotSyncedError):
            # What it looks for is still on its way: at the start, kinds arrive in any order.
            _log.debug("map function waits for the cache", source=self._name, error=str(error))
            return
        self._errors.value += 1
        _log.warning(
            "map function failed, will retry",
            source=self._name,
            key=str(question.entry.key),
            error=repr(error),
        )


def _close(answer: Any) -> None:
    """Close a coroutine that nobody will await, so that Python does not warn."""
    if hasattr(answer, "close"):
        answer.close()


def _put(asked: list[_Question], question: _Question) -> None:
    """Add *question*, or replace the one about the same state."""
    for place, one in enumerate(asked):
        if one.entry.resource_version == question.entry.resource_version:
            priority = max(one.priority, question.priority)
            asked[place] = msgspec.structs.replace(question, priority=priority)
            return
    asked.append(question)
