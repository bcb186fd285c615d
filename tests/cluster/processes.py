"""A node whose containers are processes of this machine; for tests only."""

import asyncio
import fcntl
import os
import signal
import struct
import termios
from collections.abc import AsyncIterator, Sequence

from kubewright.embedded.node.access import (
    AccessError,
    Command,
    Output,
    OutputStream,
    PodConnection,
)
from kubewright.embedded.proxy.relay import dial
from tests.unit.embedded.kubelet.containers import Containers


class ProcessCommand:
    """A process, with pipes or with a terminal."""

    def __init__(self, process: asyncio.subprocess.Process, terminal: int | None) -> None:
        self._process = process
        self._terminal = terminal

    async def output(self) -> AsyncIterator[Output]:
        if self._terminal is not None:
            while data := await _read_terminal(self._terminal):
                yield Output("stdout", data)
            return
        queue: asyncio.Queue[Output | None] = asyncio.Queue(maxsize=16)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        pumps = [
            asyncio.create_task(_pump(self._process.stdout, "stdout", queue)),
            asyncio.create_task(_pump(self._process.stderr, "stderr", queue)),
        ]
        try:
            left = len(pumps)
            while left:
                piece = await queue.get()
                if piece is None:
                    left -= 1
                else:
                    yield piece
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.wait(pumps)

    async def write(self, data: bytes) -> None:
        if self._terminal is not None:
            os.write(self._terminal, data)
            return
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(data)
            await self._process.stdin.drain()
        except ConnectionError:
            pass

    async def close_input(self) -> None:
        if self._terminal is not None:
            os.write(self._terminal, b"\x04")
        elif self._process.stdin is not None:
            self._process.stdin.close()

    def resize(self, width: int, height: int) -> None:
        if self._terminal is not None:
            fcntl.ioctl(
                self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0)
            )

    async def wait(self) -> int:
        return await self._process.wait()

    async def close(self) -> None:
        if self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        for stream in (self._process.stdout, self._process.stderr):
            while stream is not None and await stream.read(1024 * 1024):
                pass  # asyncio does not call a process ended before its pipes are
        await self._process.wait()
        if self._terminal is not None:
            os.close(self._terminal)
            self._terminal = None


class ProcessContainers(Containers):
    """Runs commands as processes; its ports are those of loopback."""

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
        pipe = asyncio.subprocess.PIPE
        terminal = None
        try:
            if tty:
                terminal, inner = os.openpty()
                process = await asyncio.create_subprocess_exec(
                    *command, stdin=inner, stdout=inner, stderr=inner, start_new_session=True
                )
                os.close(inner)
            else:
                source = pipe if stdin else asyncio.subprocess.DEVNULL
                process = await asyncio.create_subprocess_exec(
                    *command,
                    stdin=source,
                    stdout=pipe,
                    stderr=pipe,
                    limit=1024 * 1024,
                    start_new_session=True,
                )
        except FileNotFoundError:
            raise AccessError(500, f"executable file not found: {command[0]}") from None
        return ProcessCommand(process, terminal)

    async def connect(self, namespace: str, pod: str, port: int) -> PodConnection:
        try:
            return await dial("127.0.0.1", port)
        except OSError as error:
            raise AccessError(500, f"dial tcp4 127.0.0.1:{port}: {error.strerror}") from None


async def _pump(
    source: asyncio.StreamReader, name: OutputStream, queue: "asyncio.Queue[Output | None]"
) -> None:
    while data := await source.read(256 * 1024):
        await queue.put(Output(name, data))
    await queue.put(None)


async def _read_terminal(terminal: int) -> bytes:
    try:
        return await asyncio.to_thread(os.read, terminal, 65536)
    except OSError:  # the other side is closed
        return b""
