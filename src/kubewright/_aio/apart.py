"""Other people's code in a task of its own, so that what is cancelled in there stays in there."""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

T = TypeVar("T")


async def apart(work: Awaitable[T]) -> T:
    """Await *work* in a task of its own, and return what it returns.

    Inside of it, `asyncio.current_task` is that task: code that cancels it, or a library that does
    so for a time-out, ends the work and not the caller. To be cancelled is then a fact about the
    caller alone, and work that swallows it cannot make it undone.

    Raises:
        RuntimeError: The work cancelled itself, or raised what is no `Exception`. What ends a
            process, `SystemExit` and `KeyboardInterrupt`, passes through.
    """
    caller = asyncio.current_task()
    assert caller is not None
    before = caller.cancelling()
    try:
        result = await asyncio.ensure_future(_awaited(work))
    except asyncio.CancelledError as error:
        if caller.cancelling() > before:
            raise
        failure = RuntimeError("it was cancelled, by its own code or by what it awaited")
        raise failure.with_traceback(error.__traceback__) from None
    if caller.cancelling() > before:
        raise asyncio.CancelledError
    return result


def is_running(task: "asyncio.Task[Any]") -> bool:
    """Say whether *task* is what runs now; not so while a coroutine is only thrown away."""
    try:
        return asyncio.current_task() is task
    except RuntimeError:
        return False


async def _awaited(work: Awaitable[T]) -> T:
    task = asyncio.current_task()
    assert task is not None
    try:
        return await work
    except (Exception, asyncio.CancelledError, SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        # Here and not in the caller: a task throws what it awaited into its outermost coroutine,
        # and a GeneratorExit closes all those inside of that, whatever they catch.
        if not is_running(task):
            raise  # thrown away with its loop: nothing may be awaited any more
        raise RuntimeError(f"it raised {type(error).__name__}: {error}") from error
