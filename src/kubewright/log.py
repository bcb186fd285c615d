"""Logging: structlog on top of the standard `logging`, so that users keep their tools.

The message is a constant in lower case; what varies is a field. structlog is imported with the
first line that is logged, since a program that only builds objects should not pay for it.
"""

import logging
import traceback
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from structlog.stdlib import BoundLogger

__all__ = ["FIELDS", "Logger", "get_logger"]

FIELDS = frozenset({
    "attempt",
    "delay",
    "dropped",
    "error",
    "event",
    "key",
    "kind",
    "method",
    "name",
    "namespace",
    "path",
    "reason",
    "resource_version",
    "warning",
})  # fmt: skip
"""Every field that our own lines carry; docs and dashboards rely on these names."""


class Logger:
    """A logger of one module that loads structlog when it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    @cached_property
    def _logger(self) -> "BoundLogger":
        import structlog.stdlib  # noqa: PLC0415  # tens of milliseconds that most never need

        logger: BoundLogger = structlog.wrap_logger(
            logging.getLogger(self._name),
            wrapper_class=structlog.stdlib.BoundLogger,
            processors=[structlog.stdlib.filter_by_level, _render],
        )
        return logger

    def debug(self, event: str, **fields: Any) -> None:
        """Say something that matters only to who looks for it."""
        self._logger.debug(event, **fields)

    def info(self, event: str, **fields: Any) -> None:
        """Say something about the life of the process."""
        self._logger.info(event, **fields)

    def warning(self, event: str, **fields: Any) -> None:
        """Say that something went wrong and was recovered from."""
        self._logger.warning(event, **fields)

    def error(self, event: str, **fields: Any) -> None:
        """Say that someone must act."""
        self._logger.error(event, **fields)

    def exception(self, event: str, **fields: Any) -> None:
        """Say that someone must act, with the traceback of the error being handled."""
        self._logger.error(event, exc_info=True, **fields)  # noqa: LOG014  # our caller is in one


def _render(_logger: Any, _method: str, fields: Any) -> str:
    """Return the line as people read it: the message, then the fields."""
    event, failed = fields.pop("event"), fields.pop("exc_info", False)
    line = " ".join([str(event), *(f"{name}={value!r}" for name, value in fields.items())])
    return f"{line}\n{traceback.format_exc().rstrip()}" if failed else line


def get_logger(name: str) -> Logger:
    """Return the logger of the module *name*."""
    return Logger(name)
