"""`Runnable` and `Stage`: all that a manager knows of what it runs.

A runnable is anything with an ``async def run()`` that works until it is cancelled. Four more
things are read from it if it has them: ``stage``, ``wait_ready``, ``health`` and ``release``.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import Protocol, runtime_checkable

import msgspec

__all__ = ["Checked", "Problem", "Readying", "Releasing", "Runnable", "Stage", "stage_of"]


class Stage(IntEnum):
    """When a runnable starts; stages stop in the reverse order.

    Servers come first: a conversion webhook may be needed to list. Caches come before what reads
    them. Only the last stage waits for leadership, so a standby is warm.
    """

    SERVERS = 0
    CACHES = 1
    ALWAYS = 2
    LEADER = 3


class Problem(msgspec.Struct, frozen=True):
    """Something that is not well.

    Attributes:
        check: What was looked at, such as ``informer/pods``; a name on ``/readyz``.
        text: What is wrong, and what to do.
        fatal: Whether only a restart can help: it fails ``/healthz``, too.
        logged: Whether who found it has logged it, so that the manager need not.
    """

    check: str
    text: str
    fatal: bool = False
    logged: bool = False


@runtime_checkable
class Runnable(Protocol):
    """Something that works until it is cancelled."""

    async def run(self) -> None:
        """Work until cancelled; an error stops the manager, a return does not."""
        ...


@runtime_checkable
class Readying(Protocol):
    """A runnable that the stages after it wait for."""

    async def wait_ready(self) -> None:
        """Return once others can build on it; also when that is known to be impossible for now."""
        ...


@runtime_checkable
class Checked(Protocol):
    """A runnable that knows how it is."""

    def health(self) -> Iterable[Problem]:
        """Return what is wrong at the moment; nothing if all is well."""
        ...


@runtime_checkable
class Releasing(Protocol):
    """A runnable that holds something which others may hold, too."""

    def release(self) -> None:
        """Let go of it: the runnable has ended and was removed, and its manager goes on."""
        ...


def stage_of(runnable: object) -> Stage:
    """Return when *runnable* starts: as it says, otherwise with those that always run."""
    stage = getattr(runnable, "stage", Stage.ALWAYS)
    return Stage(stage)
