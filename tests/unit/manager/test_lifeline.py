import asyncio
import threading

import pytest

from kubewright.manager.lifeline import Lifeline


async def test_it_goes_on_while_the_event_loop_is_blocked() -> None:
    """Otherwise a reconciler that blocks would cost the lease."""
    blocked, free = asyncio.Event(), threading.Event()

    async def work() -> int:
        await blocked.wait()
        free.set()
        return threading.get_ident()

    async def begin() -> None:
        blocked.set()

    with Lifeline() as lifeline:
        working = asyncio.create_task(lifeline.run(work))
        await asyncio.sleep(0)
        starting = asyncio.create_task(lifeline.run(begin))
        await asyncio.sleep(0)
        went_on = free.wait(10)  # as a reconciler that does not await
        thread = await working
        await starting

    assert went_on
    assert thread != threading.get_ident()


async def test_a_cancellation_is_passed_on_and_waited_for() -> None:
    """The lease is given up in there, which takes a request."""
    began, diary = threading.Event(), list[str]()

    async def work() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            diary.append("cleaned up")

    with Lifeline() as lifeline:
        task = asyncio.create_task(lifeline.run(work))
        await asyncio.to_thread(began.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert diary == ["cleaned up"]


async def test_an_error_comes_out_and_no_thread_is_left() -> None:
    """As if it had run here."""

    async def work() -> None:
        raise LookupError("lost")

    before = threading.active_count()
    with Lifeline() as lifeline, pytest.raises(LookupError, match="lost"):
        await lifeline.run(work)

    assert threading.active_count() == before
