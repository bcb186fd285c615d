"""`Runnable` and `Stage`: all that a manager knows about what it runs.

A runnable is anything with an ``async def run()`` that works until it is cancelled. It may also
have ``stage``, ``wait_ready``, ``health``, ``release``, and ``busy`` with ``wait_idle``, which the
manager then uses.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import Protocol, runtime_checkable

import msgspec

__all__ = [
    "Checked",
    "Problem",
    "Readying",
    "Releasing",
    "Runnable",
    "Settling",
    "Stage",
    "stage_of",
]


class Stage(IntEnum):
    """When a runnable starts; stages stop in the reverse order.

    Servers come first: lists may need a conversion webhook. Caches come before their readers. Only
    the last stage waits for leadership, so that a standby has warm caches.
    """

    SERVERS = 0
    CACHES = 1
    ALWAYS = 2
    LEADER = 3


class Problem(msgspec.Struct, frozen=True):
    """Something that is wrong with a runnable.

    Attributes:
        check: The name of the check, such as ``informer/pods``, as ``/readyz`` shows it.
        text: What is wrong, and what to do.
        fatal: Whether only a restart can help; ``/healthz`` then fails, too.
        logged: Whether the runnable has logged it already, so that the manager does not.
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
        """Return once others can rely on it, or once that is known to be impossible for now."""
        ...


@runtime_checkable
class Checked(Protocol):
    """A runnable that reports its health."""

    def health(self) -> Iterable[Problem]:
        """Return the current problems; none if all is well."""
        ...


@runtime_checkable
class Releasing(Protocol):
    """A runnable that holds a resource shared with others."""

    def release(self) -> None:
        """Give the resource up: the runnable has ended and was removed; its manager still runs."""
        ...


@runtime_checkable
class Settling(Protocol):
    """A runnable that knows whether it has anything to do now; see `Manager.settled`."""

    def busy(self) -> Iterable[str]:
        """Return what is under way or due, in words for people; nothing if it is at rest."""
        ...

    async def wait_idle(self) -> None:
        """Wait for what `busy` names; there may be something else to do by then, so ask again."""
        ...


def stage_of(runnable: object) -> Stage:
    """Return the stage of *runnable*; `Stage.ALWAYS` if it does not say."""
    stage = getattr(runnable, "stage", Stage.ALWAYS)
    return Stage(stage)
