"""Fields that belong to whatever runs now: every line carries them without being asked."""

from collections.abc import Callable, Mapping
from contextvars import ContextVar, Token
from typing import Any

Fields = Mapping[str, Any]

_NOTHING: Fields = {}
_BOUND: ContextVar[Fields | Callable[[], Fields]] = ContextVar(
    "kubewright_log_fields", default=_NOTHING
)


class bind:  # noqa: N801  # it is used as a function is; a class is the cheapest way to make it
    """Give fields to every line that is logged inside the block.

    Tasks that are started inside the block keep them, and so does work that goes to a thread by
    `asyncio.to_thread`.

    Args:
        later: Returns the fields, instead; called only for a block in which something is logged.
        fields: The fields.

    Example:
        >>> with bind(controller="at", name="example"):
        ...     with bind(name="other"):
        ...         dict(bound())
        {'controller': 'at', 'name': 'other'}
    """

    __slots__ = ("_fields", "_token")

    def __init__(self, later: Callable[[], Fields] | None = None, /, **fields: Any) -> None:
        self._fields: Fields | Callable[[], Fields] = later or fields
        self._token: Token[Fields | Callable[[], Fields]] | None = None

    def __enter__(self) -> None:
        fields = self._fields
        if _BOUND.get():
            fields = {**bound(), **(fields() if callable(fields) else fields)}
        self._token = _BOUND.set(fields)

    def __exit__(self, *_: object) -> None:
        assert self._token is not None
        _BOUND.reset(self._token)


def bound() -> Fields:
    """Return the fields that a line logged here and now would carry."""
    found = _BOUND.get()
    return found() if callable(found) else found
