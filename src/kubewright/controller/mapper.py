"""`Mapper`: asks a map function about each change, and again later if it fails."""

import asyncio
from collections.abc import Awaitable
from typing import Any, Generic, TypeVar

import msgspec

from kubewright._aio import Clock, TaskSet
from kubewright.api.kind import ObjectKey
from kubewright.api.resource import Resource
from kubewright.cache.entry import Entry, Event
from kubewright.controller.mapping import is_async, requests_for, versions
from kubewright.controller.request import Reason, Request
from kubewright.controller.sources import Sink
from kubewright.controller.watches import Watches
from kubewright.errors import DecodeError
from kubewright.log import get_logger
from kubewright.metrics import CounterValue
from kubewright.workqueue import LOW, ExponentialBackoff, WorkQueue

__all__ = ["Mapper"]

R = TypeVar("R", bound=Resource)

TASKS: int = 8
"""How many objects an async map function is asked about at a time."""
DEADLINE: float = 60.0
"""How long an async map function may take before it is asked again."""
MOST_VERSIONS: int = 100
"""How many states of one object are kept while its map function fails."""

_log = get_logger(__name__)


class _Question(msgspec.Struct, frozen=True):
    """A state of an object that the map function has not answered for yet."""

    entry: Entry[Any]
    reason: Reason
    priority: int


class Mapper(Generic[R]):
    """Turns the events of one kind into requests with a map function of the user's.

    A sync function is asked where the event is heard; an async one, and what failed, in tasks of
    its own, one object at a time in order of its states. What cannot be decoded as the kind is
    left out with an error in the log, since no later try would be better.
    """

    def __init__(
        self, watch: Watches[R], sink: Sink, *, cluster: str, errors: CounterValue
    ) -> None:
        self._map = watch.map
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
        """Return how many objects wait for an answer."""
        return len(self._open)

    def hear(self, event: Event[R], reason: Reason) -> None:
        """Ask about both states of the object, now or soon."""
        priority = LOW if event.initial else 0
        for entry in versions(event):
            question = _Question(entry, reason, priority)
            if self._is_async:
                self._postpone(question)
            else:
                self._ask_now(question)

    async def run(self) -> None:
        """Ask what could not be asked at once, until cancelled."""
        async with TaskSet() as tasks:
            for _ in range(TASKS if self._is_async else 1):
                tasks.start(self._work())
            await tasks.wait()

    def _ask_now(self, question: _Question) -> None:
        try:
            answer: Any = self._map(question.entry.object)
            if isinstance(answer, Awaitable):
                self._is_async = True  # a plain function around an async one
                _close(answer)
                self._postpone(question)
                return
            self._answer(question, answer)
        except DecodeError as error:
            self._skip(question, error)
        except Exception as error:  # noqa: BLE001  # theirs may fail in any way; it is asked again
            self._failed(question, error)
            if self._postpone(question, wait=True):
                self._queue.add_rate_limited(question.entry.key)

    async def _work(self) -> None:
        while True:
            key = await self._queue.get()
            try:
                await self._catch_up(key)
            finally:
                self._queue.done(key)

    async def _catch_up(self, key: ObjectKey) -> None:
        left = [one for one in self._open.pop(key, ()) if not await self._is_answered(one)]
        if left:
            self._open[key] = [*left, *self._open.get(key, ())]
            self._queue.add_rate_limited(key)
        else:
            self._queue.forget(key)

    async def _is_answered(self, question: _Question) -> bool:
        try:
            async with self._clock.timeout(DEADLINE):
                answer: Any = self._map(question.entry.object)
                self._answer(question, await answer if isinstance(answer, Awaitable) else answer)
        except DecodeError as error:
            self._skip(question, error)
        except asyncio.CancelledError as error:
            if _is_cancelled():
                raise
            # Not meant for us: the function has waited for a task that was cancelled. To end here
            # would lose the change, and one of our tasks with it.
            self._failed(question, error)
            return False
        except Exception as error:  # noqa: BLE001  # theirs may fail in any way; it is asked again
            self._failed(question, error)
            return False
        return True

    def _answer(self, question: _Question, targets: Any) -> None:
        namespace = question.entry.key.namespace
        found = requests_for(targets, namespace=namespace, cluster=self._cluster)
        for request in found:
            self._add(request, question)

    def _add(self, request: Request, question: _Question) -> None:
        self._sink.add(request, question.reason, priority=question.priority)

    def _postpone(self, question: _Question, *, wait: bool = False) -> bool:
        """Keep *question* for the tasks; return whether it is the first about its object."""
        key = question.entry.key
        asked = self._open.setdefault(key, [])
        _put(asked, question)
        if len(asked) > MOST_VERSIONS:
            # The first tells who was concerned when the trouble began, the last who is now.
            _log.warning("map function lags behind, a state is left out", key=str(key))
            del asked[1]
        if not wait:
            self._queue.add(key, priority=question.priority)
        return len(asked) == 1

    def _skip(self, question: _Question, error: Exception) -> None:
        key = str(question.entry.key)
        _log.error("object does not fit its class, not mapped", key=key, error=str(error))

    def _failed(self, question: _Question, error: BaseException) -> None:
        self._errors.value += 1
        _log.warning(
            "map function failed, will retry",
            source=self._name,
            key=str(question.entry.key),
            error=repr(error),
        )


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _close(answer: Any) -> None:
    """Let go of a coroutine that is not awaited, without a warning."""
    if hasattr(answer, "close"):
        answer.close()


def _put(asked: list[_Question], question: _Question) -> None:
    """Add *question*, or let it take the place of the one about the same state."""
    for place, one in enumerate(asked):
        if one.entry.resource_version == question.entry.resource_version:
            priority = max(one.priority, question.priority)
            asked[place] = msgspec.structs.replace(question, priority=priority)
            return
    asked.append(question)
