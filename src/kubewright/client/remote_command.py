"""Commands in containers: exec and attach, over a websocket of numbered channels."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Literal, NamedTuple, Self

import msgspec

from kubewright import _json
from kubewright._aio import Clock
from kubewright.api.requests import Place, Request
from kubewright.client.rest import RESTClient
from kubewright.client.websocket import WebSocket, open_websocket
from kubewright.errors import (
    DecodeError,
    KubewrightError,
    Status,
    TransportError,
    TransportTimeoutError,
    api_error,
)
from kubewright.log import get_logger

_log = get_logger(__name__)

LIMIT_BYTES = 64 * 1024 * 1024
"""How much output is kept in memory by default."""

_V5 = "v5.channel.k8s.io"  # Kubernetes 1.30 and newer: it can close stdin
_V4 = "v4.channel.k8s.io"
_STDIN, _STDOUT, _STDERR, _ERROR, _RESIZE, _CLOSE = 0, 1, 2, 3, 4, 255
_CHUNK = 32 * 1024  # of stdin; what servers themselves read at a time
_LONGEST_STATUS = 64 * 1024
_GOODBYE = 5.0  # seconds that a server has to close the connection after the exit code
_LARGEST_SIZE = 65535  # of a terminal; servers read 16 bits
_SHOWN = 500  # characters of stderr in an error

StreamName = Literal["stdout", "stderr"]
Stdin = bytes | str | AsyncIterable[bytes]

_is_exit_code = re.compile(r"-?[0-9]{1,10}").fullmatch

_STREAMS: dict[int, StreamName] = {_STDOUT: "stdout", _STDERR: "stderr"}


class Output(NamedTuple):
    """A piece of a command's output, cut anywhere, even inside a character."""

    stream: StreamName
    data: bytes


class ExecResult(msgspec.Struct, frozen=True):
    """The result of a command: its output and exit code."""

    stdout: bytes
    stderr: bytes
    exit_code: int

    @property
    def text(self) -> str:
        """Its standard output as text; invalid bytes are replaced."""
        return self.stdout.decode("utf-8", "replace")


class CommandError(KubewrightError):
    """A command in a container ended with an exit code other than 0.

    Attributes:
        command: What was run, and where.
        result: Its output and its exit code.
    """

    def __init__(self, command: str, result: ExecResult) -> None:
        self.command = command
        self.result = result
        super().__init__(command, result)  # copy and pickle rebuild from args

    def __str__(self) -> str:
        said = (self.result.stderr or self.result.stdout).decode("utf-8", "replace").strip()
        tail = f"…{said[-_SHOWN:]}" if len(said) > _SHOWN else said
        ended = f"{self.command} ended with exit code {self.result.exit_code}"
        return f"{ended}: {tail}" if tail else ended


class RemoteProcess:
    """A command that runs in a container, or a container's own process.

    Iterate over it for its output as it arrives: ``async for stream, data in process:``. Nothing is
    read ahead, so a slow reader slows the command down. While a lot is written to its stdin,
    another task must read its output, or both sides end up waiting.

    Closing the connection does not end the command: Kubernetes lets it run on, unless it has a
    terminal or stops because its stdin or stdout is gone.
    """

    def __init__(self, socket: WebSocket, *, stdin: bool, tty: bool, clock: Clock) -> None:
        self._socket = socket
        self._stdin_open = stdin
        self._tty = tty
        self._clock = clock
        self._said = b""
        self._status: Status | None = None
        self._over = False

    @property
    def can_close_stdin(self) -> bool:
        """Whether `close_stdin` can work: servers before Kubernetes 1.30 do not know how."""
        return self._socket.subprotocol == _V5

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Output:
        while (message := await self._message()) is not None:
            data = message[1:]
            if not data:  # servers open each channel with an empty message
                continue
            channel = message[0]
            if (stream := _STREAMS.get(channel)) is not None:
                return Output(stream, data)
            if channel == _ERROR:
                self._note_end(data)
        self._exit_code()
        raise StopAsyncIteration

    async def wait(self) -> int:
        """Drop the remaining output, and return the exit code.

        Raises:
            APIError: The command could not be run.
            TransportError: The connection broke before the command ended.
        """
        async for _ in self:
            pass
        return self._exit_code()

    async def write_stdin(self, data: bytes) -> None:
        """Send *data* to the command's stdin; waits while the command is slow to read it.

        Raises:
            ValueError: Its stdin is not open.
            TransportError: The command has ended, or the connection broke.
        """
        if not self._stdin_open:
            raise ValueError(f"cannot {self._attempt}: stdin is closed; open it with stdin=True")
        for start in range(0, len(data), _CHUNK):
            await self._socket.send(bytes([_STDIN]) + data[start : start + _CHUNK])

    async def close_stdin(self) -> None:
        """Close the command's stdin; does nothing if it is closed already.

        Raises:
            TransportError: The server is older than Kubernetes 1.30 and has no way to do it; see
                `can_close_stdin`. Leaving the block still closes the whole connection.
        """
        if not self._stdin_open:
            return
        if not self.can_close_stdin:
            raise TransportError(
                f"cannot {self._attempt}: the server is older than Kubernetes 1.30 and cannot"
                " close stdin alone. Let the command stop by itself, such as `head -c 100`."
            )
        self._stdin_open = False
        await self._socket.send(bytes([_CLOSE, _STDIN]))

    async def resize(self, width: int, height: int) -> None:
        """Tell the terminal its size, in characters.

        Raises:
            ValueError: There is no terminal, or the size is invalid.
        """
        if not self._tty:
            raise ValueError(f"cannot {self._attempt}: no terminal to resize; ask for tty=True")
        if not 0 < min(width, height) <= max(width, height) <= _LARGEST_SIZE:
            raise ValueError(f"not the size of a terminal: {width}x{height}")
        size = _json.encode({"Width": width, "Height": height})
        await self._socket.send(bytes([_RESIZE]) + size)

    # --- How it ends ---

    @property
    def _attempt(self) -> str:
        return str(self._socket.attempt)

    async def _message(self) -> bytes | None:
        """Return the next message; ``None`` at the end."""
        if self._over:
            return None
        if self._status is None:
            message = await self._socket.receive()
        else:
            message = await self._last_message()
        self._over = message is None
        return message

    async def _last_message(self) -> bytes | None:
        # The command has ended, so how the connection ends no longer matters.
        try:
            async with self._clock.timeout(_GOODBYE):
                return await self._socket.receive()
        except (TransportError, TimeoutError):
            return None

    def _note_end(self, data: bytes) -> None:
        self._said = (self._said + data)[:_LONGEST_STATUS]
        try:
            self._status = _json.decode(self._said, Status)
        except DecodeError:
            return  # the rest may arrive in another message

    def _exit_code(self) -> int:
        status = self._status
        if status is None and self._said:
            text = self._said.decode("utf-8", "replace")
            status = Status(status="Failure", message=text, code=500)
        if status is None:
            raise TransportError(
                f"cannot {self._attempt}: the connection was closed before the exit code came."
                " The command may still be running.",
                lost=True,
            )
        code = exit_code_of(status)
        if code is None:
            raise api_error(self._socket.attempt, status)
        return code


def exit_code_of(status: Status) -> int | None:
    """Return the exit code that *status* reports; ``None`` if it reports another failure."""
    if status.status == "Success":
        return 0
    if status.reason == "NonZeroExitCode" and status.details is not None:
        for cause in status.details.causes or ():
            if cause.reason == "ExitCode" and _is_exit_code(cause.message):
                return int(cause.message)
    return None


def exec_request(
    place: Place, command: Sequence[str] | None, *, container: str, stdin: bool, tty: bool
) -> Request:
    """Return the request that runs *command* at *place*, or attaches there if it is ``None``.

    Raises:
        TypeError: The command is one text, not a list of words.
        ValueError: It is empty.
    """
    if isinstance(command, str):
        raise TypeError(
            f"not a command: {command!r}; no shell splits it. Give its words as a list, or"
            f" ['sh', '-c', {command!r}]"
        )
    if command is not None and not command:
        raise ValueError("which command? The list of its words is empty")
    flags = {
        "container": container,
        "stdin": "true" if stdin else "",
        "stdout": "true",
        "stderr": "" if tty else "true",  # a terminal has one output; servers refuse both
        "tty": "true" if tty else "",
    }
    query = [("command", word) for word in command or ()]
    query += [(name, value) for name, value in flags.items() if value]
    return place.request("GET", "create", query, accept="*/*")


@asynccontextmanager
async def open_process(
    rest: RESTClient, request: Request, *, stdin: bool, tty: bool
) -> AsyncIterator[RemoteProcess]:
    """Start the command of *request*, and close the connection at the end of the block."""
    async with open_websocket(rest, request, subprotocols=(_V5, _V4)) as socket:
        yield RemoteProcess(socket, stdin=stdin, tty=tty, clock=rest.clock)


async def run_command(
    rest: RESTClient,
    request: Request,
    *,
    stdin: Stdin | None,
    tty: bool,
    seconds: float | None,
    limit_bytes: int | None,
) -> ExecResult:
    """Run a command to its end and return its result."""
    timeout = rest.clock.timeout(seconds)
    try:
        async with (
            timeout,
            open_process(rest, request, stdin=stdin is not None, tty=tty) as process,
        ):
            return await _communicate(process, stdin, limit_bytes)
    except TimeoutError:
        if not timeout.expired:
            raise
        raise TransportTimeoutError(
            f"cannot {request.attempt}: the command had not ended after {seconds:g} seconds."
            " It may still be running."
        ) from None


async def _communicate(
    process: RemoteProcess, stdin: Stdin | None, limit: int | None
) -> ExecResult:
    """Read all output while another task writes stdin: either side may wait for the other."""
    if stdin is None:
        return await _collect(process, limit)
    feeding = asyncio.create_task(_feed(process, stdin), name="stdin of exec")
    collecting = asyncio.create_task(_collect(process, limit), name="output of exec")
    try:
        done, _ = await asyncio.wait({feeding, collecting}, return_when=asyncio.FIRST_COMPLETED)
        if feeding in done:
            feeding.result()  # if the caller's own iterator failed, the caller must know
        return await collecting
    finally:
        feeding.cancel()
        collecting.cancel()
        await asyncio.wait({feeding, collecting})


async def _collect(process: RemoteProcess, limit: int | None) -> ExecResult:
    output: dict[StreamName, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}
    async for stream, data in process:
        output[stream] += data
        if limit is not None and sum(map(len, output.values())) > limit:
            raise TransportError(
                f"cannot {process._attempt}: the command wrote more than {limit} bytes."  # noqa: SLF001  # its own module
                " Raise limit_bytes, or read the output as it comes with exec_stream."
            )
    return ExecResult(bytes(output["stdout"]), bytes(output["stderr"]), await process.wait())


async def _feed(process: RemoteProcess, stdin: Stdin) -> None:
    # The command may end without reading all input, and its exit code says how it went: so it is
    # not a failure if the server accepts no more. Errors of the caller's iterator are raised.
    async with aclosing(_pieces(stdin)) as pieces:
        async for data in pieces:
            try:
                await process.write_stdin(data)
            except TransportError:
                return
    if not process.can_close_stdin:
        _log.warning("the server cannot close stdin: a command that reads to its end will wait")
        return
    with suppress(TransportError):
        await process.close_stdin()


async def _pieces(stdin: Stdin) -> AsyncGenerator[bytes, None]:
    if isinstance(stdin, str):
        yield stdin.encode()
    elif isinstance(stdin, bytes):
        yield stdin
    else:
        async for data in stdin:
            yield data
