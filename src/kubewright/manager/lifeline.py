"""`Lifeline`: a thread with an event loop of its own, for what must not wait for anybody's code."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Self, TypeVar

T = TypeVar("T")

_JOIN = 1.0  # seconds to wait for the thread at the end; it wakes at once


class Lifeline:
    """Runs coroutines in a thread, while code of the user blocks the event loop of the manager.

    A lease that is renewed in here is kept, whatever a reconciler does. What is run must bring
    connections of its own, since those of others belong to another event loop.

    Example:
        with Lifeline() as lifeline:
            await lifeline.run(renew)
    """

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._turn, name="kubewright-lifeline", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_JOIN)

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run *work* in the thread; a cancellation is passed on, and its end is waited for."""
        here = asyncio.get_running_loop()
        ended: asyncio.Future[asyncio.Task[T]] = here.create_future()
        tasks: list[asyncio.Task[T]] = []

        def begin() -> None:
            task = self._loop.create_task(work())
            tasks.append(task)
            task.add_done_callback(lambda done: here.call_soon_threadsafe(_settle, ended, done))

        def cancel() -> None:
            for task in tasks:
                task.cancel()

        self._loop.call_soon_threadsafe(begin)
        cancelled: asyncio.CancelledError | None = None
        while not ended.done():
            try:
                await asyncio.wait({ended})
            except asyncio.CancelledError as error:
                cancelled = error
                self._loop.call_soon_threadsafe(cancel)
        task = ended.result()
        if cancelled is not None:
            raise cancelled
        return task.result()

    def _turn(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()


def _settle(ended: "asyncio.Future[asyncio.Task[T]]", task: "asyncio.Task[T]") -> None:
    if not ended.done():
        ended.set_result(task)
