import asyncio

import pytest

from kubewright._aio import Clock, VirtualClock
from kubewright._json import loads
from kubewright._serve.messages import Answer
from kubewright.embedded.kubelet import remote_command
from kubewright.embedded.kubelet.options import RemoteOptions
from kubewright.embedded.node.access import AccessError, Command
from tests.unit.embedded.kubelet.containers import Containers, MemoryCommand, idle
from tests.unit.embedded.kubelet.wires import SPDY, WEBSOCKET, SPDYClient, WebSocketClient, talking

V5 = {**WEBSOCKET, "sec-websocket-protocol": "v5.channel.k8s.io"}
V4 = {**SPDY, "x-stream-protocol-version": "v4.channel.k8s.io"}


def run(
    containers: Containers,
    headers: dict[str, str],
    *command: str,
    clock: Clock | None = None,
    stdin: bool = False,
    stdout: bool = True,
    stderr: bool = True,
) -> Answer:
    """Answer a request for a command."""
    options = RemoteOptions(command, stdin, stdout, stderr)

    async def start() -> Command:
        if not command:
            return await containers.attach("default", "web", "main", stdin=options.stdin)
        return await containers.execute("default", "web", "main", command, stdin=options.stdin)

    return remote_command.answer(headers, options, start, clock=clock or Clock())


async def test_a_command_runs_and_its_end_is_told() -> None:
    """Over a websocket: output on its channels, the exit code on the one for errors."""
    containers = Containers()

    async with talking(run(containers, V5, "exit")) as (end, task):
        got = await WebSocketClient(end).rest()
        end.hang_up()
        await task

    assert got[2] == b"sorry\n"
    assert loads(got[3])["details"]["causes"] == [{"reason": "ExitCode", "message": "3"}]
    assert containers.commands[0].closed


async def test_the_same_over_spdy() -> None:
    """Each stream is one of its own, and has an end."""
    containers = Containers()

    async with talking(run(containers, V4, "exit")) as (end, _):
        client = SPDYClient(end)
        error, out, err = [
            await client.open(streamtype=kind) for kind in ("error", "stdout", "stderr")
        ]
        await client.read_until(lambda: {error, out, err} <= client.ended)

    assert client.got[err] == b"sorry\n"
    assert client.got[out] == b""
    assert loads(client.got[error])["reason"] == "NonZeroExitCode"


async def test_an_attached_process_has_its_own_end() -> None:
    """Its exit code is in the status of the pod, and is not a failure of the client."""
    containers = Containers()
    containers.programs["cat"] = containers.programs["exit"]

    async with talking(run(containers, V5)) as (end, _):
        got = await WebSocketClient(end).rest()

    assert loads(got[3])["status"] == "Success"


async def test_what_cannot_be_run_is_told_on_the_error_channel() -> None:
    """By then HTTP is over."""
    containers = Containers()

    async with talking(run(containers, V5, "nope")) as (end, _):
        got = await WebSocketClient(end).rest()

    assert "not found" in loads(got[3])["message"]


@pytest.mark.parametrize("headers", [V5, V4])
async def test_a_client_that_leaves_takes_the_command_along(headers: dict[str, str]) -> None:
    """Nothing goes on for nobody, whatever it is waiting for."""
    containers = Containers()

    async with talking(run(containers, headers, "cat", stdin=True, stderr=False)) as (end, task):
        if headers is V4:
            client = SPDYClient(end)
            for kind in ("error", "stdin", "stdout"):
                await client.open(streamtype=kind)
        await containers.started.get()
        end.hang_up()
        await task

    assert containers.commands[0].closed


async def test_a_client_that_reads_slowly_slows_the_command_down() -> None:
    """What it has written waits in the command, not in our memory."""
    containers = Containers()
    written = 0

    async def chatter(command: MemoryCommand) -> int:
        nonlocal written
        for _ in range(200):
            await command.say(b"x" * 65536)
            written += 65536
        return 0

    containers.programs["chatter"] = chatter

    async with talking(run(containers, V5, "chatter")) as (end, _):
        for _ in range(2000):
            await asyncio.sleep(0)
        held = written
        got = await WebSocketClient(end).rest()

    assert held < 4 * 1024 * 1024
    assert len(got[1]) == written == 200 * 65536


async def test_a_client_that_opens_no_streams_is_left_after_a_while() -> None:
    """Thirty seconds, as with a kubelet; no command has been started for it."""
    containers = Containers()
    clock = VirtualClock()

    async with talking(run(containers, V4, "cat", clock=clock)) as (_, task):
        await clock.advance(31)
        await task

    assert containers.commands == []


async def test_a_client_that_does_not_hang_up_is_left_after_a_while() -> None:
    """It has heard all that there was to hear."""
    containers = Containers()
    clock = VirtualClock()

    async with talking(run(containers, V5, "both", clock=clock)) as (end, task):
        await WebSocketClient(end).rest()
        await clock.advance(3)
        await task


def test_a_request_that_makes_no_sense_is_refused() -> None:
    """Before anything is started."""
    with pytest.raises(AccessError, match="at least 1 of"):
        run(Containers(), V5, "cat", stdout=False, stderr=False)
    with pytest.raises(AccessError, match="Upgrade request required"):
        run(Containers(), {}, "cat")


async def test_a_command_that_takes_no_input_is_not_kept_for_a_client_that_left() -> None:
    """While its input is full we read no further, and pings find out."""
    containers = Containers()
    containers.programs["idle"] = idle
    clock = VirtualClock()

    async with talking(run(containers, V5, "idle", stdin=True, clock=clock)) as (end, task):
        client = WebSocketClient(end)
        sending = [asyncio.create_task(client.send(b"\0" + b"x" * (1 << 20))) for _ in range(4)]
        for _ in range(50):
            await asyncio.sleep(0)
        end.hang_up()
        await clock.advance(31)
        await task
        for one in sending:
            one.cancel()

    assert containers.commands[0].closed
