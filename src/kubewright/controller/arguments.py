"""What a controller can be told, checked where it is written and not when it starts."""

from collections.abc import Iterable
from typing import Any

from kubewright.api.kind_reference import Kind
from kubewright.api.resource import Resource
from kubewright.controller.mapping import is_async
from kubewright.controller.sources import Source
from kubewright.controller.watches import KindWatch, Owns, Watches

__all__ = [
    "check_deadline",
    "check_on_failure",
    "check_queue",
    "check_workers",
    "checked_source",
    "owned_kinds",
    "sources_of",
    "watched_kinds",
]


def check_workers(owner: str, workers: object) -> None:
    """Refuse what is not a number of workers.

    Raises:
        TypeError: It is not a whole number.
        ValueError: It is less than 1.
    """
    if not isinstance(workers, int):
        raise TypeError(f"the workers of {owner!r} are a whole number, not {workers!r:.80}")
    if workers < 1:
        raise ValueError(f"{owner!r} needs at least 1 worker, not {workers}")


def check_deadline(owner: str, deadline: object) -> None:
    """Refuse a deadline that cannot be kept.

    Raises:
        TypeError: It is not a number.
        ValueError: It is not more than 0.
    """
    if deadline is None:
        return
    if not isinstance(deadline, int | float):
        raise TypeError(
            f"the deadline of {owner!r} is a number of seconds, or None for none, not"
            f" {deadline!r:.80}"
        )
    if not deadline > 0:
        raise ValueError(
            f"the deadline of {owner!r} must be more than 0 seconds, or None for none, not"
            f" {deadline}"
        )


def check_on_failure(owner: str, on_failure: object) -> None:
    """Refuse what cannot be called with a failure.

    Raises:
        TypeError: It is not a plain function.
    """
    if on_failure is not None and (not callable(on_failure) or is_async(on_failure)):
        raise TypeError(
            f"the on_failure of {owner!r} is a plain function of a Run and an exception, called"
            f" between two reconciles, not {on_failure!r:.80}"
        )


def check_queue(owner: str, queue: object, rate_limiter: object) -> None:
    """Refuse queues and rate limiters that several controllers would share.

    Raises:
        TypeError: One of them is not a function.
        ValueError: Both are given.
    """
    if queue is not None and not callable(queue):
        raise TypeError(
            f"the queue of {owner!r} is made for each controller, on its clock: write"
            f" queue=lambda name, clock: WorkQueue(name, clock=clock), not queue={queue!r:.80}"
        )
    if rate_limiter is not None and not callable(rate_limiter):
        raise TypeError(
            f"the rate limiter of {owner!r} is made for each controller, on its clock: write"
            f" rate_limiter=lambda clock: ExponentialBackoff(base=1.0), not {rate_limiter!r:.80}"
        )
    if queue is not None and rate_limiter is not None:
        raise ValueError(f"give {owner!r} a queue or a rate limiter: a queue brings its own")


def owned_kinds(owns: Any) -> tuple[Owns[Any], ...]:
    """Return how the kinds in ``owns=`` are watched.

    Raises:
        TypeError: It is not a list of classes and `Owns`.
    """
    return tuple(_owned(one) for one in _listed("owns", owns))


def watched_kinds(watches: Any) -> tuple[Watches[Any], ...]:
    """Return what is in ``watches=``.

    Raises:
        TypeError: It is not a list of `Watches`.
    """
    return tuple(_watched(one) for one in _listed("watches", watches))


def sources_of(sources: Any) -> tuple[Source, ...]:
    """Return what is in ``sources=``.

    Raises:
        TypeError: It is not a list of sources.
    """
    return tuple(checked_source(one) for one in _listed("sources", sources))


def checked_source(source: object) -> Source:
    """Return *source* if it can be one.

    Raises:
        TypeError: It cannot; the message says what it would need.
    """
    if isinstance(source, type):
        name = source.__name__
        if issubclass(source, Resource):
            raise TypeError(_no_map(name))
        raise TypeError(f"{name} is a class and no source yet: write {name}(...)")
    if isinstance(source, Kind):
        raise TypeError(_no_map(repr(source)))
    if not isinstance(source, Source) or not is_async(source.run):
        raise TypeError(
            f"{source!r:.80} is not a source: it needs a name and an `async def run(self, sink)`"
        )
    return source


def _listed(name: str, given: Any) -> Iterable[Any]:
    if isinstance(given, Iterable) and not isinstance(given, str | type):
        return given
    shown = given.__name__ if isinstance(given, type) else f"{given!s:.80}"
    raise TypeError(f"{name}= takes a list: write {name}=[{shown}]")


def _owned(owned: Any) -> Owns[Any]:
    if isinstance(owned, Owns):
        return owned
    if not isinstance(owned, type | Kind):
        raise TypeError(
            f"{owned!s:.80} cannot be in owns=: give a class, or Owns(...), or kw.Kind(...)"
        )
    return Owns(owned)


def _watched(watched: Any) -> Watches[Any]:
    if isinstance(watched, Watches):
        return watched
    if isinstance(watched, type):
        raise TypeError(_no_map(watched.__name__))
    if isinstance(watched, Kind):
        raise TypeError(_no_map(repr(watched)))
    if isinstance(watched, KindWatch):
        raise TypeError(f"{watched} cannot be in watches=: give Watches(..., map=...)")
    raise TypeError(
        f"{watched!r:.80} cannot be in watches=: give Watches(Kind, map=...); what else asks for"
        " reconciles goes into sources="
    )


def _no_map(kind: str) -> str:
    return (
        f"nobody can tell what to reconcile when a {kind} changes: write Watches({kind}, map=...)"
    )
