"""`Reminder`: when to say again what has been said, and is still so."""

from kubewright._aio import Clock

_FIRST, _LAST = 180.0, 3600.0  # seconds until it is said again


class Reminder:
    """Is due after three minutes, after six more, and so on; once an hour in the end.

    Args:
        clock: Where time comes from.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.begin()

    def begin(self) -> None:
        """Count from now: it has just been said."""
        self._gap = _FIRST
        self._due = self._clock.monotonic() + self._gap

    def is_due(self) -> bool:
        """Say whether to say it again; after that, not for a longer while."""
        now = self._clock.monotonic()
        if now < self._due:
            return False
        self._gap = min(self._gap * 2, _LAST)
        self._due = now + self._gap
        return True
