"""`Deadlines`: cancels calls that take too long, with one timer for all of them."""

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from kubewright._aio import Clock, Timer, stopwatch
from kubewright._loop import place_of_task
from kubewright.controller.run import Run
from kubewright.runs.current import NOTES

if TYPE_CHECKING:
    from kubewright.runs.notes import Notes

__all__ = ["Call", "Deadlines"]

K = TypeVar("K")


class Call(msgspec.Struct, eq=False):
    """A call of a reconciler that is under way, or that left work behind which still is.

    Attributes:
        run: The call as the reconciler sees it.
        began: When it began, in monotonic time.
        task: The task of the worker, while it is in the call.
        expired: Whether the deadline passed, so that the worker was cancelled.
        place: Where in the user's code that happened; empty if unknown.
        notes: The notes for its record, if runs are recorded.
    """

    run: Run
    began: float
    task: asyncio.Task[Any] | None
    expired: bool = False
    place: str = ""
    notes: "Notes | None" = None

    def leave(self) -> bool:
        """Note that the worker has left the call; return whether the worker may go on.

        It may not if other code cancelled it, too.
        """
        task, self.task = self.task, None
        assert task is not None
        if self.notes is not None:
            self.notes.end_call()
            NOTES.set(None)  # what follows is not the reconciler's doing
        return (task.uncancel() if self.expired else task.cancelling()) == 0


class Deadlines(Generic[K]):
    """The calls that are under way, the oldest first.

    All have the same deadline, so the oldest expires first and one timer is enough. A timer for
    each call would cost more than the rest of an empty reconcile.
    """

    def __init__(self, seconds: float | None, *, clock: Clock) -> None:
        self._seconds = seconds
        self._clock = clock
        self.time: Callable[[], float] = stopwatch(clock)
        """Returns the monotonic time of the clock."""
        self._timer: Timer | None = None
        self.calls: dict[K, Call] = {}
        """The calls under way, by key; the worker that ends one removes it."""

    def begin(self, key: K, run: Run, task: "asyncio.Task[Any]") -> Call:
        """Note that *task* begins the call for *key*."""
        call = Call(run, self.time(), task)
        self.calls[key] = call
        if self._timer is None and self._seconds is not None:
            self._timer = self._clock.call_later(self._seconds, self._ring)
        return call

    @property
    def is_busy(self) -> bool:
        """Whether a call is under way."""
        return bool(self.calls)

    def fields_of(self, task: "asyncio.Task[Any]") -> Mapping[str, str]:
        """Return the log fields of the call that *task* is in; any thread may ask."""
        run = next((call.run for call in self.calls.values() if call.task is task), None)
        return {} if run is None else {"controller": run.controller, "key": str(run.request)}

    def overdue(self, seconds: float) -> dict[K, float]:
        """Return the age of each call that has been under way for more than *seconds*."""
        now = self._clock.monotonic()
        ages = {key: now - call.began for key, call in self.calls.items()}
        return {key: age for key, age in ages.items() if age > seconds}

    def close(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        self._timer = None
        assert self._seconds is not None
        now = self._clock.monotonic()
        for call in self.calls.values():
            if call.expired or call.task is None:
                continue
            left = call.began + self._seconds - now
            if left > 0:
                self._timer = self._clock.call_later(left, self._ring)
                return
            call.expired = True
            call.place = place_of_task(call.task.get_coro(), call.run.thread)
            call.task.cancel()
