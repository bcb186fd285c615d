"""Fields bound to the current task: every line carries them automatically."""

from collections.abc import Callable, Mapping
from contextvars import ContextVar, Token
from typing import Any

Fields = Mapping[str, Any]

_NOTHING: Fields = {}
_BOUND: ContextVar[Fields | Callable[[], Fields]] = ContextVar(
    "kubewright_log_fields", default=_NOTHING
)


class bind:  # noqa: N801  # used like a function; a class is the cheapest way to make it
    """Add fields to every line that is logged inside the block.

    Tasks that are started inside the block keep them, and so does work that goes to a thread by
    `asyncio.to_thread`.

    Example:
        >>> with bind(controller="at", name="example"):
        ...     with bind(name="other"):
        ...         dict(bound())
        {'controller': 'at', 'name': 'other'}
    """

    __slots__ = ("_fields", "_token")

    def __init__(self, **fields: Any) -> None:
        self._fields = fields
        self._token: Token[Fields | Callable[[], Fields]] | None = None

    def __enter__(self) -> None:
        outer = bound()
        self._token = _BOUND.set({**outer, **self._fields} if outer else self._fields)

    def __exit__(self, *_: object) -> None:
        assert self._token is not None
        _BOUND.reset(self._token)


def rebind(fields: Callable[[], Fields]) -> None:
    """Replace the fields of this task from now on.

    For a task that does one piece of work after another, most of which log nothing: *fields* is
    called only when a line is logged. They are never removed, so the task must be the caller's own.
    """
    _BOUND.set(fields)


def bound() -> Fields:
    """Return the fields that a line logged here and now would carry."""
    found = _BOUND.get()
    return found() if callable(found) else found
