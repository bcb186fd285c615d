"""One timer for all time-outs of a connection."""

from collections.abc import Callable

from kubewright._aio import Clock, Timer

_NEVER = float("inf")


class Deadline:
    """Calls a function unless it is lifted in time.

    Each request sets and lifts it, so that must be cheap: the timer underneath keeps running as
    long as it fires early enough, and looks at the deadline when it fires.
    """

    __slots__ = ("_at", "_clock", "_late", "_timer", "_timer_at")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._at = _NEVER
        self._late: Callable[[], object] | None = None
        self._timer: Timer | None = None
        self._timer_at = _NEVER

    def set(self, seconds: float, late: Callable[[], object]) -> None:
        """Call *late* in *seconds*, replacing the deadline before."""
        self._at = at = self._clock.monotonic() + seconds
        self._late = late
        if at < self._timer_at:
            self._arm(seconds)

    def set_once(self, seconds: float, late: Callable[[], object]) -> None:
        """Call *late* in *seconds*; if *late* is set already, keep its time."""
        if self._late != late:
            self.set(seconds, late)

    def lift(self) -> None:
        """Cancel the deadline."""
        self._at = _NEVER

    def close(self) -> None:
        """Cancel the deadline and the timer."""
        self._at = self._timer_at = _NEVER
        self._late = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = self._clock.monotonic() + seconds
        self._timer = self._clock.call_later(seconds, self._ring)

    def _ring(self) -> None:
        self._timer, self._timer_at = None, _NEVER
        left = self._at - self._clock.monotonic()
        if left > 0:
            if left < _NEVER:
                self._arm(left)
        elif self._late is not None:
            self._at = _NEVER
            self._late()
