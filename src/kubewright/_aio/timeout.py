"""A bound on a block of code, on whatever clock started it."""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self


class Timeout:
    """Cancels the task inside the block when the time is up; leaves with `TimeoutError`.

    It does what `asyncio.timeout` does, but the time is a clock's, so that a test can move it.
    A cancellation that comes from elsewhere passes through unchanged.
    """

    __slots__ = ("_call_later", "_cancels", "_expired", "_seconds", "_task", "_timer")

    def __init__(
        self, seconds: float | None, call_later: Callable[[float, Callable[[], object]], Any]
    ) -> None:
        self._seconds = seconds
        self._call_later = call_later
        self._task: asyncio.Task[Any] | None = None
        self._timer: Any = None
        self._cancels = 0
        self._expired = False

    @property
    def expired(self) -> bool:
        """Whether the time ran out before the block was done."""
        return self._expired

    def expire(self) -> None:
        """End the block now, as if its time were up; outside of it, do nothing."""
        if self._task is not None and not self._expired:
            self._expired = True
            self._task.cancel()

    async def __aenter__(self) -> Self:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a timeout can only be used inside a task")
        self._task = task
        self._cancels = task.cancelling()
        if self._seconds is not None:
            self._timer = self._call_later(max(0.0, self._seconds), self.expire)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        task, self._task = self._task, None
        assert task is not None
        if self._timer is not None:
            self._timer.cancel()
        # Only our own cancel may turn into a TimeoutError. When somebody else cancelled the task
        # too, the count stays higher than at the start, and the cancellation must go on.
        if self._expired and task.uncancel() <= self._cancels and _is_cancel(kind):
            raise TimeoutError from error


def _is_cancel(kind: type[BaseException] | None) -> bool:
    return kind is not None and issubclass(kind, asyncio.CancelledError)
