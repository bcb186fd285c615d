"""A node in memory: containers that are a few lines of Python."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress

from kubewright.embedded.node.access import (
    AccessError,
    Command,
    LogOptions,
    Output,
    OutputStream,
    PodConnection,
)
from kubewright.embedded.pipe import Pipe
from kubewright.errors import TransportError

Program = Callable[["MemoryCommand"], Awaitable[int]]
Service = Callable[["MemoryConnection"], Awaitable[None]]


class MemoryCommand:
    """A command that is a coroutine: it reads `stdin`, and writes with `say`."""

    def __init__(self, program: Program) -> None:
        self.stdin = Pipe()
        self.sizes: list[tuple[int, int]] = []
        self.resized = asyncio.Event()
        self.closed = False
        self._output: asyncio.Queue[Output | None] = asyncio.Queue(maxsize=4)
        self._task = asyncio.create_task(self._run(program))

    async def _run(self, program: Program) -> int:
        try:
            return await program(self)
        finally:
            await self._output.put(None)

    async def say(self, data: bytes, stream: OutputStream = "stdout") -> None:
        await self._output.put(Output(stream, data))

    async def output(self) -> AsyncIterator[Output]:
        while (piece := await self._output.get()) is not None:
            yield piece

    async def write(self, data: bytes) -> None:
        with suppress(TransportError):
            await self.stdin.write(data)

    async def close_input(self) -> None:
        self.stdin.end()

    def resize(self, width: int, height: int) -> None:
        self.sizes.append((width, height))
        self.resized.set()

    async def wait(self) -> int:
        return await self._task

    async def close(self) -> None:
        self.closed = True
        while not self._task.done():
            self._task.cancel()
            while not self._output.empty():
                self._output.get_nowait()
            await asyncio.wait({self._task}, timeout=0.1)


class MemoryConnection:
    """One side of a connection to a pod."""

    def __init__(self, incoming: Pipe, outgoing: Pipe) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self.closed = False

    async def read(self) -> bytes:
        return await self._incoming.read()

    async def write(self, data: bytes) -> None:
        await self._outgoing.write(data)

    async def end(self) -> None:
        self._outgoing.end()

    async def close(self) -> None:
        self.closed = True
        self._outgoing.end()
        self._incoming.end()


class Containers:
    """A `ContainerAccess` in memory; what it does is in its attributes."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = [b"one\n", b"two\n"]
        self.log_error: AccessError | None = None
        self.more = asyncio.Event()
        self.asked: list[tuple[str, str, str, LogOptions]] = []
        self.log_closed = False
        self.programs: dict[str, Program] = {"cat": cat, "exit": leave, "both": both}
        self.commands: list[MemoryCommand] = []
        self.executed: list[tuple[tuple[str, ...], bool, bool]] = []
        self.services: dict[int, Service] = {7: echo}
        self.connections: list[MemoryConnection] = []
        self.tasks: set[asyncio.Task[None]] = set()
        self.started: asyncio.Queue[object] = asyncio.Queue()
        """Each command and each connection, for those who wait for one."""

    async def logs(
        self, namespace: str, pod: str, container: str, options: LogOptions
    ) -> AsyncIterator[bytes]:
        self.asked.append((namespace, pod, container, options))
        if self.log_error is not None:
            raise self.log_error
        try:
            for piece in self.pieces:
                yield piece
            if options.follow:
                await self.more.wait()
                yield b"more\n"
        finally:
            self.log_closed = True

    async def execute(
        self,
        namespace: str,
        pod: str,
        container: str,
        command: Sequence[str],
        *,
        stdin: bool = False,
        tty: bool = False,
    ) -> Command:
        self.executed.append((tuple(command), stdin, tty))
        return self._started(command[0])

    async def attach(
        self, namespace: str, pod: str, container: str, *, stdin: bool = False
    ) -> Command:
        return self._started("cat")

    def _started(self, name: str) -> MemoryCommand:
        program = self.programs.get(name)
        if program is None:
            raise AccessError(500, f'error executing command in container: "{name}": not found')
        command = MemoryCommand(program)
        self.commands.append(command)
        self.started.put_nowait(command)
        return command

    async def connect(self, namespace: str, pod: str, port: int) -> PodConnection:
        service = self.services.get(port)
        if service is None:
            raise AccessError(500, f"dial tcp4 127.0.0.1:{port}: connect: connection refused")
        up, down = Pipe(), Pipe()
        near, far = MemoryConnection(down, up), MemoryConnection(up, down)
        task = asyncio.create_task(self._serve(service, far))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        self.connections.append(near)
        self.started.put_nowait(near)
        return near

    async def _serve(self, service: Service, far: MemoryConnection) -> None:
        try:
            await service(far)
        except TransportError:
            pass
        finally:
            await far.close()

    async def stop(self) -> None:
        """End what still runs."""
        for command in self.commands:
            await command.close()
        for task in list(self.tasks):
            task.cancel()
        if self.tasks:
            await asyncio.wait(self.tasks)


async def cat(command: MemoryCommand) -> int:
    """Say what is read, to the end."""
    while data := await command.stdin.read():
        await command.say(data)
    return 0


async def idle(command: MemoryCommand) -> int:
    """Do nothing, and leave stdin to others."""
    await asyncio.Event().wait()
    return 0


async def leave(command: MemoryCommand) -> int:
    """End with 3."""
    await command.say(b"sorry\n", "stderr")
    return 3


async def both(command: MemoryCommand) -> int:
    """Write to both streams."""
    await command.say(b"out\n")
    await command.say(b"err\n", "stderr")
    return 0


async def echo(far: MemoryConnection) -> None:
    """Echo all data until the end."""
    while data := await far.read():
        await far.write(data)
