"""`Reasons`: why keys are in the queue; a worker takes the reasons together with the key."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from kubewright.controller.request import Reason

__all__ = ["LIMIT", "Reasons", "text"]

K = TypeVar("K")

LIMIT: int = 8
"""How many reasons are kept for one key: enough to understand, too few to fill the memory."""


class Reasons(Generic[K]):
    """The reasons for which keys wait in the queue."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: dict[K, tuple[Reason, ...]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def note(self, key: K, reason: Reason) -> None:
        """Remember *reason* until *key* is taken; the same one twice counts once."""
        found = self._waiting.get(key)
        if found is None:
            self._waiting[key] = (reason,)
        elif len(found) < LIMIT and reason not in found:
            self._waiting[key] = (*found, reason)

    def of(self, key: K) -> tuple[Reason, ...]:
        """Return the reasons of *key* so far, without forgetting them."""
        return self._waiting.get(key, ())

    def take(self, key: K) -> tuple[Reason, ...]:
        """Return the reasons of *key*, and forget them."""
        return self._waiting.pop(key, ())


def text(reasons: Sequence[Reason], *, most: int = 3) -> str:
    """Return *reasons* as one line of text.

    Example:
        >>> text([Reason("Pod", "ADDED"), Reason("retry")])
        'Pod ADDED, retry'
    """
    shown = ", ".join(map(str, reasons[:most]))
    left = len(reasons) - most
    return f"{shown} and {left} more" if left > 0 else shown
