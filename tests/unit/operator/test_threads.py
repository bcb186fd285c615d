"""Functions in threads, and their way back into the event loop."""

import asyncio
import contextvars
import threading
from typing import Any

import pytest

from kubewright.errors import LifecycleError
from kubewright.operator.threads import Bridge, run_in_thread

NAME = contextvars.ContextVar("NAME", default="nobody")


def bridge() -> Bridge:
    return Bridge(asyncio.get_running_loop())


async def in_thread(function: Any, over: Bridge | None = None) -> Any:
    return await run_in_thread(function, over or bridge(), hold=lambda work: None)


async def test_it_runs_elsewhere_with_the_variables_of_the_caller() -> None:
    """Log lines of a thread name the object, too."""
    NAME.set("corner")

    name, thread = await in_thread(lambda: (NAME.get(), threading.current_thread()))

    assert name == "corner"
    assert thread is not threading.current_thread()
    assert thread.daemon


async def test_a_thread_that_cannot_be_had_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pod at its limit of threads tries the object again later, instead of never."""

    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    held: list[Any] = []

    with pytest.raises(RuntimeError, match="new thread"):
        await run_in_thread(lambda: None, bridge(), hold=held.append)

    assert not held


@pytest.mark.parametrize("error", [ValueError("no"), StopIteration("end")])
async def test_its_failure_is_raised_where_it_was_started(error: Exception) -> None:
    """Also one that a future would refuse to hold, and so never be done."""

    def fail() -> None:
        raise error

    with pytest.raises((ValueError, RuntimeError)) as caught:
        await in_thread(fail)

    assert error in {caught.value, caught.value.__cause__}


async def test_a_call_runs_in_the_event_loop_with_the_variables_of_the_thread() -> None:
    """What belongs to the loop is touched only there."""
    NAME.set("corner")
    over = bridge()

    async def look() -> tuple[str, asyncio.AbstractEventLoop]:
        return NAME.get(), asyncio.get_running_loop()

    name, loop = await in_thread(lambda: over.call(look), over)

    assert (name, loop) == ("corner", asyncio.get_running_loop())


async def test_the_failure_of_a_call_is_raised_in_the_thread() -> None:
    """The function can handle it."""
    over = bridge()

    async def fail() -> None:
        raise KeyError("x")

    def function() -> str:
        try:
            over.call(fail)
        except KeyError:
            return "handled"
        return ""

    assert await in_thread(function, over) == "handled"


async def test_cancelling_ends_a_call_under_way_and_refuses_the_next() -> None:
    """A thread cannot be stopped, but it need not be given anything more."""
    over, said, waiting = bridge(), [], asyncio.Event()
    held: list[asyncio.Future[Any]] = []

    async def forever() -> None:
        waiting.set()
        await asyncio.Event().wait()

    def function() -> None:
        for _ in range(2):
            try:
                over.call(forever)
            except LifecycleError as error:
                said.append(str(error))

    task = asyncio.create_task(run_in_thread(function, over, hold=held.append))
    await waiting.wait()
    task.cancel()
    await asyncio.wait([task])
    await held[0]

    assert task.cancelled()
    assert len(said) == 2
    assert all("the reconcile is over" in one for one in said)


async def test_a_call_inside_the_loop_is_refused() -> None:
    """It would wait for itself."""

    async def nothing() -> None:
        pass

    with pytest.raises(LifecycleError, match="use the Context of an `async def` reconciler"):
        bridge().call(nothing)
