"""Fields that belong to whatever runs now: every line carries them without being asked."""

from collections.abc import Mapping
from contextvars import ContextVar, Token
from typing import Any

_NOTHING: Mapping[str, Any] = {}
_BOUND: ContextVar[Mapping[str, Any]] = ContextVar("kubewright_log_fields", default=_NOTHING)


class bind:  # noqa: N801  # it is used as a function is; a class is the cheapest way to make it
    """Give fields to every line that is logged inside the block.

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
        self._token: Token[Mapping[str, Any]] | None = None

    def __enter__(self) -> None:
        outer = _BOUND.get()
        self._token = _BOUND.set({**outer, **self._fields} if outer else self._fields)

    def __exit__(self, *_: object) -> None:
        assert self._token is not None
        _BOUND.reset(self._token)


def bound() -> Mapping[str, Any]:
    """Return the fields that a line logged here and now would carry."""
    return _BOUND.get()
