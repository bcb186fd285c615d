import asyncio
import threading

import pytest

from kubewright._serve.messages import Answer, Handler, Request, Response
from kubewright.manager.lifeline import Lifeline
from kubewright.manager.relay import DEAD_AFTER, PrivateRelay, Relay


class Page:
    """Answers with what it is told to."""

    def __init__(self) -> None:
        self.answer = Response(200, b"all is well")

    async def handle(self, request: Request) -> Answer:
        return self.answer


def asked(path: str) -> Request:
    """Return what a kubelet asks for."""
    return Request("GET", path, "", {}, b"")


async def blocked(lifeline: Lifeline, relay: Handler, path: str) -> Response:
    """Return the answer that a probe gets while the event loop does not turn."""
    answered, found = threading.Event(), list[Answer]()

    async def probe() -> None:
        found.append(await relay.handle(asked(path)))
        answered.set()

    probing = asyncio.create_task(lifeline.run(probe))
    await asyncio.sleep(0)
    assert answered.wait(10)  # as a reconciler that does not await
    await probing
    assert isinstance(found[0], Response)
    return found[0]


async def test_the_event_loop_answers_while_it_turns() -> None:
    """What it knows is the truth."""
    relay = Relay(Page(), home=asyncio.get_running_loop(), silence=lambda: 0.0)

    with Lifeline() as lifeline:
        answer = await lifeline.run(lambda: relay.handle(asked("/readyz")))

    assert answer == Response(200, b"all is well")


@pytest.mark.parametrize(("path", "status"), [("/healthz", 200), ("/readyz", 503)])
async def test_a_blocked_loop_is_alive_and_ready_only_if_it_was(path: str, status: int) -> None:
    """A reconciler that blocks for a second is no reason to kill the process."""
    page = Page()
    relay = Relay(page, home=asyncio.get_running_loop(), silence=lambda: 5.0)

    with Lifeline() as lifeline:
        before = await blocked(lifeline, relay, path)
        page.answer = Response(200, b"asked")
        await lifeline.run(lambda: relay.handle(asked(path)))
        after = await blocked(lifeline, relay, path)

    assert before.status == status
    assert after.body == b"asked"


async def test_a_late_answer_is_there_for_the_next_probe() -> None:
    """A loop that turns, but slowly, would otherwise never become ready."""
    relay = Relay(Page(), home=asyncio.get_running_loop(), silence=lambda: 5.0)

    with Lifeline() as lifeline:
        first = await blocked(lifeline, relay, "/readyz")
        await asyncio.sleep(0)
        second = await blocked(lifeline, relay, "/readyz")

    assert (first.status, second.status) == (503, 200)


async def test_a_loop_that_never_turns_again_is_dead() -> None:
    """Nobody else would restart it: a thread that says "ok" for ever is a lie."""
    relay = Relay(Page(), home=asyncio.get_running_loop(), silence=lambda: DEAD_AFTER)

    with Lifeline() as lifeline:
        answer = await blocked(lifeline, relay, "/healthz")

    assert answer.status == 500
    assert b"the event loop has not turned for 60 seconds" in answer.body


async def test_a_private_page_is_asked_for_each_caller() -> None:
    """What one was shown must not be shown to the next, who may have no token."""
    page = Page()
    relay = PrivateRelay(page, home=asyncio.get_running_loop())

    with Lifeline() as lifeline:
        first = await lifeline.run(lambda: relay.handle(asked("/metrics")))
        page.answer = Response(401)
        second = await lifeline.run(lambda: relay.handle(asked("/metrics")))

    assert (first, second) == (Response(200, b"all is well"), Response(401))


async def test_a_private_page_is_given_up_with_its_caller() -> None:
    """A client that hangs up must not leave questions to the server behind."""
    began, ended = asyncio.Event(), asyncio.Event()

    class Endless:
        async def handle(self, request: Request) -> Answer:
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            raise AssertionError

    relay = PrivateRelay(Endless(), home=asyncio.get_running_loop())
    with Lifeline() as lifeline:
        asking = asyncio.create_task(lifeline.run(lambda: relay.handle(asked("/metrics"))))
        await began.wait()
        asking.cancel()
        await ended.wait()
        with pytest.raises(asyncio.CancelledError):
            await asking


async def test_too_many_at_a_private_page_are_sent_away() -> None:
    """Each of them may be a question to the server; those who wait are answered."""
    began, answer = asyncio.Event(), asyncio.Event()

    class Slow:
        waiting = 0

        async def handle(self, request: Request) -> Answer:
            self.waiting += 1
            if self.waiting == 100:
                began.set()
            await answer.wait()
            return Response(200)

    relay = PrivateRelay(Slow(), home=asyncio.get_running_loop())

    async def ask() -> Answer:
        return await relay.handle(asked("/metrics"))

    with Lifeline() as lifeline:
        waiting = [asyncio.create_task(lifeline.run(ask)) for _ in range(100)]
        await began.wait()
        refused = await lifeline.run(ask)
        answer.set()
        answers = await asyncio.gather(*waiting)

    assert isinstance(refused, Response)
    assert refused.status == 503
    assert answers == [Response(200)] * 100
