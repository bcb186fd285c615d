"""Runs plain functions in threads, with a bridge back to the event loop."""

import asyncio
import concurrent.futures
import contextvars
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from kubewright._aio import outside_of
from kubewright.errors import LifecycleError

T = TypeVar("T")

__all__ = ["Bridge", "run_in_thread"]


class Bridge:
    """Lets one thread run coroutines in the event loop, and wait for them."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._outside = outside_of(loop)  # a virtual clock waits for the thread
        self._closed = False
        self._tasks: set[asyncio.Task[Any]] = set()

    def call(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run *work* in the event loop and return its result; to be called in the thread.

        Raises:
            LifecycleError: The run is over: its deadline has passed, or the program stops.
        """
        if self._is_loop_here():
            raise LifecycleError(
                "this waits for the event loop, and would wait for ever inside of it: use the"
                " Context of an `async def` reconciler there"
            )
        try:
            return asyncio.run_coroutine_threadsafe(self._run_guarded(work), self._loop).result()
        except concurrent.futures.CancelledError:
            raise LifecycleError(_OVER) from None

    def close(self) -> None:
        """Cancel running calls and refuse new ones; to be called in the event loop."""
        self._closed = True
        for task in list(self._tasks):
            task.cancel()

    def _is_loop_here(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False

    async def _run_guarded(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        if self._closed:
            raise LifecycleError(_OVER)
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        if self._outside is not None:
            self._outside.end()
        try:
            return await work()
        finally:
            self._tasks.discard(task)
            if self._outside is not None:
                self._outside.begin()


_OVER = (
    "the reconcile is over: its deadline has passed, or the operator stops. Return, and go on in"
    " the next one."
)


async def run_in_thread(
    function: Callable[[], T], bridge: Bridge, *, hold: Callable[["asyncio.Future[Any]"], object]
) -> T:
    """Run *function* in a thread of its own, with the context variables of the caller.

    A thread cannot be cancelled. On cancellation the bridge is closed, so that the next call of the
    function fails; the future given to *hold* tells when the thread has ended.

    Args:
        function: What to run.
        bridge: What the function uses to reach the event loop.
        hold: Called with a future that is done when the thread has ended: nobody else may work on
            the same object before that.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[tuple[T | None, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        value: T | None = None
        failure: BaseException | None = None
        try:
            value = context.run(function)
        except BaseException as error:  # noqa: BLE001  # raised in the task that started the thread
            failure = error
        with suppress(RuntimeError):  # the loop has ended, and nobody is waiting
            loop.call_soon_threadsafe(_finish, ended, (value, failure))

    outside = outside_of(loop)
    if outside is not None:
        outside.begin()
        ended.add_done_callback(lambda _: outside.end())
    # A daemon thread: one that never ends must not keep the process alive.
    threading.Thread(target=work, name="reconcile", daemon=True).start()
    hold(ended)  # after the start, which may fail: the future would never be done
    try:
        value, failure = await asyncio.shield(ended)
    except asyncio.CancelledError:
        bridge.close()
        raise
    if failure is not None:
        raise failure
    return value  # type: ignore[return-value]  # set if there was no failure


def _finish(ended: "asyncio.Future[Any]", outcome: Any) -> None:
    if not ended.done():
        ended.set_result(outcome)
