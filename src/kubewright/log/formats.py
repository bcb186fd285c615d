"""How a record looks: one line for people, or one JSON object for programs."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from kubewright.log.binding import bound
from kubewright.log.values import shown, text

_LEVELS = {"WARNING": "warn", "CRITICAL": "fatal"}  # as in zap, the library that Kubernetes uses
_OURS = ("ts", "level", "logger", "msg", "stacktrace")
_COLOURS = {"DEBUG": "\x1b[2m", "INFO": "\x1b[32m", "WARNING": "\x1b[33m"}
_RED, _BOLD, _DIM, _PLAIN = "\x1b[31m", "\x1b[1m", "\x1b[2m", "\x1b[0m"


class JSONFormatter(logging.Formatter):
    """One object per line: ``ts``, ``level``, ``logger``, ``msg``, then the fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        message, fields = parts(record)
        line: dict[str, Any] = {
            "ts": _time(record),
            "level": _LEVELS.get(record.levelname, record.levelname.lower()),
            "logger": record.name,
            "msg": message,
        }
        line |= {f"{name}_" if name in _OURS else name: value for name, value in fields.items()}
        if trace := _traceback(self, record):
            line["stacktrace"] = trace
        written = json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=str)
        # A lone surrogate, as in a file name, cannot be encoded. Escaped, it is still JSON.
        return written.encode(errors="backslashreplace").decode()


class ConsoleFormatter(logging.Formatter):
    """A line for people: time, level, message, fields, logger.

    A field of several lines, such as an RBAC rule, is indented below it, ready to be copied.

    Args:
        colour: Whether the reader is a terminal.
    """

    def __init__(self, *, colour: bool = False) -> None:
        super().__init__()
        self._colour = colour

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and below it the long fields and the traceback, if there are any."""
        message, fields = parts(record)
        below = [_block(name, value) for name, value in fields.items() if _is_long(value)]
        level = f"{_LEVELS.get(record.levelname, record.levelname).upper():<5}"
        shown_fields = [
            f"{self._paint(name, _DIM)}{self._paint('=', _DIM)}{_value(value)}"
            for name, value in fields.items()
            if not _is_long(value)
        ]
        words = [
            self._paint(_time(record), _DIM),
            self._paint(level, _COLOURS.get(record.levelname, _RED)),
            self._paint(_one_line(message), _BOLD),
            *shown_fields,
            self._paint(f"({record.name})", _DIM),
        ]
        return "\n".join(filter(None, [" ".join(words), *below, _traceback(self, record)]))

    def _paint(self, word: str, colour: str) -> str:
        return f"{colour}{word}{_PLAIN}" if self._colour else word


def parts(record: logging.LogRecord) -> tuple[str, dict[str, Any]]:
    """Return the message and the fields of *record*, which may come from another library."""
    fields = getattr(record, "kubewright_fields", None)
    if fields is not None:
        return str(record.kubewright_event), fields  # type: ignore[attr-defined]  # set together
    return text(record.getMessage()), shown(bound())


def _time(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _traceback(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    traces = [record.exc_text or ""]
    if record.exc_info and not record.exc_text:
        traces = [formatter.formatException(record.exc_info)]
    if record.stack_info:
        traces.append(formatter.formatStack(record.stack_info))
    return text("\n".join(filter(None, traces)))


def _value(value: Any) -> str:
    if isinstance(value, str) and value and value.isprintable() and not set(value) & set(" \"'="):
        return value
    if isinstance(value, str):
        return repr(value)
    return _one_line(json.dumps(value, ensure_ascii=False))


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and "\n" in value.strip("\n")


def _block(name: str, value: str) -> str:
    """Return a field as indented lines, which cannot be mistaken for log lines."""
    lines = [f"{name}:", *value.strip("\n").split("\n")]
    return "\n".join(f"    {_one_line(line)}".rstrip() for line in lines)


def _one_line(message: str) -> str:
    """Return *message* with everything escaped that could look like another log line."""
    if message.isprintable():
        return message
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in message)
