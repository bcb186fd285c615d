"""Timers: functions that are called for each object at intervals."""

import random
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, TypeAlias, TypeVar

from kubewright._aio import Clock
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.controller.mapping import is_async
from kubewright.controller.predicates import deletion_changed, generation_changed
from kubewright.controller.request import Request, Result

R = TypeVar("R", bound=Resource | Unstructured)

__all__ = ["CHANGES", "Every", "Schedule", "check_every", "timed"]

CHANGES = deletion_changed | generation_changed
"""The changes that queue a timer. They do not call one that waits, only one that gave up."""
_CLOSE = 0.001  # seconds by which a call may be early

Every: TypeAlias = float | timedelta | Callable[[R], float | timedelta]
"""The time between two calls: the same for all objects, or a function of the object."""


class Schedule:
    """When to call the timer of each waiting object next."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._due: dict[Request, tuple[str, float]] = {}

    def take(self, request: Request, uid: str) -> float:
        """Return the seconds that are left; if 0, the timer is due and no longer waits."""
        known, due = self._due.get(request, ("", 0.0))
        left = due - self._clock.monotonic() if known == uid else 0.0
        if left > _CLOSE:
            return left
        self.forget(request)
        return 0.0

    def note(self, request: Request, uid: str, result: Result | None) -> None:
        """Note when a timer that was called asks to be called again."""
        if result is not None and result.delay is not None:
            self._due[request] = (uid, self._clock.monotonic() + result.delay)

    def forget(self, request: Request) -> None:
        """Note that an object is gone."""
        self._due.pop(request, None)


def check_every(name: str, interval: object, jitter: object) -> None:
    """Check the interval and jitter of a timer.

    Raises:
        TypeError: The interval is not a number, a timedelta or a function.
        ValueError: The interval is not more than 0, or the jitter is negative.
    """
    if not isinstance(jitter, int | float) or not jitter >= 0:
        raise ValueError(f"the jitter of {name!r} is a share of at least 0, not {jitter!r:.80}")
    if not callable(interval):
        _seconds(name, interval)


def timed(function: Any, interval: Any, jitter: float) -> Any:
    """Return *function* wrapped to ask for another call after *interval*, unless it asks itself."""
    name = getattr(function, "__name__", repr(function))

    def again(obj: Any, result: Result | None) -> Result:
        if result is not None:
            return result
        every = _seconds(name, interval(obj) if callable(interval) else interval)
        share = random.random()  # noqa: S311  # not for secrets
        return Result(requeue_after=every * (1.0 + jitter * share))

    if is_async(function):

        @wraps(function)
        async def call(obj: Any, ctx: Any) -> Result:
            return again(obj, await function(obj, ctx))

        return call

    @wraps(function)
    def call_in_thread(obj: Any, ctx: Any) -> Result:
        return again(obj, function(obj, ctx))

    return call_in_thread


def _seconds(name: str, interval: object) -> float:
    seconds = interval.total_seconds() if isinstance(interval, timedelta) else interval
    if not isinstance(seconds, int | float):
        raise TypeError(
            f"the interval of {name!r} is in seconds, a timedelta, or a function of the object that"
            f" returns one, not {interval!r:.80}"
        )
    if not seconds > 0:
        raise ValueError(f"the interval of {name!r} must be more than 0 seconds, not {seconds}")
    return float(seconds)
