"""Runs an exec plugin to its end, and makes sure that no process is left behind."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

MAX_OUTPUT = 1 << 20
"""Bytes of output that are kept; an ExecCredential is a few thousand."""
_MAX_COMPLAINT = 2000


class Ended(NamedTuple):
    """The result of a process: its exit code, output and error output."""

    code: int
    output: bytes
    stderr: bytes

    @property
    def complaint(self) -> str:
        """The end of what it wrote to standard error, as the end of a sentence."""
        text = printable(self.stderr.decode(errors="replace").strip())
        return f". It says:\n{text}" if text else ", and says nothing on its standard error."


async def run(command: Sequence[str], env: Mapping[str, str], *, tty: bool) -> Ended:
    """Run *command* and wait for its end. Cancelling kills it and its children.

    Args:
        command: The path of the program, and its arguments.
        env: Its whole environment.
        tty: Leave it standard input and the terminal, so that it can talk to a person.

    Raises:
        OSError: It cannot be started.
    """
    process = await _start(command, env, tty=tty)
    reading = asyncio.ensure_future(_read_all(process))
    try:
        return await asyncio.shield(reading)
    finally:
        if not reading.done():
            await _end(process, reading, group=not tty)


async def _start(command: Sequence[str], env: Mapping[str, str], *, tty: bool) -> Process:
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *command,
            stdin=None if tty else DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env=env,
            # A session of its own, so that its children end with it. Not when it talks to a
            # person: outside the terminal's session it could not read the terminal.
            start_new_session=not tty,
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        # asyncio waits for ever if it is cancelled before it has connected the pipes, and does not
        # track children. A start takes milliseconds: let it finish, then end it properly.
        await asyncio.wait({starting})
        if not starting.exception():
            process = starting.result()
            reading = asyncio.ensure_future(_read_all(process))
            await _end(process, reading, group=not tty)
        raise


async def _end(process: Process, reading: "asyncio.Future[Ended]", *, group: bool) -> None:
    """Kill *process*, and everything in its session when it is a *group*."""
    with suppress(ProcessLookupError, PermissionError):
        if group:
            os.killpg(process.pid, signal.SIGKILL)  # the plugin may be gone, its children not
        else:
            process.kill()
    # Its pipes close with it. Wait one second of real time, in case a daemon that left the session
    # keeps them open; then we close our side.
    await asyncio.wait({reading}, timeout=1.0)
    if not reading.done():
        reading.cancel()
        process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001  # no other way
    await asyncio.gather(reading, return_exceptions=True)


def printable(text: str) -> str:
    """Return *text* with escape sequences made harmless: it goes to a terminal."""
    return "".join(
        char if char.isprintable() or char in "\t\n" else f"U+{ord(char):04X}" for char in text
    )


async def _read_all(process: Process) -> Ended:
    assert process.stdout is not None
    assert process.stderr is not None
    async with asyncio.TaskGroup() as group:
        output = group.create_task(_read_output(process.stdout))
        stderr = group.create_task(_pass_on(process.stderr))
        code = group.create_task(process.wait())
    return Ended(code.result(), output.result(), stderr.result())


async def _read_output(stream: asyncio.StreamReader) -> bytes:
    """Read to the end, so that the plugin never blocks; keep no more than is worth parsing."""
    output = b""
    while chunk := await stream.read(65536):
        if len(output) <= MAX_OUTPUT:
            output += chunk
    return output


async def _pass_on(stream: asyncio.StreamReader) -> bytes:
    """Pass the plugin's error output on as it arrives: it may ask the user to log in."""
    tail = b""
    while chunk := await stream.read(4096):
        with suppress(OSError, ValueError, AttributeError):  # a daemon may have no stderr
            sys.stderr.write(chunk.decode(errors="replace"))
            sys.stderr.flush()
        tail = (tail + chunk)[-_MAX_COMPLAINT:]
    return tail
