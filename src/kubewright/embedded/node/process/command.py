"""Local processes of a container: its own, and commands that are run in it."""

import asyncio
import fcntl
import os
import pty
import struct
import termios
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from kubewright._aio import Clock
from kubewright.embedded.node.access import Command, Output, OutputStream
from kubewright.embedded.node.files import read_regular
from kubewright.embedded.node.host import new_id
from kubewright.embedded.node.logs import Log
from kubewright.embedded.node.process.layout import rewritten
from kubewright.embedded.node.process.streams import Pump, write_all
from kubewright.embedded.node.process.supervision import Start, Supervision
from kubewright.embedded.node.runtime import ContainerError, Exit, OnExit, ProbeKind

__all__ = ["ProcessCommand", "ProcessContainer"]

LINGER: float = 1.0
"""Seconds that output may take to arrive after the end of the process."""
LONGEST_WORDS: int = 4096
MOST_WAITING: int = 64
"""Pieces of output that may wait for a reader before we stop reading from the process."""


class Streams:
    """The three streams of a process: pipes, or a terminal.

    Attributes:
        theirs: The ends that the process gets.
        input: Where to write what it reads; ``None`` if it reads nothing.
        outputs: What to read, by stream.
        terminal: The terminal, if it is one.
    """

    def __init__(self, *, stdin: bool, tty: bool) -> None:
        self.input: int | None = None
        self.terminal: int | None = None
        self.outputs: dict[OutputStream, int] = {}
        if tty:
            ours, theirs = pty.openpty()
            os.set_blocking(ours, False)
            self.terminal, self.outputs["stdout"] = ours, ours
            self.input = os.dup(ours) if stdin else None
            self.theirs: tuple[int, int, int] = (theirs, os.dup(theirs), os.dup(theirs))
            return
        if stdin:
            reading, self.input = os.pipe()
            os.set_blocking(self.input, False)
        else:
            reading = os.open(os.devnull, os.O_RDONLY)
        self.outputs["stdout"], out = os.pipe()
        self.outputs["stderr"], err = os.pipe()
        self.theirs = (reading, out, err)

    def close_theirs(self) -> None:
        """Close the ends of the process, once it has them."""
        for file in self.theirs:
            os.close(file)

    def close(self) -> None:
        """Close our ends."""
        for file in self.outputs.values():
            with suppress(OSError):
                os.close(file)
        self.close_input()

    def close_input(self) -> None:
        """Close the input of the process."""
        file, self.input = self.input, None
        if file is not None:
            with suppress(OSError):
                if self.terminal is not None:
                    os.write(file, b"\x04")  # the end of input on a terminal
                os.close(file)

    async def write(self, data: bytes) -> None:
        """Write to the input of the process; data that nobody reads is dropped."""
        if self.input is not None:
            with suppress(OSError):
                await write_all(self.input, data)

    def resize(self, width: int, height: int) -> None:
        """Set the size of the terminal."""
        if self.terminal is not None:
            with suppress(OSError):
                size = struct.pack("HHHH", height, width, 0, 0)
                fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, size)


class _Process:
    """A process under the supervisor, whose output is read and passed on."""

    def __init__(self, id_: str, start: Start, *, supervision: Supervision, clock: Clock) -> None:
        self.id: str = id_
        self._start = start
        self._supervision = supervision
        self._clock = clock
        self._streams: Streams | None = None
        self._pumps: dict[OutputStream, Pump] = {}
        self._exit: Exit | None = None
        self._over = asyncio.Event()

    async def _launch(self, *, stdin: bool, tty: bool) -> None:
        self._streams = streams = Streams(stdin=stdin, tty=tty)
        try:
            await self._supervision.start(self.id, self._start, streams.theirs, self._note_exit)
        except BaseException:
            streams.close()
            raise
        finally:
            streams.close_theirs()
        for stream, file in streams.outputs.items():
            self._pumps[stream] = Pump(file, lambda data, to=stream: self._note_output(to, data))  # type: ignore[misc]

    def _note_output(self, stream: OutputStream, data: bytes) -> None:
        if data:
            self._take(stream, data)
            return
        self._pumps.pop(stream, None)
        self._maybe_over()

    def _note_exit(self, how: Exit) -> None:
        self._exit = how
        if self._pumps:
            # A process that has escaped from the supervisor may hold the other end for ever.
            self._clock.call_later(LINGER, self._cut)
        self._maybe_over()

    def _cut(self) -> None:
        for pump in list(self._pumps.values()):
            pump.drain()

    def _maybe_over(self) -> None:
        if self._exit is not None and not self._pumps and not self._over.is_set():
            self._over.set()
            if self._streams is not None:
                self._streams.close_input()
            self._finish(self._exit)

    def _take(self, stream: OutputStream, data: bytes) -> None:
        raise NotImplementedError

    def _finish(self, how: Exit) -> None:
        raise NotImplementedError

    async def wait(self) -> int:
        """Wait for its end and return the exit code."""
        await self._over.wait()
        assert self._exit is not None
        return self._exit.code

    def signal(self, number: int) -> None:
        """Send a signal to it; nothing if it has ended."""
        self._supervision.signal(self.id, number)


class ProcessCommand(_Process):
    """A command that runs in a container."""

    def __init__(self, id_: str, start: Start, *, supervision: Supervision, clock: Clock) -> None:
        super().__init__(id_, start, supervision=supervision, clock=clock)
        self._output: asyncio.Queue[Output | None] = asyncio.Queue()

    async def start(self, *, stdin: bool, tty: bool) -> None:
        """Start it.

        Raises:
            ContainerError: It cannot be started.
        """
        await self._launch(stdin=stdin, tty=tty)

    def _take(self, stream: OutputStream, data: bytes) -> None:
        self._output.put_nowait(Output(stream, data))
        if self._output.qsize() >= MOST_WAITING:
            for pump in self._pumps.values():
                pump.pause()

    def _finish(self, how: Exit) -> None:
        self._output.put_nowait(None)

    async def output(self) -> AsyncIterator[Output]:
        """Yield what it writes, until it has closed both streams."""
        while (piece := await self._output.get()) is not None:
            if self._output.empty():
                for pump in self._pumps.values():
                    pump.resume()
            yield piece

    async def write(self, data: bytes) -> None:
        """Write to its standard input; data that nobody reads is dropped."""
        assert self._streams is not None
        await self._streams.write(data)

    async def close_input(self) -> None:
        """Close its standard input."""
        assert self._streams is not None
        self._streams.close_input()

    def resize(self, width: int, height: int) -> None:
        """Set the size of its terminal, if it has one."""
        assert self._streams is not None
        self._streams.resize(width, height)

    async def close(self) -> None:
        """End it if it still runs; may be called twice."""
        if self._exit is None:
            self.signal(9)
        self._cut()


class ProcessContainer(_Process):
    """A container that is a process.

    Args:
        id_: The id of its launch.
        start: What to start.
        supervision: What starts it.
        log: Where its output goes.
        last_words: The file of its termination message.
        places: Where its mount paths really are, for commands that name them.
        clock: Where time comes from.
    """

    def __init__(  # noqa: PLR0913  # what a container needs
        self,
        id_: str,
        start: Start,
        *,
        supervision: Supervision,
        log: Log,
        last_words: Path,
        places: Mapping[str, Path] | None = None,
        clock: Clock,
    ) -> None:
        super().__init__(id_, start, supervision=supervision, clock=clock)
        self._log = log
        self._places = places or {}
        self._last_words = last_words
        self._on_exit: OnExit = lambda _: None
        self._listeners: set[asyncio.Queue[Output | None]] = set()
        self._stdin_once = False

    async def start(self, on_exit: OnExit, *, stdin: bool, stdin_once: bool = False) -> None:
        """Start it; *on_exit* is called when it has ended and all it wrote is in the log.

        Raises:
            ContainerError: It cannot be started.
        """
        self._on_exit = on_exit
        self._stdin_once = stdin_once
        await self._launch(stdin=stdin, tty=self._start.terminal)

    def _take(self, stream: OutputStream, data: bytes) -> None:
        self._log.write(stream, data)
        for listener in self._listeners:
            listener.put_nowait(Output(stream, data))
        if self._is_ahead:
            for pump in self._pumps.values():
                pump.pause()

    @property
    def _is_ahead(self) -> bool:
        """Whether a listener is too far behind."""
        return any(listener.qsize() >= MOST_WAITING for listener in self._listeners)

    def go_on(self) -> None:
        """Read its output again, if all listeners have caught up."""
        if not self._is_ahead:
            for pump in self._pumps.values():
                pump.resume()

    def _finish(self, how: Exit) -> None:
        self._log.close()
        for listener in self._listeners:
            listener.put_nowait(None)
        words = ""
        with suppress(OSError):
            words = read_regular(self._last_words, LONGEST_WORDS).decode("utf-8", "replace")
        self._on_exit(replace(how, message=words))

    @property
    def is_simulated(self) -> bool:
        """Whether it only pretends to run."""
        return False

    def probe_answer(self, kind: ProbeKind) -> bool | None:
        """Return ``None``: probes run for real."""
        return None

    async def execute(
        self, command: Sequence[str], *, stdin: bool = False, tty: bool = False
    ) -> Command:
        """Start another command in its folder, with its variables."""
        from kubewright.embedded.node.process.runtime import find_program

        words = [rewritten(word, self._places) for word in command]
        folder = self._start.folder
        environment = dict(self._start.environment)
        if tty:
            environment.setdefault("TERM", "xterm")
        start = Start(
            find_program(words[0], environment, Path(folder)),
            words,
            folder,
            environment,
            terminal=tty,
        )
        if self._exit is not None:
            raise ContainerError("RunContainerError", "the container has ended")
        made = ProcessCommand(new_id(), start, supervision=self._supervision, clock=self._clock)
        await made.start(stdin=stdin, tty=tty)
        return made

    async def attach(self, *, stdin: bool = False) -> Command:
        """Return its own process, to read its output and write its input."""
        return _Attached(self, stdin=stdin)

    def listen(self) -> "asyncio.Queue[Output | None]":
        """Return a queue of what it writes from now on; ``None`` at the end."""
        queue: asyncio.Queue[Output | None] = asyncio.Queue()
        self._listeners.add(queue)
        if self._over.is_set():
            queue.put_nowait(None)
        return queue

    def leave(self, queue: "asyncio.Queue[Output | None]") -> None:
        """Stop writing to this queue."""
        self._listeners.discard(queue)
        self.go_on()

    async def write(self, data: bytes) -> None:
        """Write to its standard input."""
        if self._streams is not None:
            await self._streams.write(data)

    def close_input(self) -> None:
        """Close its standard input, if it has ``stdinOnce``."""
        if self._stdin_once and self._streams is not None:
            self._streams.close_input()

    def resize(self, width: int, height: int) -> None:
        """Set the size of its terminal."""
        if self._streams is not None:
            self._streams.resize(width, height)


class _Attached:
    """The process of a container, as a client that attaches sees it."""

    def __init__(self, container: ProcessContainer, *, stdin: bool) -> None:
        self._container = container
        self._stdin = stdin
        self._output = container.listen()

    async def output(self) -> AsyncIterator[Output]:
        """Yield what it writes from now on."""
        while (piece := await self._output.get()) is not None:
            self._container.go_on()
            yield piece

    async def write(self, data: bytes) -> None:
        """Write to its standard input."""
        if self._stdin:
            await self._container.write(data)

    async def close_input(self) -> None:
        """Close its input, if it has ``stdinOnce``."""
        if self._stdin:
            self._container.close_input()

    def resize(self, width: int, height: int) -> None:
        """Set the size of its terminal, if it has one."""
        self._container.resize(width, height)

    async def wait(self) -> int:
        """Wait for its end and return the exit code."""
        return await self._container.wait()

    async def close(self) -> None:
        """Detach from it; it runs on."""
        self._container.leave(self._output)
        self._output.put_nowait(None)
