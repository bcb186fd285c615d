"""How long a key waits before it is tried again."""

from collections.abc import Hashable
from typing import Protocol

from kubewright._aio import Clock


class RateLimiter(Protocol):
    """Decides how long a key waits; each call of `when` counts as a failure of that key."""

    def when(self, key: Hashable) -> float:
        """Return the seconds that *key* waits now, and count one more failure of it."""
        ...

    def forget(self, key: Hashable) -> None:
        """Count the failures of *key* from zero again."""
        ...

    def failures(self, key: Hashable) -> int:
        """Return how often *key* failed since it was last forgotten."""
        ...


class _Failures:
    """Failures counted by key."""

    __slots__ = ("_failures",)

    def __init__(self) -> None:
        self._failures: dict[Hashable, int] = {}

    def forget(self, key: Hashable) -> None:
        """Count the failures of *key* from zero again."""
        self._failures.pop(key, None)

    def failures(self, key: Hashable) -> int:
        """Return how often *key* failed since it was last forgotten."""
        return self._failures.get(key, 0)

    def _count(self, key: Hashable) -> int:
        """Return the failures before this one."""
        before = self._failures.get(key, 0)
        self._failures[key] = before + 1
        return before


class ExponentialBackoff(_Failures):
    """Doubles a key's wait with each failure, from 5 ms to 1000 s: the default of controllers.

    Example:
        >>> limiter = ExponentialBackoff(base=1.0, cap=5.0)
        >>> [limiter.when("shop/web") for _ in range(4)]
        [1.0, 2.0, 4.0, 5.0]
    """

    __slots__ = ("_base", "_cap", "_factor")

    def __init__(self, *, base: float = 0.005, cap: float = 1000.0, factor: float = 2.0) -> None:
        """Make a limiter.

        Args:
            base: The wait after the first failure, in seconds.
            cap: No wait is longer than this.
            factor: How much longer each wait is than the one before it.
        """
        super().__init__()
        if not (base >= 0 and cap >= 0 and factor >= 1):
            raise ValueError(
                "a backoff needs base and cap of at least 0 and a factor of at least 1,"
                f" not base={base}, cap={cap}, factor={factor}"
            )
        self._base, self._cap, self._factor = base, cap, factor

    def when(self, key: Hashable) -> float:
        """Return the seconds that *key* waits now, and count one more failure of it."""
        try:
            wait = self._base * self._factor ** self._count(key)
        except OverflowError:  # after a thousand failures a float cannot hold the power
            return self._cap
        return min(wait, self._cap)


class FastSlow(_Failures):
    """Retries quickly a few times, then slowly."""

    __slots__ = ("_fast", "_slow", "_tries")

    def __init__(self, fast: float, slow: float, *, tries: int) -> None:
        """Make a limiter that returns *fast* seconds *tries* times, then *slow* seconds."""
        super().__init__()
        self._fast, self._slow, self._tries = fast, slow, tries

    def when(self, key: Hashable) -> float:
        """Return the seconds that *key* waits now, and count one more failure of it."""
        return self._fast if self._count(key) < self._tries else self._slow


class Bucket:
    """Allows *qps* tries per second for all keys together, after *burst* free ones.

    It does not track single keys, so `failures` is always zero; combine it with another limiter in
    `MaxOf`.
    """

    __slots__ = ("_at", "_burst", "_clock", "_qps", "_tokens")

    def __init__(self, qps: float = 10.0, burst: int = 100, *, clock: Clock | None = None) -> None:
        if qps <= 0 or burst < 1:
            raise ValueError(
                f"a bucket needs qps above 0 and burst of at least 1, not {qps=}, {burst=}"
            )
        self._qps, self._burst = qps, burst
        self._clock = clock or Clock()
        self._tokens = float(burst)
        self._at = self._clock.monotonic()

    def when(self, key: Hashable) -> float:
        """Return the seconds until there is a token for *key*, and reserve it."""
        now = self._clock.monotonic()
        self._tokens = min(float(self._burst), self._tokens + (now - self._at) * self._qps) - 1.0
        self._at = now
        return max(0.0, -self._tokens / self._qps)

    def forget(self, key: Hashable) -> None:
        """Do nothing: a used token is not returned."""

    def failures(self, key: Hashable) -> int:
        """Return 0: keys are not told apart."""
        return 0


class MaxOf:
    """Waits as long as the slowest of several limiters."""

    __slots__ = ("_limiters",)

    def __init__(self, *limiters: RateLimiter) -> None:
        if not limiters:
            raise ValueError("MaxOf needs at least one limiter")
        self._limiters: tuple[RateLimiter, ...] = limiters

    def when(self, key: Hashable) -> float:
        """Return the longest wait; every limiter counts the failure."""
        return max(limiter.when(key) for limiter in self._limiters)

    def forget(self, key: Hashable) -> None:
        """Count the failures of *key* from zero again, in every limiter."""
        for limiter in self._limiters:
            limiter.forget(key)

    def failures(self, key: Hashable) -> int:
        """Return the largest count of failures."""
        return max(limiter.failures(key) for limiter in self._limiters)


class MaxWait:
    """Limits the waits of another limiter to *longest* seconds."""

    __slots__ = ("_limiter", "_longest")

    def __init__(self, limiter: RateLimiter, longest: float) -> None:
        self._limiter, self._longest = limiter, longest

    def when(self, key: Hashable) -> float:
        """Return the wait of the other limiter, cut to the longest allowed."""
        return min(self._limiter.when(key), self._longest)

    def forget(self, key: Hashable) -> None:
        """Count the failures of *key* from zero again."""
        self._limiter.forget(key)

    def failures(self, key: Hashable) -> int:
        """Return how often *key* failed since it was last forgotten."""
        return self._limiter.failures(key)
