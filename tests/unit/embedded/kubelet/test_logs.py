import asyncio

import pytest

from kubewright._aio import VirtualClock
from kubewright._serve.messages import Stream
from kubewright.embedded.kubelet import logs
from kubewright.embedded.node.access import AccessError, LogOptions
from tests.unit.embedded.kubelet.containers import Containers

KEY = ("default", "web", "main")


async def ask(containers: Containers, options: LogOptions) -> tuple[Stream, logs.LogStream]:
    clock = VirtualClock()
    answer = await clock.run(logs.answer(containers, KEY, options, clock=clock))
    assert isinstance(answer.chunks, logs.LogStream)
    return answer, answer.chunks


async def test_a_log_is_a_stream_of_its_pieces() -> None:
    """The node is asked as the client asked."""
    containers = Containers()

    answer, chunks = await ask(containers, LogOptions(tail_lines=2))

    assert answer.content_type == "text/plain"
    assert [chunk async for chunk in chunks] == [b"one\n", b"two\n"]
    assert containers.asked == [(*KEY, LogOptions(tail_lines=2))]
    await chunks.aclose()


async def test_an_error_comes_before_the_stream() -> None:
    """After the head of an answer there is no way to say that it failed."""
    containers = Containers()
    containers.log_error = AccessError(400, 'container "main" in pod "web" is waiting to start')

    with pytest.raises(AccessError, match="waiting to start"):
        await ask(containers, LogOptions())


async def test_a_log_that_is_silent_begins_all_the_same() -> None:
    """A client that follows wants its headers, and waits no longer than a moment for them."""
    containers = Containers()
    containers.pieces = []

    _, chunks = await ask(containers, LogOptions(follow=True))
    first = asyncio.create_task(anext(chunks))
    await asyncio.sleep(0)
    containers.more.set()

    assert await first == b"more\n"
    await chunks.aclose()
    assert containers.log_closed


async def test_a_client_that_leaves_lets_go_of_the_log() -> None:
    """Before the first piece as well as after it."""
    for pieces in ([], [b"one\n"]):
        containers = Containers()
        containers.pieces = pieces
        _, chunks = await ask(containers, LogOptions(follow=True))

        await chunks.aclose()

        assert containers.log_closed
