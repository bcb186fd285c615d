"""`Settings`: how runs are made, for all kinds of an operator."""

import os
import shlex
from pathlib import Path
from typing import Literal

import msgspec

from kubewright.errors import ConfigError

__all__ = ["LogEvents", "Settings"]

LogEvents = Literal["tasks", "everything", "nothing"]

PERIOD: float = 36_000.0
"""Seconds after which an object is looked at without a reason: ten hours."""
DEADLINE: float = 3600.0
"""Seconds that a run may take."""
_MOST_VERBOSE = 7


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How runs are made; a watch may say otherwise for its kind.

    Attributes:
        verbosity: How much Ansible prints, from 0 to 7; its output is in the artifacts.
        arguments: More arguments for ``ansible-playbook``, as a shell would read them.
        log_events: Which events of runs are logged: ``tasks``, ``everything`` or ``nothing``.
        reconcile_period: Seconds after which an object is looked at without a reason.
        deadline: Seconds that a run may take; all of its processes are killed then.
        runs: How many runs there may be at a time; by default as many as there are processors.
        inject_owners: Whether what a run makes gets the object as its owner.
        folder: Where runs keep their files; by default in the folder for temporary files.
    """

    verbosity: int = 2
    arguments: str = ""
    log_events: LogEvents = "tasks"
    reconcile_period: float = PERIOD
    deadline: float = DEADLINE
    runs: int | None = None
    inject_owners: bool = True
    folder: Path | None = None

    def __post_init__(self) -> None:
        check_verbosity(self.verbosity, "the verbosity")
        try:
            shlex.split(self.arguments)
        except ValueError as error:
            raise ConfigError(f"the arguments {self.arguments!r} for Ansible: {error}") from None
        for name in ("reconcile_period", "deadline"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} is {getattr(self, name):g} seconds: write 0 or more")
        if self.runs is not None and self.runs < 1:
            raise ConfigError(f"runs is {self.runs}: nothing would be done. Write 1 or more")

    @property
    def most_runs(self) -> int:
        """How many runs there may be at a time."""
        return self.runs or os.cpu_count() or 1


def check_verbosity(value: int, name: str) -> int:
    """Return *value* if Ansible can be so verbose.

    Raises:
        ConfigError: It cannot.
    """
    if not 0 <= value <= _MOST_VERBOSE:
        raise ConfigError(f"{name} is {value}: write a number from 0 to {_MOST_VERBOSE}")
    return value


def number(text: str, name: str) -> int:
    """Return the number that the variable *name* has as *text*.

    Raises:
        ConfigError: It is none.
    """
    try:
        return int(text)
    except ValueError:
        raise ConfigError(f"{name} is {text!r}, and not a number") from None
