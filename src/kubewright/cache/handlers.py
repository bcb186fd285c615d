"""Handlers of an informer, which are called for every change, and their registrations."""

import asyncio
import inspect
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeAlias, TypeVar

from kubewright._aio import TaskSet, apart
from kubewright.cache.deltas import DeltaQueue
from kubewright.cache.entry import Event
from kubewright.cache.waiters import Waiters
from kubewright.errors import LifecycleError
from kubewright.log import get_logger
from kubewright.metrics import CounterValue

R = TypeVar("R")

_log = get_logger(__name__)

SyncHandler: TypeAlias = Callable[[Event[R]], None]
AsyncHandler: TypeAlias = Callable[[Event[R]], Awaitable[None]]
Handler: TypeAlias = Callable[[Event[R]], Awaitable[None] | None]
"""Called with each change: at once if it is a function, in its own task if it is async."""


class Registration(ABC, Generic[R]):
    """A handler that was added to an informer; made by `Informer.add_handler`.

    Attributes:
        handler: What is called.
        active: Whether it is still called.
        failures: How many of its calls have raised an error.
        reader: The informer that it was added to.
    """

    reader: object = None

    def __init__(
        self,
        handler: Handler[R],
        *,
        on_remove: Callable[["Registration[R]"], None],
        errors: CounterValue | None = None,
    ) -> None:
        self.handler: Handler[R] = handler
        self.active: bool = True
        self.failures: int = 0
        self._on_remove = on_remove
        self._errors = errors or CounterValue()
        self._synced = False
        self._ended = False
        self._waiters = Waiters()

    @property
    def synced(self) -> bool:
        """Whether the handler has been called for everything that existed when it was added."""
        return self._synced

    @property
    def backlog(self) -> int:
        """How many changes wait for the handler, or are being handled."""
        return 0

    async def wait_caught_up(self) -> None:
        """Return once the handler has no `backlog`, or is no longer called."""
        await self._waiters.until(lambda: not self.backlog or self._ended)

    async def wait_synced(self) -> None:
        """Return once the handler is `synced`.

        Raises:
            LifecycleError: The handler was removed, or the informer stopped, before that.
        """
        await self._waiters.until(lambda: self._synced or self._ended)
        if not self._synced:
            why = "the informer stopped" if self.active else "it was removed"
            raise LifecycleError(f"{_name(self.handler)} has not heard the first list: {why}")

    def remove(self) -> None:
        """Stop calling the handler; a call that is under way may finish."""
        if self.active:
            self.active = False
            self._on_remove(self)
            self.close()
            self.end()

    def end(self) -> None:
        """Note that no more changes will come, and wake the waiters."""
        self._ended = True
        self._waiters.wake()

    @abstractmethod
    def deliver(self, event: Event[R]) -> None:
        """Call the handler with *event*, or queue the call."""

    @abstractmethod
    def note_all_delivered(self) -> None:
        """Note that everything that existed at the start has been delivered."""

    def close(self) -> None:
        """Wake whoever waits for the handler to catch up."""

    def _become_synced(self) -> None:
        self._synced = True
        self._waiters.wake()

    def _count_failure(self, event: Event[R], error: BaseException) -> None:
        self.failures += 1
        self._errors.value += 1
        _log.exception(
            "handler failed", name=_name(self.handler), key=str(event.key), error=repr(error)
        )


class Direct(Registration[R]):
    """A handler that is called in the same step as the change; it must be quick."""

    def deliver(self, event: Event[R]) -> None:
        """Call the handler."""
        if not self.active:  # an earlier handler has removed it
            return
        try:
            answer = self.handler(event)
            if answer is not None and inspect.isawaitable(answer):
                _refuse(answer, self.handler)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001  # one handler must not stop the others
            self._count_failure(event, error)

    def note_all_delivered(self) -> None:
        """Become synced: everything that was delivered was handled at once."""
        if not self._synced:
            self._become_synced()


class Queued(Registration[R]):
    """An async handler: its changes wait in a queue, merged by object.

    Attributes:
        queue: The changes that it has not handled yet.
    """

    def __init__(
        self,
        handler: Handler[R],
        *,
        on_remove: Callable[[Registration[R]], None],
        errors: CounterValue | None = None,
    ) -> None:
        super().__init__(handler, on_remove=on_remove, errors=errors)
        self.queue: DeltaQueue[R] = DeltaQueue()
        self._synced_after: int | None = None
        self._handling = False
        self._task: asyncio.Task[None] | None = None

    @property
    def backlog(self) -> int:
        """How many changes wait for the handler, or are being handled."""
        return len(self.queue) + self._handling

    def deliver(self, event: Event[R]) -> None:
        """Queue the change."""
        self.queue.push(event)

    def note_all_delivered(self) -> None:
        """Become synced once everything that waits now has been handled."""
        if self._synced_after is None:
            self._synced_after = self.queue.taken + len(self.queue)
            if not self._handling:
                self._sync_if_caught_up()

    def start(self, tasks: TaskSet) -> None:
        """Call the handler in a task of *tasks*."""
        self._task = tasks.start(self._run_after(self._task))

    def detach(self) -> None:
        """Stop calling the handler, so that another informer can `start` it in its own task."""
        if self._task is not None:
            self._task.cancel()

    async def _run_after(self, before: "asyncio.Task[None] | None") -> None:
        if before is not None:
            await asyncio.wait([before])  # two tasks must not take from one queue
        await self.run()

    async def run(self) -> None:
        """Call the handler with one change after the other, until it is removed."""
        while (event := await self.queue.take()) is not None:
            self._handling = True
            try:
                await self._handle(event)
            finally:
                self._handling = False
            self._sync_if_caught_up()
            if not self.backlog:
                self._waiters.wake()

    def _sync_if_caught_up(self) -> None:
        after = self._synced_after
        if not self._synced and after is not None and self.queue.taken >= after:
            self._become_synced()

    def close(self) -> None:
        """Drop the changes that wait, and let the task end."""
        self.queue.close()

    async def _handle(self, event: Event[R]) -> None:
        try:
            answer = self.handler(event)
            assert answer is not None
            # In a task of its own: a handler that cancels its task would end this one, and the
            # full queue would then hold up the whole informer.
            await apart(answer)
        except Exception as error:  # noqa: BLE001  # the next change may go well
            self._count_failure(event, error)


def registered(
    handler: Handler[R],
    *,
    on_remove: Callable[[Registration[R]], None],
    errors: CounterValue | None = None,
) -> Registration[R]:
    """Return a registration for *handler*: queued if it is async, direct otherwise.

    Raises:
        TypeError: It cannot be called.
    """
    if not callable(handler):
        raise TypeError(f"a handler is a function of one Event, not {handler!r}")
    kind = Queued if is_async_handler(handler) else Direct
    return kind(handler, on_remove=on_remove, errors=errors)


def is_async_handler(handler: Any) -> bool:
    """Say whether *handler* is an ``async`` function, or an object that is called as one."""
    call = getattr(handler, "__call__", None)  # noqa: B004  # an object with an async __call__
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(call)


def _refuse(answer: Any, handler: Any) -> None:
    close = getattr(answer, "close", None)
    if close is not None:
        close()
    raise TypeError(
        f"{_name(handler)} returned something to await, but is not an async function: write it with"
        " `async def`, so that it runs in a task of its own"
    )


def _name(handler: Any) -> str:
    return getattr(handler, "__qualname__", None) or repr(handler)
