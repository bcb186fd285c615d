import asyncio
import inspect
from contextlib import suppress

import pytest

from kubewright._aio import apart


async def cancel_itself() -> None:
    """Do what a library does when its time is up."""
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


async def test_what_cancels_itself_does_not_cancel_the_caller() -> None:
    """The caller looks after others, too."""
    with pytest.raises(RuntimeError, match="it was cancelled, by its own code"):
        await apart(cancel_itself())

    assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]  # there is one


async def test_what_ends_generators_is_an_error_like_others() -> None:
    """Let through, it ends every task above it."""

    async def work() -> None:
        raise GeneratorExit

    with pytest.raises(RuntimeError, match="it raised GeneratorExit"):
        await apart(work())


async def test_the_end_of_the_caller_ends_the_work() -> None:
    """A task without a parent would work on after all is closed."""
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    caller = asyncio.create_task(apart(work()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    caller.cancel()
    await asyncio.wait([caller])

    assert caller.cancelled()
    assert ended.is_set()


async def test_work_that_swallows_the_end_of_the_caller_does_not_undo_it() -> None:
    """The caller would go on, and whoever ended it wait for ever."""

    async def work() -> int:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return 1

    caller = asyncio.create_task(apart(work()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    caller.cancel()
    await asyncio.wait([caller])

    assert caller.cancelled()


async def test_a_value_and_an_error_pass_through() -> None:
    """Being apart changes nothing else."""

    async def work(value: int) -> int:
        return 10 // value

    assert await apart(work(5)) == 2
    with pytest.raises(ZeroDivisionError):
        await apart(work(0))


def test_a_caller_that_is_thrown_away_goes_quietly() -> None:
    """Its loop has ended, and nothing can be awaited any more."""
    loop = asyncio.new_event_loop()
    caller = apart(asyncio.sleep(0))

    async def start() -> None:
        task = loop.create_task(caller)
        await asyncio.sleep(0)
        tasks.append(task)

    tasks: list[asyncio.Task[None]] = []
    loop.run_until_complete(start())
    caller.close()
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.gather(*asyncio.all_tasks(loop), return_exceptions=True))
    loop.close()

    assert tasks[0].done()


async def test_work_that_ends_before_its_first_step_goes_quietly() -> None:
    """Python would warn of a coroutine that was never awaited, at some later time."""
    work = asyncio.sleep(0)
    caller = asyncio.create_task(apart(work))
    await asyncio.sleep(0)  # the caller has begun, and the work has not
    caller.cancel()
    await asyncio.wait([caller])

    assert caller.cancelled()
    assert inspect.getcoroutinestate(work) == inspect.CORO_CLOSED
