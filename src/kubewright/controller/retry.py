"""`Retry`: how long to wait after which failure, and when to give up."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, TypeAlias

import msgspec

from kubewright.errors import APIError, ConflictError, NotLeadingError, RetryAfter, TerminalError

__all__ = ["Policies", "Retry", "RetryLike"]


class Retry(msgspec.Struct, frozen=True, kw_only=True):
    """How often, and after which delays, a failed reconcile is tried again.

    The delay is *base* after the first failure, *factor* times as long after each further one, and
    never longer than *cap*; or always *after*, if that is given. A server that asks for patience
    with Retry-After gets it in any case.

    Attributes:
        base: The first delay, in seconds.
        cap: The longest delay.
        factor: How much longer each delay is than the one before it.
        limit: How many retries there are before it is given up like a `TerminalError`; ``None``
            for no end. Failures of types that the policy is not for do not count.
        after: Always wait so long, instead of longer each time.

    Example:
        >>> cloud = Retry(base=1.0, cap=60.0, limit=10)
        >>> [cloud.delay(failures) for failures in (1, 2, 3, 10, 11)]
        [1.0, 2.0, 4.0, 60.0, None]
    """

    base: float = 0.005
    cap: float = 1000.0
    factor: float = 2.0
    limit: int | None = None
    after: float | None = None

    NEVER: ClassVar["Retry"]
    """Give up at once."""

    def __post_init__(self) -> None:
        numbers = {"base": self.base, "cap": self.cap, "after": self.after or 0.0}
        wrong = [f"{name}={value}" for name, value in numbers.items() if not value >= 0]
        if not self.factor >= 1:
            wrong.append(f"factor={self.factor}")
        if self.limit is not None and self.limit < 0:
            wrong.append(f"limit={self.limit}")
        if wrong:
            raise ValueError(
                "a Retry needs base, cap, after and limit of at least 0 and a factor of at least"
                f" 1, not {', '.join(wrong)}"
            )

    def delay(self, failures: int) -> float | None:
        """Return the seconds to wait after so many *failures* in a row; ``None`` to give up."""
        if self.limit is not None and failures > self.limit:
            return None
        if self.after is not None:
            return self.after
        try:
            return min(self.cap, self.base * self.factor ** (failures - 1))
        except OverflowError:
            return self.cap


Retry.NEVER = Retry(limit=0)

RetryLike: TypeAlias = Retry | Mapping[type[Exception], Retry] | None
"""One policy for every failure, or one for each type of exception."""


class Policies:
    """Which `Retry` counts for which exception: that of its own class, else of the nearest parent.

    A `TerminalError` is not retried, unless a policy names it. What a `asyncio.TaskGroup` raises
    counts as what is in it: as long as one of those can be tried again, so can the group.
    """

    def __init__(self, retry: RetryLike = None) -> None:
        if retry is not None and not isinstance(retry, Retry | Mapping):
            raise TypeError(
                "retry= takes a Retry, or one for each type of exception, such as"
                f" {{OSError: Retry(after=30.0)}}, not {retry!r:.80}"
            )
        given: dict[type, Retry] = {}
        given.update({Exception: retry} if isinstance(retry, Retry) else retry or {})
        for kind, policy in given.items():
            _check(kind, policy)
        self._by_type: Mapping[type, Retry] = {TerminalError: Retry.NEVER, **given}
        # A policy for Exception covers all errors, and expects none in particular.
        self._named = tuple(kind for kind in given if kind is not Exception)

    def find(self, error: Exception) -> Retry | None:
        """Return the policy for *error*; ``None`` if the backoff of the queue counts."""
        found = [self._find(type(one)) for one in causes(error)]
        return next((one for one in found if one is not Retry.NEVER), Retry.NEVER)

    def is_expected(self, error: Exception) -> bool:
        """Say whether somebody named the type of *error*, and so knows that it happens."""
        return all(isinstance(one, self._named) for one in causes(error))

    def _find(self, error: type[Exception]) -> Retry | None:
        by_type = self._by_type
        return next((by_type[kind] for kind in error.__mro__ if kind in by_type), None)


def causes(error: Exception) -> Iterator[Exception]:
    """Yield what went wrong: *error*, or for a group all that is in it."""
    if not isinstance(error, ExceptionGroup):
        yield error
        return
    for one in error.exceptions:
        yield from causes(one)


def patience(error: Exception) -> float:
    """Return the seconds for which a server asked not to be tried again; 0 if it did not."""
    asked = (one.retry_after or 0.0 for one in causes(error) if isinstance(one, APIError))
    return max(asked, default=0.0)


def postponement(error: Exception) -> float | None:
    """Return the seconds after which a run goes on that only waits; ``None`` if it has failed."""
    found = list(causes(error))
    delays = [one.delay for one in found if isinstance(one, RetryAfter)]
    return max(delays) if delays and len(delays) == len(found) else None


def carried_delay(error: Exception) -> float | None:
    """Return the seconds that *error* itself asks for: it is a `RetryAfter`, or raised from one."""
    delays = [one.delay for cause in causes(error) for one in _raised_from(cause)]
    return max(delays, default=None)


def _raised_from(error: BaseException | None) -> Iterator[RetryAfter]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, RetryAfter):
            yield error
        seen.add(id(error))
        error = error.__cause__


def is_quiet(error: Exception) -> bool:
    """Say whether *error* is part of ordinary life: somebody else was faster, or leads by now."""
    return all(
        isinstance(one, NotLeadingError)
        or (isinstance(one, ConflictError) and not one.is_about_ownership)
        for one in causes(error)
    )


def _check(kind: object, policy: object) -> None:
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        raise TypeError(f"a retry policy is for a type of exception, not for {kind!r}")
    if not isinstance(policy, Retry):
        raise TypeError(
            f"the retry policy for {kind.__name__} must be a Retry, such as Retry(after=30.0),"
            f" not {policy!r}"
        )
