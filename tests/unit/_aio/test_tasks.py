import asyncio
import contextvars

import pytest

from kubewright._aio import TaskSet, VirtualClock

WHO: contextvars.ContextVar[str] = contextvars.ContextVar("who")


async def test_leaving_the_block_cancels_and_waits() -> None:
    """A task that outlives its parent would work on with closed connections."""
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append("cleaned up")

    async with TaskSet() as tasks:
        task = tasks.start(work(), name="worker")
        await asyncio.sleep(0)

    assert task.cancelled()
    assert task.get_name() == "worker"
    assert ended == ["cleaned up"]


async def test_an_error_in_a_task_ends_the_block() -> None:
    """A worker that died silently would leave an operator that does nothing."""

    async def fail() -> None:
        raise KeyError("x")

    async def parent() -> None:
        async with TaskSet() as tasks:
            tasks.start(fail())
            await asyncio.Event().wait()

    with pytest.raises(ExceptionGroup) as caught:
        await parent()

    assert [type(error) for error in caught.value.exceptions] == [KeyError]


async def test_an_error_during_the_clean_up_surfaces() -> None:
    """What goes wrong while stopping is also worth knowing."""

    async def fail_late() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise KeyError("late")

    async def parent() -> None:
        async with TaskSet() as tasks:
            tasks.start(fail_late())
            await asyncio.sleep(0)

    with pytest.raises(ExceptionGroup):
        await parent()


async def test_a_cancelled_parent_cancels_its_tasks() -> None:
    """Stopping the manager stops all that it runs."""
    started: list[asyncio.Task[object]] = []

    async def parent() -> None:
        async with TaskSet() as tasks:
            started.append(tasks.start(asyncio.Event().wait()))
            await asyncio.Event().wait()

    task = asyncio.create_task(parent())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert started[0].cancelled()


async def test_wait_returns_when_all_are_done() -> None:
    """Draining a queue waits for the workers, and for those that they start."""
    clock = VirtualClock()
    done: list[int] = []

    async def drain() -> None:
        async with TaskSet() as tasks:

            async def work(left: int) -> None:
                await clock.sleep(1)
                done.append(left)
                if left:
                    tasks.start(work(left - 1))

            tasks.start(work(2))
            await tasks.wait()

    await clock.run(drain())

    assert done == [2, 1, 0]


async def test_cancel_stops_the_tasks_and_not_the_block() -> None:
    """A restart of the workers goes on in the same block."""
    async with TaskSet() as tasks:
        tasks.start(asyncio.Event().wait())
        tasks.start(asyncio.Event().wait())
        before = len(tasks)
        tasks.cancel()
        await tasks.wait()
        after = len(tasks)

    assert (before, after) == (2, 0)


async def test_tasks_may_begin_in_the_context_of_the_block() -> None:
    """Whoever starts one later is not who it works for."""
    seen: list[str] = []

    async def look() -> None:
        seen.append(WHO.get())
        WHO.set("changed")

    WHO.set("block")
    async with TaskSet(own_context=True) as tasks:
        WHO.set("caller")
        tasks.start(look())
        tasks.start(look())
        tasks.start(look(), context=contextvars.copy_context())
        await tasks.wait()

    assert seen == ["block", "block", "caller"]
