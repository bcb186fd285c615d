import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest

from kubewright._aio import VirtualClock
from kubewright._loop.places import (
    place_of_error,
    place_of_task,
    place_of_thread,
    users_traceback,
)
from kubewright.controller.sources import Interval


def ours() -> None:
    """Fail in code of ours that was called from here."""
    Interval(0)


def caught(function: Any) -> Exception:
    """Return what *function* raises."""
    try:
        function()
    except Exception as error:  # noqa: BLE001  # whatever it is
        return error
    raise AssertionError("it did not fail")


def test_an_error_is_placed_where_our_code_was_called() -> None:
    """Not in our code, which nobody can change."""
    assert place_of_error(caught(ours)).partition(":")[0] == __file__
    assert place_of_error(caught(ours)).endswith(" in ours")


def test_what_never_was_raised_has_no_place() -> None:
    """And neither has what came from our own code only."""
    assert place_of_error(ValueError()) == ""


def test_a_traceback_begins_with_the_users_code() -> None:
    """Frames that lead there are the same in every traceback."""
    error = caught(ours)
    assert error.__traceback__ is not None
    inner = error.__traceback__.tb_next
    within_ours = error.with_traceback(inner.tb_next if inner else None)

    assert users_traceback(caught(ours)).tb_frame.f_code is caught.__code__  # type: ignore[union-attr]  # it has one
    assert users_traceback(within_ours) is within_ours.__traceback__


def test_frames_of_ours_and_of_python_before_it_are_dropped() -> None:
    """As for a function that a thread of an executor called."""

    async def fail() -> None:
        raise ValueError

    error = caught(lambda: asyncio.run(fail()))
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    assert frames is not None  # asyncio's own

    assert users_traceback(error.with_traceback(frames)).tb_frame.f_code is fail.__code__  # type: ignore[union-attr]  # as above


async def test_a_task_is_placed_where_its_user_waits() -> None:
    """Below that, there are only our functions and Python's."""
    clock = VirtualClock()

    async def outer() -> None:
        await inner()

    async def inner() -> None:
        await clock.sleep(5)

    task = asyncio.create_task(outer())
    await clock.settle()
    place = place_of_task(task.get_coro())
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert place.startswith(__file__)
    assert place.endswith(" in inner")


async def test_a_task_is_followed_into_async_generators() -> None:
    """Streams are where a program hangs most often."""

    async def stream() -> AsyncIterator[int]:
        yield 1
        await asyncio.Event().wait()

    async def reader() -> None:
        async for _ in stream():
            pass

    task = asyncio.create_task(reader())
    await asyncio.sleep(0)
    place = place_of_task(task.get_coro())
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert place.endswith((" in stream", " in reader"))


def test_a_thread_is_placed_where_it_is() -> None:
    """It is all that is known of a reconciler that blocks."""
    begun, go = threading.Event(), threading.Event()

    def blocked() -> None:
        begun.set()
        go.wait()

    thread = threading.Thread(target=blocked)
    thread.start()
    begun.wait()
    place = place_of_task(None, thread.ident or 0)
    go.set()
    thread.join()

    assert place.endswith(" in blocked")
    assert place_of_task(None, thread.ident or 0) == ""


@pytest.mark.parametrize("nothing", [None, object()])
def test_what_does_not_wait_has_no_place(nothing: object) -> None:
    """A task that has ended, say."""
    assert place_of_task(nothing) == ""


def test_the_line_that_started_a_loop_is_not_where_it_is() -> None:
    """A loop that waits would be said to block in ``asyncio.run``."""
    loop, begun = asyncio.new_event_loop(), threading.Event()

    def start() -> None:
        loop.run_forever()

    thread = threading.Thread(target=start)
    thread.start()
    loop.call_soon_threadsafe(begun.set)
    begun.wait()
    place = place_of_thread(thread.ident or 0)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()

    assert place == ""


def test_where_nothing_is_the_users_the_innermost_place_of_all_can_be_had() -> None:
    """A list that is too large is our own work; nothing is known of a thread that has ended."""
    free = threading.Event()
    pump = threading.Thread(target=free.wait)  # a thread in which nothing is the user's
    pump.start()

    while not (place := place_of_thread(pump.ident or 0, anywhere=True)).endswith(" in wait"):
        pass
    nowhere = place_of_thread(pump.ident or 0)
    free.set()
    pump.join()

    assert "threading.py:" in place
    assert nowhere == ""
    assert place_of_thread(pump.ident or 0, anywhere=True) == ""
