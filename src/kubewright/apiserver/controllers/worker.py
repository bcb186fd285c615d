"""A task that works through keys; a key that is added several times is worked on once."""

import asyncio
from contextlib import suppress
from functools import partial
from typing import Protocol

from kubewright._aio import Clock
from kubewright._aio.clock import Timer
from kubewright.log import Logger, get_logger

log: Logger = get_logger(__name__)

FIRST_RETRY: float = 0.5
LONGEST_RETRY: float = 60


class NotYetError(Exception):
    """The work cannot be done now: a webhook refuses or fails. It is tried again later."""


class Controller(Protocol):
    """Decides which keys need work, and does it."""

    def start(self, worker: "Worker") -> None:
        """Add to *worker* every key that needs work, now and after every change."""
        ...

    async def work(self, key: object) -> None:
        """Do what *key* needs. Called for one key at a time.

        Raises:
            NotYetError: It should be tried again.
        """
        ...


class Worker:
    """Runs a controller."""

    def __init__(self, controller: Controller, *, clock: Clock | None = None) -> None:
        self._controller = controller
        self._clock = clock or Clock()
        self._keys: dict[object, None] = {}
        self._ready = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._failures: dict[object, int] = {}
        self._timers: dict[object, Timer] = {}

    def start(self) -> None:
        """Begin to work."""
        self._controller.start(self)
        self._task = asyncio.get_running_loop().create_task(self._run())

    def add(self, key: object) -> None:
        """Add a key that needs work."""
        self._keys[key] = None
        self._ready.set()

    async def stop(self) -> None:
        """Cancel the work under way, and wait until it has ended."""
        for timer in self._timers.values():
            timer.cancel()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while True:
            await self._ready.wait()
            while self._keys:
                key = next(iter(self._keys))
                del self._keys[key]
                await self._work(key)
                await asyncio.sleep(0)  # let requests through between two keys
            self._ready.clear()

    async def _work(self, key: object) -> None:
        if (timer := self._timers.pop(key, None)) is not None:
            timer.cancel()
        try:
            await self._controller.work(key)
        except NotYetError:
            self._add_later(key)
            return
        except Exception as error:  # one bad object must not stop the rest
            log.exception("controller failed", key=str(key), error=repr(error))
        self._failures.pop(key, None)

    def _add_later(self, key: object) -> None:
        before = self._failures.get(key, 0)
        self._failures[key] = before + 1
        delay = min(FIRST_RETRY * 2 ** min(before, 10), LONGEST_RETRY)
        self._timers[key] = self._clock.call_later(delay, partial(self.add, key))
