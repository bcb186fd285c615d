"""What a person sees while objects are applied or deleted."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TextIO

from kubewright._aio import Clock
from kubewright.applyset import Change, Failure, Listener, ObjectName
from kubewright.cli.deploy.texts import change_line, failure_text
from kubewright.cli.progress import Progress

__all__ = ["Screen"]

_SHOWN = 3  # of those that are waited for
_TICK = 1.0


class Screen(Listener):
    """Prints changes to stdout as they happen, failures and progress to stderr.

    Args:
        clock: The source of time.
        doing: What is done to objects, for failures: ``apply`` or ``delete``.
        dry_run: Whether nothing is really done.
        out: Where results go; stdout by default.
        err: Where complaints go; stderr by default.
    """

    def __init__(
        self,
        clock: Clock,
        doing: str = "apply",
        *,
        dry_run: bool = False,
        out: TextIO | None = None,
        err: TextIO | None = None,
    ) -> None:
        self._clock = clock
        self._doing = doing
        self._dry_run = dry_run
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self._progress = Progress(self._err, clock)
        self._total = 0
        self._done = 0
        self._text = ""
        self._stage = "nothing is done"

    def begin(self, total: int) -> None:
        """Begin with so many objects."""
        self._total, self._done = total, 0
        self._text = self._stage = ""
        self._progress.begin()

    def changed(self, change: Change) -> None:
        """Print a line, unless nothing was done."""
        self._done += 1
        if line := change_line(change, dry_run=self._dry_run):
            self.say(line)

    def failed(self, failure: Failure) -> None:
        """Print what went wrong."""
        self.complain(failure_text(failure, doing=self._doing))

    def waiting(self, names: Sequence[ObjectName], what: str) -> None:
        """Show what is waited for."""
        shown = ", ".join(map(str, names[:_SHOWN]))
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        self.show(f"waiting until {what}: {shown}{more}")

    def progress(self, name: ObjectName, text: str) -> None:
        """Show how far a workload is."""
        self.show(f"{name}: {text}")

    def show(self, text: str) -> None:
        """Show what is under way."""
        self._text = text.replace("\n", " ")
        self._progress.show(self._text)

    def say(self, text: str) -> None:
        """Print a result."""
        self._progress.clear()
        print(text, file=self._out, flush=True)

    def complain(self, text: str) -> None:
        """Print a complaint."""
        self._progress.clear()
        print(f"kubewright: {text}", file=self._err, flush=True)

    def end(self) -> None:
        """Take away what changes."""
        self._progress.clear()

    def begin_stage(self, how_far: str) -> None:
        """Begin what has no number of objects; *how_far* is what an interruption then says."""
        self.begin(0)
        self._stage = how_far

    @property
    def how_far(self) -> str:
        """How far it is, for whoever interrupts it."""
        return self._stage or f"{self._done} of {self._total} objects are done"

    @asynccontextmanager
    async def ticking(self) -> AsyncIterator[None]:
        """Show every second what is under way, also while nothing is heard."""
        task = asyncio.create_task(self._tick())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            self.end()

    async def _tick(self) -> None:
        while True:
            await self._clock.sleep(_TICK)
            self._progress.show(self._text or self.how_far)
