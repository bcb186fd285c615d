"""Timers: a function that is called for each object again and again."""

import random
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, TypeAlias, TypeVar

from kubewright.api.resource import Resource
from kubewright.controller.mapping import is_async
from kubewright.controller.request import Result

R = TypeVar("R", bound=Resource)

__all__ = ["Every", "check_every", "timed"]

Every: TypeAlias = float | timedelta | Callable[[R], float | timedelta]
"""How long a timer waits between two calls: the same for all objects, or told by each."""


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
