"""Runs the user's code in a separate task, so that its cancellations stay inside it."""

import asyncio
import inspect
from collections.abc import Awaitable
from typing import Any, TypeVar

T = TypeVar("T")


async def apart(work: Awaitable[T]) -> T:
    """Await *work* in a task of its own, and return what it returns.

    Inside, `asyncio.current_task` is the new task: code that cancels it, or a library that does so
    for a time-out, ends the work and not the caller. If the caller is cancelled, it stays
    cancelled, even if the work swallows the exception.

    Raises:
        RuntimeError: The work cancelled itself, or raised something that is not an `Exception`.
            `SystemExit` and `KeyboardInterrupt`, which end a process, pass through.
    """
    caller = asyncio.current_task()
    assert caller is not None
    before = caller.cancelling()
    try:
        result = await asyncio.ensure_future(_await(work))
    except asyncio.CancelledError as error:
        if inspect.iscoroutine(work):
            work.close()  # it may not have begun, and Python would warn that nobody awaited it
        if caller.cancelling() > before:
            raise
        failure = RuntimeError("it was cancelled, by its own code or by what it awaited")
        raise failure.with_traceback(error.__traceback__) from None
    if caller.cancelling() > before:
        raise asyncio.CancelledError
    return result


def is_running(task: "asyncio.Task[Any]") -> bool:
    """Tell whether *task* runs now; False while its coroutine is only being closed."""
    try:
        return asyncio.current_task() is task
    except RuntimeError:
        return False


async def _await(work: Awaitable[T]) -> T:
    task = asyncio.current_task()
    assert task is not None
    try:
        return await work
    except (Exception, asyncio.CancelledError, SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        # Caught here and not in the caller: a task throws what it awaited into its outermost
        # coroutine, and a GeneratorExit closes all coroutines inside it, whatever they catch.
        if not is_running(task):
            raise  # closed together with its loop: nothing may be awaited any more
        raise RuntimeError(f"it raised {type(error).__name__}: {error}") from error
