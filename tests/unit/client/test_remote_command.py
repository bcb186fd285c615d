"""Commands in containers: exec and attach, against a server that speaks the channels."""

import asyncio
import hashlib
import json
import pickle
from collections.abc import AsyncIterator
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection

from kubewright._aio import VirtualClock
from kubewright.client.remote_command import CommandError, ExecResult, exit_code_of
from kubewright.errors import (
    ServerError,
    Status,
    StatusCause,
    StatusDetails,
    TransportError,
    TransportTimeoutError,
)
from tests.unit.client.websocket_server import (
    V4,
    Play,
    client_of,
    leaving_no_task,
    passes,
    until,
    websockets_at,
)

SUCCESS = {"metadata": {}, "status": "Success"}


@pytest.fixture(autouse=True)
async def no_task_is_left() -> AsyncIterator[None]:
    """Fail if the test leaves a task behind."""
    async with leaving_no_task():
        yield


def ended(code: int) -> dict[str, Any]:
    """Return the Status of a command that ended with *code*."""
    causes = [{"reason": "ExitCode", "message": str(code)}]
    return {"status": "Failure", "reason": "NonZeroExitCode", "details": {"causes": causes}}


def saying(*messages: bytes, status: Any = SUCCESS) -> Play:
    """Return a script that sends *messages*, and *status* on the error channel."""

    async def play(socket: ServerConnection) -> None:
        for message in messages:
            await socket.send(message)
        if status is not None:
            await socket.send(b"\x03" + json.dumps(status).encode())

    return play


async def cat(socket: ServerConnection) -> None:
    """Send stdin back until it is closed."""
    async for message in socket:
        assert isinstance(message, bytes)
        if message == b"\xff\x00":
            break
        assert message[0] == 0
        await socket.send(b"\x01" + message[1:])
    await socket.send(b"\x03" + json.dumps(SUCCESS).encode())


async def hang(socket: ServerConnection) -> None:
    """Run for ever."""
    await socket.wait_closed()


async def test_a_command_gives_its_output_and_exit_code() -> None:
    """The two streams stay apart, in whatever order their pieces come."""
    play = saying(b"\x01", b"\x02", b"\x03", b"\x01one ", b"\x02oops", b"\x01two")

    async with websockets_at(play) as server, client_of(server) as client:
        result = await client.exec("web", ["echo", "-n"])

    assert result == ExecResult(b"one two", b"oops", 0)


async def test_the_request_says_what_to_run_and_where() -> None:
    """Every word of the command is its own parameter, so no shell can split it again."""
    async with websockets_at(saying()) as server, client_of(server) as client:
        await client.exec(
            "web", ["sh", "-c", "a b&c=ü"], namespace="other", container="app", stdin=b""
        )

    (target,) = server.targets
    assert target == (
        "/api/v1/namespaces/other/pods/web/exec?command=sh&command=-c&command=a%20b%26c%3D%C3%BC"
        "&container=app&stdin=true&stdout=true&stderr=true"
    )


async def test_a_terminal_has_no_stderr_of_its_own() -> None:
    """Servers refuse a terminal that asks for both."""
    async with websockets_at(saying()) as server, client_of(server) as client:
        await client.exec("web", ["sh"], tty=True)

    assert server.targets[0].endswith("/exec?command=sh&stdout=true&tty=true")


@pytest.mark.parametrize("code", [1, 2, 137, 255])
async def test_a_failed_command_is_a_result(code: int) -> None:
    """As with subprocess.run: the caller looks at the code."""
    play = saying(b"\x02no", status=ended(code))

    async with websockets_at(play) as server, client_of(server) as client:
        result = await client.exec("web", ["false"])

    assert result == ExecResult(b"", b"no", code)


async def test_check_turns_a_failed_command_into_an_error() -> None:
    """The error shows what the command said, and survives a process boundary."""
    play = saying(b"\x01ignored", b"\x02no such file\n", status=ended(2))

    async with websockets_at(play) as server, client_of(server) as client:
        with pytest.raises(CommandError) as caught:
            await client.exec("web", ["ls", "x"], check=True)

    again = pickle.loads(pickle.dumps(caught.value))
    assert again.result == ExecResult(b"ignored", b"no such file\n", 2)
    assert str(again) == (
        "['ls', 'x'] in pod 'web' of namespace 'shop' ended with exit code 2: no such file"
    )


def test_a_long_stderr_is_shown_by_its_end() -> None:
    """The last lines say what went wrong."""
    error = CommandError("x", ExecResult(b"", b"first" + b"." * 10_000 + b"last", 1))

    assert len(str(error)) < 600
    assert str(error).endswith("last")


async def test_a_command_that_cannot_be_run_is_an_error() -> None:
    """There is no exit code then, only what the container runtime said."""
    said = 'exec: "nope": executable file not found in $PATH'
    status = {"status": "Failure", "reason": "InternalError", "message": said, "code": 500}

    async with websockets_at(saying(status=status)) as server, client_of(server) as client:
        with pytest.raises(ServerError, match="executable file not found") as caught:
            await client.exec("web", ["nope"])

    assert str(caught.value).startswith("cannot create pods/exec 'web' in namespace 'shop': exec")


async def test_an_error_that_is_no_status_is_shown_as_it_is() -> None:
    """Old runtimes write plain text there."""
    play = saying(b"\x03container is not running", status=None)

    async with websockets_at(play) as server, client_of(server) as client:
        with pytest.raises(ServerError, match="container is not running"):
            await client.exec("web", ["ls"])


async def test_a_status_in_two_messages_is_put_together() -> None:
    """The channel is a stream; where it is cut means nothing."""
    text = json.dumps(ended(3)).encode()
    play = saying(b"\x03" + text[:10], b"\x03" + text[10:], status=None)

    async with websockets_at(play) as server, client_of(server) as client:
        assert (await client.exec("web", ["x"])).exit_code == 3


@pytest.mark.parametrize("rude", [False, True])
async def test_an_end_without_a_status_is_an_error(rude: bool) -> None:
    """Half an output with a made-up exit code would be believed."""

    async def play(socket: ServerConnection) -> None:
        await socket.send(b"\x01half")
        if rude:
            await passes()
            socket.transport.abort()

    async with websockets_at(play) as server, client_of(server) as client:
        with pytest.raises(TransportError) as caught:
            await client.exec("web", ["ls"])

    assert caught.value.lost
    assert "cannot create pods/exec 'web' in namespace 'shop'" in str(caught.value)


async def test_text_survives_a_cut_inside_a_character() -> None:
    """Pieces end anywhere, so only the whole may be decoded."""
    data = "žluťoučký".encode()
    play = saying(b"\x01" + data[:1], b"\x01" + data[1:], b"\x01\xff")

    async with websockets_at(play) as server, client_of(server) as client:
        assert (await client.exec("web", ["x"])).text == "žluťoučký\ufffd"


@pytest.mark.parametrize(
    "stdin", [b"", b"\x00\xff\x00", bytes(range(256)) * 20_000], ids=["empty", "small", "5MB"]
)
async def test_stdin_goes_in_whole_and_is_closed(stdin: bytes) -> None:
    """The command reads to the end while we read what it writes: neither waits for the other."""
    async with websockets_at(cat) as server, client_of(server) as client:
        result = await client.exec("web", ["cat"], stdin=stdin)

    assert hashlib.sha256(result.stdout).digest() == hashlib.sha256(stdin).digest()


async def test_stdin_can_be_text_or_an_async_iterator() -> None:
    """What comes from elsewhere bit by bit need not be collected first."""

    async def pieces() -> AsyncIterator[bytes]:
        for number in range(3):
            await asyncio.sleep(0)
            yield b"%d" % number

    async with websockets_at(cat) as server, client_of(server) as client:
        assert (await client.exec("web", ["cat"], stdin="ü")).text == "ü"
        assert (await client.exec("web", ["cat"], stdin=pieces())).stdout == b"012"


@pytest.mark.parametrize("kind", [KeyError, TransportError, TimeoutError])
async def test_an_error_of_the_callers_iterator_is_the_callers(kind: type[Exception]) -> None:
    """Nothing may hide it, and nothing goes on without it."""

    async def pieces() -> AsyncIterator[bytes]:
        yield b"one"
        raise kind("mine")

    async with websockets_at(cat) as server, client_of(server) as client:
        with pytest.raises(kind, match="mine"):
            await client.exec("web", ["cat"], stdin=pieces())
        await server.empty()


async def test_a_command_may_end_without_reading_its_stdin() -> None:
    """`head -1` does, and its exit code is what counts."""

    async def endless() -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(0)
            yield b"x" * 1000

    async with websockets_at(saying(b"\x01done")) as server, client_of(server) as client:
        result = await client.exec("web", ["head", "-1"], stdin=endless())

    assert result == ExecResult(b"done", b"", 0)


async def test_an_old_server_is_sent_stdin_but_cannot_close_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A command that stops by itself works; whoever waits for ever is told why."""

    async def play(socket: ServerConnection) -> None:
        message = await socket.recv()
        assert isinstance(message, bytes)
        await saying(b"\x01" + message[1:])(socket)

    async with websockets_at(play, subprotocols=(V4,)) as server, client_of(server) as client:
        result = await client.exec("web", ["head", "-c", "2"], stdin=b"hi")
        async with client.exec_stream("web", ["cat"], stdin=True) as process:
            with pytest.raises(TransportError, match=r"older than Kubernetes 1\.30"):
                await process.close_stdin()
            await process.write_stdin(b"still open")
            assert await process.wait() == 0

    assert result.stdout == b"hi"
    assert "the server cannot close stdin" in caplog.text


async def test_more_output_than_the_limit_is_refused() -> None:
    """`cat /dev/zero` must not take the operator down."""

    async def play(socket: ServerConnection) -> None:
        while True:
            await socket.send(b"\x02" + b"x" * 1000)

    async with websockets_at(play) as server, client_of(server) as client:
        with pytest.raises(TransportError, match="wrote more than 50000 bytes") as caught:
            await client.exec("web", ["cat"], limit_bytes=50_000)
        await server.empty()

    assert "exec_stream" in str(caught.value)


async def test_a_command_that_takes_too_long_is_given_up() -> None:
    """The connection is closed; the message says what cannot be done about the command."""
    async with websockets_at(hang) as server, client_of(server) as client:
        with pytest.raises(TransportTimeoutError, match=r"had not ended after 0\.05 seconds"):
            await client.exec("web", ["sleep", "9"], timeout=0.05)
        if server.targets:
            await server.empty()


async def test_cancelling_leaves_no_task_and_no_socket() -> None:
    """A reconciler that is stopped must not leave its commands' connections behind."""
    started = asyncio.Event()

    async def play(socket: ServerConnection) -> None:
        async for _ in socket:
            started.set()

    async with websockets_at(play) as server, client_of(server) as client:
        running = asyncio.create_task(client.exec("web", ["sleep", "9"], stdin=b"x"))
        await started.wait()
        running.cancel()
        await asyncio.wait([running])
        await server.empty()

    assert running.cancelled()


async def test_output_comes_as_it_is_written() -> None:
    """A stream is for watching: the first line must not wait for the last."""
    go = asyncio.Event()

    async def play(socket: ServerConnection) -> None:
        await socket.send(b"\x01first")
        await go.wait()
        await saying(b"\x02second", status=ended(4))(socket)

    async with (
        websockets_at(play) as server,
        client_of(server) as client,
        client.exec_stream("web", ["x"]) as process,
    ):
        first = await anext(process)
        go.set()
        rest = [piece async for piece in process]
        code = await process.wait()

    assert (first.stream, first.data) == ("stdout", b"first")
    assert rest == [("stderr", b"second")]
    assert code == 4


async def test_a_slow_reader_of_a_large_output_gets_all_of_it() -> None:
    """5 MB through small steps: nothing lost, nothing doubled, all in order."""
    pieces = [b"%07d" % number * 1000 for number in range(750)]
    play = saying(*[b"\x01" + piece for piece in pieces])

    digest = hashlib.sha256()
    async with (
        websockets_at(play) as server,
        client_of(server) as client,
        client.exec_stream("web", ["x"]) as process,
    ):
        async for _, data in process:
            await passes(3)
            digest.update(data)

    assert digest.digest() == hashlib.sha256(b"".join(pieces)).digest()


async def test_a_shell_can_be_talked_to() -> None:
    """Write, read, resize, close: what `kubectl exec -it` needs."""
    seen: list[bytes] = []

    async def play(socket: ServerConnection) -> None:
        for _ in range(3):
            message = await socket.recv()
            assert isinstance(message, bytes)
            seen.append(message)
        await saying(b"\x01bye")(socket)

    async with (
        websockets_at(play) as server,
        client_of(server) as client,
        client.exec_stream("web", ["sh"], stdin=True, tty=True) as process,
    ):
        await process.resize(80, 24)
        await process.write_stdin(b"exit\n")
        await process.close_stdin()
        await process.close_stdin()
        output = await anext(process)
        code = await process.wait()

    assert (output.data, code) == (b"bye", 0)
    assert (seen[0][0], json.loads(seen[0][1:])) == (4, {"Width": 80, "Height": 24})
    assert seen[1:] == [b"\x00exit\n", b"\xff\x00"]


async def test_what_was_not_asked_for_cannot_be_used() -> None:
    """The server would ignore it, and the caller would wait for an effect."""
    async with (
        websockets_at(saying()) as server,
        client_of(server) as client,
        client.exec_stream("web", ["sh"]) as process,
    ):
        with pytest.raises(ValueError, match="open it with stdin=True"):
            await process.write_stdin(b"x")
        with pytest.raises(ValueError, match="ask for tty=True"):
            await process.resize(80, 24)


@pytest.mark.parametrize("size", [(0, 24), (80, -1), (80, 65536)])
async def test_a_size_that_is_none_is_refused(size: tuple[int, int]) -> None:
    """Servers drop the whole message silently."""
    async with (
        websockets_at(saying()) as server,
        client_of(server) as client,
        client.exec_stream("web", ["sh"], tty=True) as process,
    ):
        with pytest.raises(ValueError, match="not the size of a terminal"):
            await process.resize(*size)


async def test_a_server_that_forgets_to_hang_up_is_not_waited_for() -> None:
    """The exit code has come; only the goodbye is missing."""
    clock = VirtualClock()

    async def play(socket: ServerConnection) -> None:
        await saying(b"\x01out", status=ended(5))(socket)
        await socket.wait_closed()

    async with websockets_at(play) as server, client_of(server, clock) as client:
        running = asyncio.create_task(client.exec("web", ["x"]))
        await until(lambda: clock.sleepers >= 2)  # the keep-alive, and the wait for the goodbye
        await clock.advance(5)

        assert await running == ExecResult(b"out", b"", 5)


async def test_attach_speaks_to_the_process_that_runs_already() -> None:
    """The same channels at another address, and no command."""
    async with (
        websockets_at(saying(b"\x01hello")) as server,
        client_of(server) as client,
        client.attach("web", container="app", stdin=True) as process,
    ):
        output = [piece async for piece in process]

    assert output == [("stdout", b"hello")]
    assert server.targets == [
        "/api/v1/namespaces/shop/pods/web/attach?container=app&stdin=true&stdout=true&stderr=true"
    ]


async def test_a_command_as_one_text_is_refused() -> None:
    """It would be sent letter by letter; the message shows the way."""
    async with websockets_at(hang) as server, client_of(server) as client:
        with pytest.raises(TypeError, match=r"\['sh', '-c', 'ls -l'\]"):
            await client.exec("web", "ls -l")
        with pytest.raises(ValueError, match="which command"):
            client.exec_stream("web", [])
        assert server.targets == []


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (Status(status="Success"), 0),
        (Status(status="Failure", reason="NonZeroExitCode"), None),
        (Status(status="Failure", reason="Timeout", details=StatusDetails(causes=[])), None),
        (Status(), None),
    ],
)
def test_only_an_exit_code_is_taken_for_one(status: Status, code: int | None) -> None:
    """Anything else is a failure to run the command, not of the command."""
    assert exit_code_of(status) == code


@pytest.mark.parametrize("message", ["", "one", "1.5", "--1", "٣"])
def test_a_strange_exit_code_is_none(message: str) -> None:
    """Guessing 0 would turn a failure into a success."""
    causes = [StatusCause(reason="ExitCode", message=message)]
    status = Status(reason="NonZeroExitCode", details=StatusDetails(causes=causes))

    assert exit_code_of(status) is None
