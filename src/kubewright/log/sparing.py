"""`Sparing`: limits how many lines are logged about things that outsiders can trigger."""

from typing import Protocol


class _Clock(Protocol):
    def monotonic(self) -> float: ...


class Sparing:
    """Lets *most* lines through in *period* seconds; the next one says how many were left out.

    Example:
        >>> import time
        >>> sparing = Sparing(time, most=1)
        >>> sparing.admit(), sparing.admit()
        ({}, None)
    """

    __slots__ = ("_clock", "_dropped", "_left", "_most", "_period", "_until")

    def __init__(self, clock: _Clock, *, most: int = 20, period: float = 60.0) -> None:
        self._clock = clock
        self._most = most
        self._period = period
        self._left = 0
        self._until = float("-inf")
        self._dropped = 0

    def admit(self) -> dict[str, int] | None:
        """Return the fields to add to the line, or ``None`` if it must not be logged."""
        now = self._clock.monotonic()
        if now >= self._until:
            self._left, self._until = self._most, now + self._period
        if not self._left:
            self._dropped += 1
            return None
        self._left -= 1
        dropped, self._dropped = self._dropped, 0
        return {"dropped": dropped} if dropped else {}
