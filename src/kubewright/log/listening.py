"""Who listens to the lines of whatever runs now, besides the standard library."""

from contextvars import ContextVar
from typing import Any, Protocol


class Listener(Protocol):
    """Hears of the lines that are logged where it listens."""

    is_open: bool
    """Whether it still listens: a task that outlives its run keeps the run's context."""

    def hear_line(self, level: int, event: str, fields: dict[str, Any]) -> None:
        """Note a line of level INFO or above; *fields* may be shown to people."""
        ...


LISTENER: ContextVar[Listener | None] = ContextVar("kubewright_log_listener", default=None)
"""Who hears of the lines of the current task; ``None`` nearly always."""


def find_listener() -> Listener | None:
    """Return what listens to the lines of the current task; ``None`` if nothing does."""
    found = LISTENER.get()
    return found if found is not None and found.is_open else None
