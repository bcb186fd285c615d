import asyncio
import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from kubewright import log
from kubewright.controller.request import Request
from kubewright.controller.run import Run


def a_run() -> Run:
    """Return what a reconciler would be told."""
    return Run("1", Request("n", "a"), (), 1, "test", log.get_logger(__name__))


async def test_a_function_runs_in_a_thread_with_the_fields_of_the_log() -> None:
    """A line that is logged there says what it is about, too."""
    run = a_run()

    def work(factor: int, *, more: int) -> tuple[bool, object]:
        here = threading.current_thread() is threading.main_thread()
        return here, log.bound().get("name", factor * more)

    with log.bind(name="corner"):
        in_main, name = await run.in_thread(work, 3, more=2)

    assert not in_main
    assert name == "corner"


async def test_a_cancelled_call_still_holds_its_thread() -> None:
    """The thread goes on, and whoever asks must be able to wait for it."""
    run, go, began = a_run(), threading.Event(), threading.Event()

    def work() -> str:
        began.set()
        go.wait()
        return "done"

    with ThreadPoolExecutor(1) as executor:
        call = asyncio.create_task(run.in_executor(executor, work))
        await asyncio.to_thread(began.wait)
        call.cancel()
        await asyncio.wait([call])
        held = run.held
        during = [work.done() for work in held]
        go.set()
        await asyncio.wait(held)

    assert call.cancelled()
    assert during == [False]
    assert held[0].result() == "done"


async def test_what_has_ended_is_let_go() -> None:
    """A record keeps the run; an error keeps all that its function had in hand, secrets as well."""
    run = a_run()

    class Secret:
        pass

    seen: list[weakref.ref[Secret]] = []

    def fail() -> None:
        secret = Secret()
        seen.append(weakref.ref(secret))
        raise ValueError

    with ThreadPoolExecutor(1) as executor:
        for _ in range(3):
            with suppress(ValueError):
                await run.in_executor(executor, fail)
    await asyncio.sleep(0)  # what woke us up has the last error
    gc.collect()

    assert run.held == ()
    assert [one() for one in seen] == [None, None, None]
