"""`Supervision`: the node's side of the supervisor, which starts and ends processes."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from kubewright.embedded.node.process import supervisor
from kubewright.embedded.node.runtime import ContainerError, Exit, OnExit

__all__ = ["Start", "Supervision"]

LARGEST: int = 64 * 1024
KILLED: Exit = Exit(137, 9)


class Start(Struct, frozen=True):
    """A process to start.

    Attributes:
        executable: The file to run.
        command: Its name and arguments, as it sees them.
        folder: Where it begins.
        environment: Its variables.
        terminal: Whether its streams are a terminal.
        owns: Whether all processes with the mark in its environment end with it.
    """

    executable: str
    command: Sequence[str]
    folder: str
    environment: Mapping[str, str]
    terminal: bool = False
    owns: bool = False


class Supervision:
    """Starts processes in a supervisor, and is told how they end.

    Args:
        folder: The folder that the supervisor removes when it ends.
    """

    def __init__(self, folder: Path) -> None:
        self.folder: Path = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._starting: dict[str, asyncio.Future[int]] = {}
        self._running: dict[str, OnExit] = {}
        self.on_lost: Callable[[], None] = lambda: None
        """Called when the supervisor has ended by itself."""

    def open(self) -> None:
        """Start the supervisor."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603  # our own program
                [sys.executable, "-I", "-S", supervisor.__file__, str(self.folder)],
                stdin=theirs.fileno(),
                start_new_session=True,
            )
        self._socket = ours
        asyncio.get_running_loop().add_reader(ours, self._hear)

    @property
    def pid(self) -> int:
        """The process of the supervisor."""
        assert self._process is not None
        return self._process.pid

    async def close(self) -> None:
        """End the supervisor and everything that it has started."""
        self._leave()
        process, self._process = self._process, None
        if process is not None:
            await asyncio.get_running_loop().run_in_executor(None, process.wait)

    async def start(
        self, id_: str, start: Start, streams: tuple[int, int, int], on_exit: OnExit
    ) -> None:
        """Start a process; *on_exit* is called when it has ended.

        Args:
            id_: A unique name for it.
            start: What to start.
            streams: Its standard input, output and error; the caller closes them.
            on_exit: Called once, unless this raises.

        Raises:
            ContainerError: It cannot be started.
        """
        if self._socket is None:
            raise ContainerError("RunContainerError", "the supervisor of processes does not run")
        started: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._starting[id_], self._running[id_] = started, on_exit
        try:
            with tempfile.TemporaryFile() as file:  # a few bytes, in memory mostly
                file.write(json.dumps(_document(start)).encode())
                file.seek(0)
                message = json.dumps({"op": "start", "id": id_}).encode()
                socket.send_fds(self._socket, [message], [file.fileno(), *streams])
            await started
        except BaseException as error:
            self._running.pop(id_, None)
            if isinstance(error, OSError):
                raise ContainerError("RunContainerError", str(error)) from error
            raise
        finally:
            self._starting.pop(id_, None)

    def signal(self, id_: str, number: int) -> None:
        """Send a signal to a process; nothing if it has ended."""
        if self._socket is not None and id_ in self._running:
            message = {"op": "signal", "id": id_, "number": int(number)}
            with suppress(OSError):
                self._socket.send(json.dumps(message).encode())

    def _hear(self) -> None:
        assert self._socket is not None
        try:
            data = self._socket.recv(LARGEST, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._note(json.loads(data))
        else:
            self._lose()

    def _note(self, message: dict[str, Any]) -> None:
        id_ = message["id"]
        starting = self._starting.get(id_)
        if "pid" in message:
            if starting is not None and not starting.done():
                starting.set_result(message["pid"])
        elif "error" in message:
            if starting is not None and not starting.done():
                starting.set_exception(ContainerError("StartError", message["error"], ended=True))
        else:
            on_exit = self._running.pop(id_, None)
            if on_exit is not None:
                on_exit(Exit(message["code"], message["signal"]))

    def _leave(self) -> None:
        ours, self._socket = self._socket, None
        if ours is not None:
            asyncio.get_running_loop().remove_reader(ours)
            ours.close()

    def _lose(self) -> None:
        """Recover after somebody has killed the supervisor."""
        self._leave()
        kill_marked(str(self.folder))
        if self._process is not None:
            self._process.wait()  # its socket closes just before it ends
        starting, running = dict(self._starting), dict(self._running)
        self._running.clear()
        for future in starting.values():
            if not future.done():
                # The same message each time: a changed status would trigger the next try at once.
                problem = "the supervisor of processes was killed"
                future.set_exception(ContainerError("RunContainerError", problem))
        for id_, on_exit in running.items():
            if id_ not in starting:
                on_exit(KILLED)
        self.on_lost()


def _document(start: Start) -> dict[str, Any]:
    return {
        "executable": start.executable,
        "command": list(start.command),
        "folder": start.folder,
        "environment": dict(start.environment),
        "terminal": start.terminal,
        "owns": start.owns,
    }


def kill_marked(folder: str) -> None:
    """Kill every process of this machine whose root lies in *folder*."""
    mark = f"KUBEWRIGHT_NODE={folder}".encode()
    for pid in supervisor.kinship():
        if pid != os.getpid() and supervisor.is_marked(pid, mark):
            supervisor.kill(pid)
