"""`Logger`: a message and fields, handed to the standard library as one record."""

import logging
import sys
from typing import Any

from kubewright.log.binding import bound
from kubewright.log.listening import find_listener
from kubewright.log.values import shown

# The number of our frames between a call and the standard library, so that ``%(filename)s`` in a
# user's format names the caller.
_OUR_FRAMES = 3


class Logger:
    """A logger of one module; its lines carry fields."""

    def __init__(self, name: str) -> None:
        self._standard = logging.getLogger(name)

    def is_enabled_for(self, level: int) -> bool:
        """Tell whether a line of *level*, such as ``logging.DEBUG``, would be logged."""
        return self._standard.isEnabledFor(level)

    def debug(self, event: str, **fields: Any) -> None:
        """Log a detail, for debugging."""
        if self._standard.isEnabledFor(logging.DEBUG):
            self._log(logging.DEBUG, event, fields)

    def info(self, event: str, **fields: Any) -> None:
        """Log an event in the life of the process."""
        if self._standard.isEnabledFor(logging.INFO) or find_listener() is not None:
            self._log(logging.INFO, event, fields)

    def warning(self, event: str, **fields: Any) -> None:
        """Log a problem that the program has recovered from."""
        if self._standard.isEnabledFor(logging.WARNING) or find_listener() is not None:
            self._log(logging.WARNING, event, fields)

    def error(self, event: str, **fields: Any) -> None:
        """Log a problem that someone must act on."""
        if self._standard.isEnabledFor(logging.ERROR) or find_listener() is not None:
            self._log(logging.ERROR, event, fields)

    def exception(self, event: str, **fields: Any) -> None:
        """Log a problem that someone must act on, with the traceback of the current error."""
        fields.setdefault("exc_info", True)
        if self._standard.isEnabledFor(logging.ERROR) or find_listener() is not None:
            self._log(logging.ERROR, event, fields)

    def release(self) -> None:
        """Remove the logger from the standard library's registry, unless it was configured.

        Otherwise the registry keeps every name for ever, even of objects that are long gone.
        """
        logger, known = self._standard, logging.Logger.manager.loggerDict
        if logger.level or logger.handlers or logger.filters or logger.disabled:
            return
        known.pop(logger.name, None)
        above = logger.name.rpartition(".")[0]
        while above:  # the placeholder of a parent name refers to all loggers below it
            if isinstance(holder := known.get(above), logging.PlaceHolder):
                holder.loggerMap.pop(logger, None)
            above = above.rpartition(".")[0]

    def _log(self, level: int, event: str, given: dict[str, Any]) -> None:
        """Pass the readable line and its parts to the standard library."""
        failure = given.pop("exc_info", None)
        fields = shown({**_structlog_fields(), **bound(), **given})
        listener = find_listener()
        if listener is not None:
            listener.hear_line(level, event, fields)
            if not self._standard.isEnabledFor(level):
                return
        line = " ".join([event, *(f"{name}={value!r}" for name, value in fields.items())])
        self._standard.log(
            level,
            line,
            exc_info=failure,
            stacklevel=_OUR_FRAMES,
            extra={"kubewright_event": event, "kubewright_fields": fields},
        )


def get_logger(name: str) -> Logger:
    """Return the logger of the module *name*."""
    return Logger(name)


def _structlog_fields() -> dict[str, Any]:
    """Return the fields that the program has bound with structlog."""
    theirs = sys.modules.get("structlog.contextvars")
    return theirs.get_contextvars() if theirs is not None else {}
