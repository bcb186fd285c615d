"""Handlers: called at once or in a task of their own, and never the end of anything."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, cast

import pytest

from kubewright.api.unstructured import Unstructured
from kubewright.cache.entry import Event
from kubewright.cache.handlers import Direct, Handler, Queued, Registration, registered
from kubewright.errors import LifecycleError
from tests.unit.cache.informing import told
from tests.unit.cache.test_deltas import change

Heard = list[tuple[str, str, str, str]]


def added_to(removed: list[Any], handler: Handler[Unstructured]) -> Registration[Unstructured]:
    return registered(handler, on_remove=removed.append)


def recorder(heard: Heard, *, fails: int = 0) -> Callable[[Event[Unstructured]], Awaitable[None]]:
    """Return an async handler that raises so many times before it listens."""
    left = [fails]

    async def handle(event: Event[Unstructured]) -> None:
        await asyncio.sleep(0)
        heard.append(told(event))
        if left[0]:
            left[0] -= 1
            raise RuntimeError("bad day")

    return handle


class AsyncCallable:
    async def __call__(self, event: Event[Unstructured]) -> None:
        """Hear of it."""


def test_functions_are_called_at_once_and_async_ones_in_a_task() -> None:
    """Whatever an async function hides behind."""
    heard: Heard = []
    handle = recorder(heard)

    assert type(added_to([], lambda _: None)) is Direct
    assert type(added_to([], handle)) is Queued
    assert type(added_to([], partial(handle))) is Queued
    assert type(added_to([], AsyncCallable())) is Queued


def test_what_cannot_be_called_is_refused() -> None:
    """Here, and not with the first change at night."""
    with pytest.raises(TypeError, match="a handler is a function of one Event"):
        added_to([], cast("Any", "handle"))


def test_a_failure_is_counted_and_the_next_change_is_told() -> None:
    """One handler must not stop the informer, or itself."""
    heard: Heard = []

    def handle(event: Event[Unstructured]) -> None:
        heard.append(told(event))
        raise RuntimeError("bad day")

    registration = added_to([], handle)
    registration.deliver(change(None, 1))
    registration.deliver(change(1, 2))

    assert (len(heard), registration.failures) == (2, 2)


def test_a_function_that_hides_a_coroutine_is_told_to_be_async(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It would never run, and nobody would know."""
    handle = recorder([])
    registration = added_to([], lambda event: handle(event))  # noqa: PLW0108  # that is the point

    registration.deliver(change(None, 1))

    assert registration.failures == 1
    assert "async def" in caplog.text


async def test_an_async_handler_hears_one_change_after_the_other() -> None:
    """In the order of the stream, what failed included."""
    heard: Heard = []
    registration = added_to([], recorder(heard, fails=1))
    assert isinstance(registration, Queued)
    task = asyncio.create_task(registration.run())
    for event in (change(None, 1, "x"), change(None, 1, "y"), change(None, 1, "z")):
        registration.deliver(event)
    registration.note_all_delivered()
    await registration.wait_synced()

    assert [name for _, name, _, _ in heard] == ["x", "y", "z"]
    assert registration.failures == 1
    registration.remove()
    await task


async def test_a_handler_that_waits_for_a_cancelled_task_goes_on() -> None:
    """It was not the handler that somebody wanted to stop."""
    heard: Heard = []

    async def handle(event: Event[Unstructured]) -> None:
        heard.append(told(event))
        waited = asyncio.create_task(asyncio.sleep(0))
        waited.cancel()
        await waited

    registration = added_to([], handle)
    assert isinstance(registration, Queued)
    task = asyncio.create_task(registration.run())
    registration.deliver(change(None, 1, "x"))
    registration.deliver(change(None, 1, "y"))
    registration.note_all_delivered()
    await registration.wait_synced()

    assert (len(heard), registration.failures) == (2, 2)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()


async def test_a_handler_that_cancels_itself_goes_on() -> None:
    """Its queue would fill up, and hold up the whole informer."""
    heard: Heard = []

    async def handle(event: Event[Unstructured]) -> None:
        heard.append(told(event))
        if len(heard) == 2:
            raise GeneratorExit
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    registration = added_to([], handle)
    assert isinstance(registration, Queued)
    task = asyncio.create_task(registration.run())
    for name in "xyz":
        registration.deliver(change(None, 1, name))
    registration.note_all_delivered()
    await registration.wait_synced()

    assert (len(heard), registration.failures) == (3, 3)
    registration.remove()
    await task


async def test_a_handler_that_swallows_our_end_ends_after_its_call() -> None:
    """It would wait for the next change for ever, and the informer for it."""
    begun = asyncio.Event()

    async def handle(event: Event[Unstructured]) -> None:
        begun.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    registration = added_to([], handle)
    assert isinstance(registration, Queued)
    task = asyncio.create_task(registration.run())
    registration.deliver(change(None, 1, "x"))
    await begun.wait()
    task.cancel()
    await asyncio.wait([task])

    assert task.cancelled()


def test_a_function_that_raises_a_cancellation_has_failed() -> None:
    """Let through, it would end the reflector that calls it."""

    def handle(event: Event[Unstructured]) -> None:
        raise asyncio.CancelledError

    registration = added_to([], handle)

    registration.deliver(change(None, 1))

    assert registration.failures == 1


async def test_an_async_handler_is_synced_when_it_has_handled_the_last_of_the_list() -> None:
    """Not when the last was queued, nor later than that for the changes after it."""
    gate = asyncio.Event()

    async def handle(event: Event[Unstructured]) -> None:
        await gate.wait()

    registration = added_to([], handle)
    assert isinstance(registration, Queued)
    task = asyncio.create_task(registration.run())
    registration.deliver(change(None, 1, "x"))
    await asyncio.sleep(0)
    registration.note_all_delivered()
    assert not registration.synced

    gate.set()
    await registration.wait_synced()
    registration.remove()
    await task


def test_with_nothing_to_hear_it_is_synced_at_once() -> None:
    """An empty list is a list."""
    for registration in (added_to([], lambda _: None), added_to([], recorder([]))):
        registration.note_all_delivered()

        assert registration.synced


async def test_a_removed_handler_finishes_its_call_and_hears_no_more() -> None:
    """To cut it in the middle would leave its work half done."""
    removed: list[Any] = []
    heard: Heard = []
    registration = added_to(removed, recorder(heard))
    assert isinstance(registration, Queued)
    task = asyncio.create_task(registration.run())
    registration.deliver(change(None, 1, "x"))
    registration.deliver(change(None, 1, "y"))
    await asyncio.sleep(0)

    registration.remove()
    registration.remove()
    await task

    assert [name for _, name, _, _ in heard] == ["x"]
    assert removed == [registration]


async def test_who_waits_for_a_handler_that_is_removed_is_told() -> None:
    """Nobody waits for ever."""
    registration = added_to([], lambda _: None)
    waiting = asyncio.create_task(registration.wait_synced())
    await asyncio.sleep(0)

    registration.remove()

    with pytest.raises(LifecycleError, match="it was removed"):
        await waiting


async def test_a_removed_handler_is_not_told_of_a_change_that_is_under_way() -> None:
    """One that was told before it may have removed it; its owner has let go of things by then."""
    heard: list[Event[Unstructured]] = []
    registration = added_to([], heard.append)
    registration.remove()

    registration.deliver(change(None, 1, "x"))

    assert not heard


async def test_an_async_handler_tells_its_backlog_and_when_it_has_caught_up() -> None:
    """Who waits until nothing more happens must wait for it, too."""
    go, heard = asyncio.Event(), list[str]()

    async def handle(event: Event[Unstructured]) -> None:
        await go.wait()
        heard.append(str(event.key))

    registration = added_to([], handle)
    assert isinstance(registration, Queued)
    running = asyncio.create_task(registration.run())
    registration.deliver(change(None, 1, "a"))
    registration.deliver(change(None, 2, "b"))
    await asyncio.sleep(0)
    behind = registration.backlog
    waiting = asyncio.create_task(registration.wait_caught_up())
    await asyncio.sleep(0)
    go.set()
    await waiting

    assert (behind, registration.backlog, len(heard)) == (2, 0, 2)
    registration.remove()
    await running


async def test_nobody_waits_for_a_handler_that_was_removed() -> None:
    """What it had not heard yet, it never will."""
    registration = added_to([], recorder([]))
    registration.deliver(change(None, 1, "a"))
    waiting = asyncio.create_task(registration.wait_caught_up())
    await asyncio.sleep(0)
    registration.remove()
    await waiting

    assert added_to([], lambda _: None).backlog == 0
