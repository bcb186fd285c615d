import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kubewright.embedded.node.access import Output
from kubewright.embedded.node.process.command import MOST_WAITING
from kubewright.embedded.node.runtime import ContainerError, Exit
from tests.unit.embedded.node.processes import Waiter, a_container, a_supervision

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and subreapers")


async def test_what_a_container_writes_is_in_its_log_before_its_end_is_told(
    tmp_path: Path,
) -> None:
    """Who hears of the end reads a whole log, and its last words."""
    async with a_supervision(tmp_path) as supervision:
        container, waiter = (
            a_container(
                supervision, "echo out; echo err >&2; echo words > $WORDS; exit 5", tmp_path
            ),
            Waiter(),
        )

        await container.start(waiter, stdin=False)

        assert await waiter.exit() == Exit(5, 0, "words\n")
        lines = {(line.stream, line.text) for line in next(container._log.lines())}
        assert lines == {("stdout", b"out\n"), ("stderr", b"err\n")}
        assert container.probe_answer("liveness") is None


async def test_a_command_runs_in_the_container(tmp_path: Path) -> None:
    """With its variables; its streams are apart, and its input has an end."""
    async with a_supervision(tmp_path) as supervision:
        container, waiter = a_container(supervision, "sleep 100", tmp_path), Waiter()
        await container.start(waiter, stdin=False)

        script = "cat; echo $KUBEWRIGHT_CONTAINER; echo bad >&2; exit 3"
        command = await container.execute(["sh", "-c", script], stdin=True)
        await command.write(b"input\n")
        await command.close_input()
        command.resize(1, 1)
        found = [piece async for piece in command.output()]

        assert b"".join(data for stream, data in found if stream == "stdout") == b"input\nc\n"
        assert Output("stderr", b"bad\n") in found
        assert await command.wait() == 3
        await command.close()
        container.signal(9)
        await waiter.exit()


async def test_a_command_may_have_a_terminal(tmp_path: Path) -> None:
    """``kubectl exec -it`` gives one, of the size of its own."""
    async with a_supervision(tmp_path) as supervision:
        container, waiter = a_container(supervision, "sleep 100", tmp_path), Waiter()
        await container.start(waiter, stdin=False)

        command = await container.execute(
            ["sh", "-c", "read x; stty size; tty"], stdin=True, tty=True
        )
        command.resize(132, 43)
        await command.write(b"go\n")
        written = b"".join([data async for _, data in command.output()])

        assert b"43 132\r\n" in written
        assert b"/dev/pts/" in written
        container.signal(9)
        await waiter.exit()


async def test_a_command_that_nobody_wants_any_more_is_ended(tmp_path: Path) -> None:
    """The client has hung up."""
    async with a_supervision(tmp_path) as supervision:
        container, waiter = a_container(supervision, "sleep 100", tmp_path), Waiter()
        await container.start(waiter, stdin=False)
        command = await container.execute(["sleep", "100"])

        await command.close()

        assert await command.wait() == 137
        container.signal(9)
        await waiter.exit()


async def test_a_command_that_is_not_there_says_so(tmp_path: Path) -> None:
    """With the words of a container runtime."""
    async with a_supervision(tmp_path) as supervision:
        container, waiter = a_container(supervision, "sleep 100", tmp_path), Waiter()
        await container.start(waiter, stdin=False)

        with pytest.raises(ContainerError, match='exec: "nonsense": executable file not found'):
            await container.execute(["nonsense"])

        container.signal(9)
        await waiter.exit()


async def test_who_attaches_writes_and_reads_along(tmp_path: Path) -> None:
    """``kubectl attach -i``; the container goes on when one lets go of it."""
    async with a_supervision(tmp_path) as supervision:
        container, waiter = (
            a_container(supervision, "read x; echo got $x; read y; exit 2", tmp_path),
            Waiter(),
        )
        await container.start(waiter, stdin=True, stdin_once=True)

        attached = await container.attach(stdin=True)
        await attached.write(b"one\n")
        first = await anext(aiter(attached.output()))
        attached.resize(1, 1)
        await attached.close_input()

        assert first == Output("stdout", b"got one\n")
        assert await attached.wait() == 2
        await attached.close()
        await waiter.exit()


async def test_a_slow_reader_makes_a_command_wait(tmp_path: Path) -> None:
    """Megabytes pass through without being kept."""
    async with a_supervision(tmp_path) as supervision:
        container, waiter = a_container(supervision, "sleep 100", tmp_path), Waiter()
        await container.start(waiter, stdin=False)

        command = await container.execute(["head", "-c", "8000000", "/dev/zero"])
        size = 0
        async for _, data in command.output():
            size += len(data)

        assert size == 8_000_000
        container.signal(9)
        await waiter.exit()


async def test_who_attaches_and_does_not_read_makes_the_container_wait(tmp_path: Path) -> None:
    """Nothing is lost, nor is memory; it goes on when they have read, or let go of it."""
    async with a_supervision(tmp_path) as supervision:
        container, waiter = (
            a_container(supervision, "head -c 30000000 /dev/zero", tmp_path),
            Waiter(),
        )
        await container.start(waiter, stdin=False)
        idle, reader = container.listen(), await container.attach()

        first = [len(data) async for _, data in _some(reader.output(), MOST_WAITING)]
        other = await container.execute(["echo", "time has passed"])
        await other.wait()
        waiting = idle.qsize()
        container.leave(idle)
        rest = [len(data) async for _, data in reader.output()]

        assert waiting == MOST_WAITING
        assert sum(first) + sum(rest) == 30_000_000
        assert (await waiter.exit()).code == 0
        await reader.close()


async def _some(output: AsyncIterator[Output], count: int) -> AsyncIterator[Output]:
    for _ in range(count):
        yield await anext(output)


async def test_a_pipe_in_place_of_the_last_words_holds_up_nobody(tmp_path: Path) -> None:
    """To open it would wait for ever, and with it the API server."""
    async with a_supervision(tmp_path) as supervision:
        container, waiter = a_container(supervision, "mkfifo $WORDS", tmp_path), Waiter()

        await container.start(waiter, stdin=False)

        assert await waiter.exit() == Exit(0, 0, "")
