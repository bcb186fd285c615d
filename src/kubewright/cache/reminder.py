"""`Reminder`: when to log again a problem that persists."""

from kubewright._aio import Clock

_FIRST, _LAST = 180.0, 3600.0  # seconds until it is logged again


class Reminder:
    """Is due after three minutes, then after six more, and so on; in the end once an hour.

    Args:
        clock: Where time comes from.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.begin()

    def begin(self) -> None:
        """Start over: the problem has just been logged."""
        self._gap = _FIRST
        self._due = self._clock.monotonic() + self._gap

    def is_due(self) -> bool:
        """Say whether to log the problem again; if so, wait longer for the next time."""
        now = self._clock.monotonic()
        if now < self._due:
            return False
        self._gap = min(self._gap * 2, _LAST)
        self._due = now + self._gap
        return True
