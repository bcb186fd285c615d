"""`Declaration`: all options of one reconciler, with their defaults and checks.

Front ends, such as the decorators of an operator, make declarations; controllers, workers, the RBAC
generator and tests read them. Nothing here runs.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypedDict, Unpack

import msgspec

from kubewright._aio import Clock
from kubewright.api.kind_reference import KindLike
from kubewright.controller.arguments import (
    check_deadline,
    check_on_failure,
    check_queue,
    check_workers,
    owned_kinds,
    sources_of,
    watched_kinds,
)
from kubewright.controller.predicates import Filter
from kubewright.controller.request import Request
from kubewright.controller.retry import Policies, RetryLike
from kubewright.controller.run import Run
from kubewright.controller.sources import Source
from kubewright.controller.watches import For, KindWatch, Owns, Watches
from kubewright.workqueue import RateLimiter, WorkQueue

__all__ = [
    "DEADLINE",
    "Cleanup",
    "Declaration",
    "MakeQueue",
    "MakeRateLimiter",
    "OnFailure",
    "Options",
    "declare",
]

OnFailure: TypeAlias = Callable[[Run, Exception], None]
"""Called for each reconcile that failed, after it was logged and queued again."""
MakeQueue: TypeAlias = Callable[[str, Clock], WorkQueue[Request]]
"""Makes the queue of a controller from its name and its clock."""
MakeRateLimiter: TypeAlias = Callable[[Clock], RateLimiter]
"""Makes the rate limiter that delays the retries of a controller, from its clock."""


DEADLINE: float = 300.0
"""Seconds after which a reconcile is cancelled by default."""


class Cleanup(msgspec.Struct, frozen=True, eq=False):
    """The function to call before an object goes, and the finalizer that keeps it until then."""

    function: Callable[..., Any]
    finalizer: str


class Declaration(msgspec.Struct, frozen=True, eq=False):
    """One reconciler: its kind, what triggers a run, and how it runs.

    Attributes:
        name: Its name in logs and metrics.
        for_: The reconciled kind, if there is one; `primary` raises if there is not.
        function: The user's function, which the front end calls for an object. A controller does
            not know it: it calls its reconciler.
        owns: Kinds whose objects belong to one of the reconciled kind.
        watches: Other kinds, each with a function that says what to reconcile.
        sources: What else asks for reconciles, such as a `Channel` or an `Interval`.
        workers: How many reconciles may run at a time; by default as many as the front end says,
            or one.
        deadline: After how many seconds a reconcile is cancelled; ``None`` for never.
        retry: How failures are tried again: one `Retry`, or one for each type of exception. What
            it does not cover waits 5 ms, twice as long after each failure, up to 1000 s.
        queue: The queue to use, or what makes it from a name and a clock.
        rate_limiter: Makes the rate limiter for failures that *retry* does not cover.
        on_failure: Called with the run and the error of each reconcile that failed.
        stop_grace: How long running reconciles may take to finish on stop.
        cleanup: What to call before an object goes.
        gone: What to call for objects that are gone.
        daemon: Whether *function* runs for as long as an object is there.
        timer: Whether *function* is called again and again, whatever changes.
    """

    name: str
    for_: For[Any] | None = None
    function: Callable[..., Any] | None = None
    owns: tuple[Owns[Any], ...] = ()
    watches: tuple[Watches[Any], ...] = ()
    sources: tuple[Source, ...] = ()
    workers: int | None = None
    deadline: float | None = DEADLINE
    retry: RetryLike = None
    queue: WorkQueue[Request] | MakeQueue | None = None
    rate_limiter: MakeRateLimiter | None = None
    on_failure: OnFailure | None = None
    stop_grace: float = 10.0
    cleanup: Cleanup | None = None
    gone: Callable[..., Any] | None = None
    daemon: bool = False
    timer: bool = False

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError(f"a controller needs a name for logs and metrics, not {self.name!r}")
        if self.workers is not None:
            check_workers(self.name, self.workers)
        check_deadline(self.name, self.deadline)
        Policies(self.retry)  # raises for what is not a policy
        if not isinstance(self.queue, WorkQueue):
            check_queue(self.name, self.queue, self.rate_limiter)
        check_on_failure(self.name, self.on_failure)
        if self.stop_grace < 0:
            raise ValueError(
                f"the stop_grace of {self.name!r} cannot be less than 0, as {self.stop_grace} is"
            )

    @property
    def primary(self) -> For[Any]:
        """The kind that is reconciled, and how it is watched.

        Raises:
            LookupError: It does not reconcile a kind.
        """
        if self.for_ is None:
            raise LookupError(f"{self.name!r} reconciles no kind: give it one as for_=")
        return self.for_

    @property
    def kind(self) -> KindLike[Any]:
        """The class that it reconciles; a `Kind` if there is no class."""
        return self.primary.kind

    @property
    def watched(self) -> tuple[KindWatch[Any], ...]:
        """How every kind is watched; the reconciled one comes first."""
        first = () if self.for_ is None else (self.for_,)
        return (*first, *self.owns, *self.watches)

    @property
    def kinds(self) -> tuple[KindLike[Any], ...]:
        """Every kind that it watches."""
        return tuple(dict.fromkeys(one.kind for one in self.watched))

    def make_queue(self, clock: Clock) -> WorkQueue[Request]:
        """Return the queue of its controller: as declared, otherwise an ordinary one."""
        if isinstance(self.queue, WorkQueue):
            return self.queue
        if self.queue is not None:
            return self.queue(self.name, clock)
        limiter = None if self.rate_limiter is None else self.rate_limiter(clock)
        return WorkQueue(self.name, limiter=limiter, clock=clock)


class Options(TypedDict, total=False):
    """The options of a controller; their defaults are those of `Declaration`."""

    owns: Iterable[KindLike[Any] | Owns[Any]]
    watches: Iterable[Watches[Any]]
    sources: Iterable[Source]
    predicate: Filter[Any] | None
    workers: int
    deadline: float | None
    retry: RetryLike
    queue: WorkQueue[Request] | MakeQueue | None
    rate_limiter: MakeRateLimiter | None
    on_failure: OnFailure | None
    stop_grace: float


def declare(
    name: str, for_: KindLike[Any] | For[Any] | None = None, **options: Unpack[Options]
) -> Declaration:
    """Return the declaration of the reconciler *name* of the kind *for_*, with *options*.

    Raises:
        TypeError: An option has the wrong type.
        ValueError: An option has an invalid value.
        SchemeError: One of the kinds is not a kind.
    """
    given: dict[str, Any] = dict(options)
    return Declaration(
        name,
        _primary(for_, given.pop("predicate", None)),
        owns=owned_kinds(given.pop("owns", ())),
        watches=watched_kinds(given.pop("watches", ())),
        sources=sources_of(given.pop("sources", ())),
        **given,
    )


def _primary(for_: Any, predicate: Filter[Any] | None) -> For[Any] | None:
    if for_ is None:
        if predicate is not None:
            raise ValueError("predicate= is for the reconciled kind: give that as for_=")
        return None
    if not isinstance(for_, For):
        return For(for_, predicate=predicate)
    if predicate is not None:
        raise ValueError(f"give the predicate of {for_} once: in For(), or as predicate=")
    return for_
