"""`Flapping`: notices that two writers keep undoing each other's changes to an object."""

from typing import Any

from kubewright._aio import Clock
from kubewright.operator.agreement import differences

__all__ = ["LIMIT", "WINDOW", "Flapping"]

LIMIT: int = 10
"""How often applies may change an object within `WINDOW` seconds before it counts as flapping."""
WINDOW: float = 60.0
_FIELDS = 5


class Flapping:
    """The changes that applies made to one object within the last minute."""

    __slots__ = ("_clock", "_fields", "_said", "_times")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._times: list[float] = []
        self._fields: dict[str, str] = {}
        self._said = False

    def note_change(self, before: Any, after: Any) -> list[str] | None:
        """Note that an apply changed *before* to *after*; return the fields once it is too often.

        Args:
            before: The values of the applied fields before; ``None`` if they are not known.
            after: Their values afterwards.
        """
        now = self._clock.monotonic()
        if self._times and now - self._times[-1] > WINDOW:
            self._fields.clear()
            self._said = False
        self._times = [*self._times[-LIMIT:], now]
        for text in differences(before, after) if before is not None else ():
            if len(self._fields) < _FIELDS:
                self._fields[text.partition(": ")[0]] = text
        if self._said or len(self._times) <= LIMIT or now - self._times[0] > WINDOW:
            return None
        self._said = True
        return list(self._fields.values())
