"""Images that could not be pulled, and when to try again."""

from datetime import datetime, timedelta

from msgspec import Struct

__all__ = ["SHOWN", "Pulls"]

FIRST: float = 10.0
LONGEST: float = 300.0
SHOWN: float = 1.0
"""Seconds for which a status says what went wrong, before it says that it waits."""


class _Failed(Struct, frozen=True):
    why: str
    delay: float
    until: datetime


class Pulls:
    """Which containers of a pod wait for their image."""

    def __init__(self) -> None:
        self._failed: dict[str, _Failed] = {}

    def note_failure(self, container: str, why: str, now: datetime) -> None:
        """Note that the image of a container could not be pulled."""
        before = self._failed.get(container)
        delay = min(before.delay * 2, LONGEST) if before else FIRST
        self._failed[container] = _Failed(why, delay, now + timedelta(seconds=delay))

    def left(self, container: str, now: datetime) -> float:
        """Return in how many seconds the pull may be tried again; 0 if now."""
        found = self._failed.get(container)
        return max(0.0, (found.until - now).total_seconds()) if found else 0.0

    def has_just_failed(self, container: str, now: datetime) -> bool:
        """Return whether the status still shows the error itself, and not the back-off."""
        found = self._failed.get(container)
        return found is not None and self.left(container, now) > found.delay - SHOWN

    def why(self, container: str) -> str:
        """Return why the last pull failed."""
        found = self._failed.get(container)
        return found.why if found else ""

    def forget(self, container: str) -> None:
        """Note that the image was pulled."""
        self._failed.pop(container, None)
