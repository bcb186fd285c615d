"""`configure`: where a program's log lines go, and how they look."""

import logging
import os
import sys
from typing import Literal, TextIO, get_args

from kubewright.errors import ConfigError

Format = Literal["console", "json"]
LEVELS: tuple[str, ...] = ("debug", "info", "warning", "error")


class _Handler(logging.StreamHandler[TextIO]):
    """Our handler; configuring again finds it by its class and replaces it."""


def configure(
    level: str = "info",
    format: Format = "console",  # noqa: A002  # named after the flag --log-format
    *,
    stream: TextIO | None = None,
) -> None:
    """Print all log lines of this program, from Kubewright and from other libraries.

    This is for programs, such as ``kubewright run``: it adds a handler to the root logger. A
    library must leave that to its user, and none of our modules calls it.

    Args:
        level: The least important level to print: debug, info, warning or error.
        format: ``console`` for people, with colour on a terminal; ``json`` for programs.
        stream: Where to print; standard error by default.

    Raises:
        ConfigError: There is no such level or format.
    """
    _check("level", level.lower(), LEVELS)
    _check("format", format, get_args(Format))
    handler = _Handler(sys.stderr if stream is None else stream)
    handler.setFormatter(_formatter(format, handler.stream))
    root = logging.getLogger()
    for other in list(root.handlers):
        if isinstance(other, _Handler):
            root.removeHandler(other)
    root.addHandler(handler)
    root.setLevel(level.upper())


def _formatter(format: Format, stream: TextIO) -> logging.Formatter:  # noqa: A002  # as above
    from kubewright.log.formats import ConsoleFormatter, JSONFormatter

    return JSONFormatter() if format == "json" else ConsoleFormatter(colour=_has_colour(stream))


def _has_colour(stream: TextIO) -> bool:
    """Tell whether *stream* is a terminal whose user wants colour; see no-color.org."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _check(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ConfigError(f"cannot log with {what} {value!r}: use one of {', '.join(known)}")
