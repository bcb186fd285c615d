"""Timers: a function that is called for each object again and again."""

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
"""What a timer hears of. A change does not call one that waits, but one that has given up."""
_CLOSE = 0.001  # seconds by which a call may come too early

Every: TypeAlias = float | timedelta | Callable[[R], float | timedelta]
"""How long a timer waits between two calls: the same for all objects, or told by each."""


class Schedule:
    """When the timer of each object is called next, for those that wait for it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._due: dict[Request, tuple[str, float]] = {}

    def take(self, request: Request, uid: str) -> float:
        """Return the seconds that are left; 0 if it is to be called now, and waits no more."""
        known, due = self._due.get(request, ("", 0.0))
        left = due - self._clock.monotonic() if known == uid else 0.0
        if left > _CLOSE:
            return left
        self.forget(request)
        return 0.0

    def note(self, request: Request, uid: str, result: Result | None) -> None:
        """Note that it was called, and when it asks to be called again."""
        if result is not None and result.delay is not None:
            self._due[request] = (uid, self._clock.monotonic() + result.delay)

    def forget(self, request: Request) -> None:
        """Note that an object is gone."""
        self._due.pop(request, None)


def check_every(name: str, interval: object, jitter: object) -> None:
    """Refuse what a timer cannot wait for.

    Raises:
        TypeError: It is no number, time or function.
        ValueError: It is not more than 0, or the jitter is negative.
    """
    if not isinstance(jitter, int | float) or not jitter >= 0:
        raise ValueError(f"the jitter of {name!r} is a share of at least 0, not {jitter!r:.80}")
    if not callable(interval):
        _seconds(name, interval)


def timed(function: Any, interval: Any, jitter: float) -> Any:
    """Return *function* such that it is called again after *interval*, unless it says otherwise."""
    name = getattr(function, "__name__", repr(function))

    def again(obj: Any, result: Result | None) -> Result:
        if result is not None:
            return result
        every = _seconds(name, interval(obj) if callable(interval) else interval)
        share = random.random()  # noqa: S311  # no secret
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
