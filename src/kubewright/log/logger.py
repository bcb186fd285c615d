"""`Logger`: a message and fields, handed to the standard library as one record."""

import logging
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kubewright.log.binding import bound
from kubewright.log.values import shown

if TYPE_CHECKING:
    from structlog.stdlib import BoundLogger

# How many frames of ours and structlog's lie between a call and the standard library, so that
# ``%(filename)s`` in a user's format names the caller.
_OUR_FRAMES = 5


class Logger:
    """A logger of one module that loads structlog when it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._standard = logging.getLogger(name)

    @cached_property
    def _logger(self) -> "BoundLogger":
        import structlog.stdlib  # noqa: PLC0415  # tens of milliseconds that most never need

        logger: BoundLogger = structlog.wrap_logger(
            self._standard, wrapper_class=structlog.stdlib.BoundLogger, processors=[_record]
        )
        return logger

    def is_enabled_for(self, level: int) -> bool:
        """Tell whether somebody would see a line of *level*, such as ``logging.DEBUG``."""
        return self._standard.isEnabledFor(level)

    def debug(self, event: str, **fields: Any) -> None:
        """Say something that matters only to who looks for it."""
        if self._standard.isEnabledFor(logging.DEBUG):
            self._logger.debug(event, **fields)

    def info(self, event: str, **fields: Any) -> None:
        """Say something about the life of the process."""
        if self._standard.isEnabledFor(logging.INFO):
            self._logger.info(event, **fields)

    def warning(self, event: str, **fields: Any) -> None:
        """Say that something went wrong and was recovered from."""
        if self._standard.isEnabledFor(logging.WARNING):
            self._logger.warning(event, **fields)

    def error(self, event: str, **fields: Any) -> None:
        """Say that someone must act."""
        if self._standard.isEnabledFor(logging.ERROR):
            self._logger.error(event, **fields)

    def exception(self, event: str, **fields: Any) -> None:
        """Say that someone must act, with the traceback of the error being handled."""
        fields.setdefault("exc_info", True)
        if self._standard.isEnabledFor(logging.ERROR):
            self._logger.error(event, **fields)


def get_logger(name: str) -> Logger:
    """Return the logger of the module *name*."""
    return Logger(name)


def _record(_logger: Any, _method: str, given: Any) -> tuple[tuple[str], dict[str, Any]]:
    """Return what the standard library takes: the line as people read it, and its parts."""
    import structlog.contextvars  # noqa: PLC0415  # loaded by now

    event, failure = str(given.pop("event")), given.pop("exc_info", None)
    fields = shown({**structlog.contextvars.get_contextvars(), **bound(), **given})
    line = " ".join([event, *(f"{name}={value!r}" for name, value in fields.items())])
    parts = {"kubewright_event": event, "kubewright_fields": fields}
    return (line,), {"extra": parts, "exc_info": failure, "stacklevel": _OUR_FRAMES}
