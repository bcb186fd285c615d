"""A task that works through keys, each once however often it was named meanwhile."""

import asyncio
from contextlib import suppress
from typing import Protocol

from kubewright.log import get_logger

log = get_logger(__name__)


class Controller(Protocol):
    """What a worker works for."""

    def start(self, worker: "Worker") -> None:
        """Look at what is there, and name to *worker* what needs work, now and from now on."""
        ...

    async def work(self, key: object) -> None:
        """Do what *key* needs. Called for one key at a time."""
        ...


class Worker:
    """Runs a controller."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._keys: dict[object, None] = {}
        self._ready = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to work."""
        self._controller.start(self)
        self._task = asyncio.get_running_loop().create_task(self._run())

    def add(self, key: object) -> None:
        """Name something that needs work."""
        self._keys[key] = None
        self._ready.set()

    async def stop(self) -> None:
        """Stop in the middle of things, and wait for that."""
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
                try:
                    await self._controller.work(key)
                except Exception as error:  # one bad object must not stop the rest
                    log.exception("controller failed", key=str(key), error=repr(error))
                await asyncio.sleep(0)  # let requests through between two keys
            self._ready.clear()
