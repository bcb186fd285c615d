"""Arguments and options that several commands take."""

from enum import StrEnum
from typing import Annotated

import typer

__all__ = ["LogEvents", "LogFormat", "LogLevel", "Target"]

Target = Annotated[
    str | None,
    typer.Argument(
        metavar="[FILE_OR_MODULE[:NAME]]",
        help="The operator: at.py, shop.main, or at.py:name if there are several; by default, that"
        " of the project in this folder.",
        show_default=False,
    ),
]


class LogLevel(StrEnum):
    """What ``--log-level`` takes."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogEvents(StrEnum):
    """What ``--ansible-log-events`` takes."""

    TASKS = "tasks"
    EVERYTHING = "everything"
    NOTHING = "nothing"


class LogFormat(StrEnum):
    """What ``--log-format`` takes."""

    CONSOLE = "console"
    JSON = "json"
