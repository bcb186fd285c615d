"""Starts the processes of a node, and sees to it that none of them outlives it.

Run as a script: ``python supervisor.py FOLDER``. Its standard input is a socket to the node, on
which each message is one packet of JSON. When the other end closes, because the node closed it or
died, everything that was ever started here is killed, and FOLDER is removed.

It is the parent of all containers, and of the processes that they leave behind: as a "child
subreaper" it inherits processes that have made themselves daemons. A process of its own can do this
even when the node is killed with SIGKILL. Standard library only: this file is run, not imported.

Messages to it:
    {"op": "start", "id": …} with four files: what to start as JSON, and its three streams
    {"op": "signal", "id": …, "number": …}
Messages from it:
    {"id": …, "pid": …}, or {"id": …, "error": …} if it could not be started
    {"id": …, "code": …, "signal": …} when it has ended, and all that carries its mark with it
"""

import ctypes
import fcntl
import json
import os
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
MARK = "KUBEWRIGHT_CONTAINER"
LARGEST = 64 * 1024
LOOKS = 100
LOOK_EVERY = 0.002


class Kinship(NamedTuple):
    """The parent and session of a process, and when it began: its pid alone may be used again."""

    parent: int
    session: int
    began: int


def kinship() -> dict[int, Kinship]:
    """Return the kinship of every process of this machine, except for zombies."""
    result = {}
    for name in os.listdir("/proc"):  # noqa: PTH208  # as below
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123  # loads nothing more
                    # The name of the program is in brackets, and may hold anything.
                    fields = file.read().rpartition(b")")[2].split()
                if fields[0] != b"Z":
                    result[int(name)] = Kinship(int(fields[1]), int(fields[3]), int(fields[19]))
            except (OSError, IndexError, ValueError):
                continue
    return result


def descendants(root: int) -> Iterator[int]:
    """Yield every process below *root*."""
    return below([root], kinship())


def below(roots: Iterable[int], known: Mapping[int, Kinship]) -> Iterator[int]:
    """Yield every process below one of *roots*."""
    children: dict[int, list[int]] = {}
    for pid, kin in known.items():
        children.setdefault(kin.parent, []).append(pid)
    waiting = [pid for root in roots for pid in children.get(root, [])]
    while waiting:
        pid = waiting.pop()
        yield pid
        waiting += children.get(pid, [])


def is_marked(pid: int, mark: bytes) -> bool:
    """Return whether a process has *mark* in its environment."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123  # as above
            return mark in file.read().split(b"\0")
    except OSError:
        return False


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    """Send a signal to a process that may be gone."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def remove_tree(folder: str | os.PathLike[str]) -> None:
    """Remove a folder, also if some of it was made unwritable, as compilers like to do.

    A pod may have put a link in its place. That is removed, and what it leads to is left alone.
    """
    if not os.path.isdir(folder) or os.path.islink(folder):  # noqa: PTH112, PTH114  # as above
        with suppress(OSError):
            os.unlink(folder)  # noqa: PTH108  # as above
        return
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:  # folders in folders, thousands of them
        with suppress(OSError):
            subprocess.run(["rm", "-rf", "--", folder], check=False)  # noqa: S603, S607  # no shell
    if not os.path.isdir(folder):  # noqa: PTH112  # as above
        return
    with suppress(OSError):
        os.chmod(folder, stat.S_IRWXU)  # noqa: PTH101  # as above
        for place, folders, _ in os.walk(folder):
            for path in (f"{place}/{name}" for name in folders):
                if not os.path.islink(path):  # noqa: PTH114  # as above
                    os.chmod(path, stat.S_IRWXU)  # noqa: PTH101  # as above
    shutil.rmtree(folder, ignore_errors=True)


class Supervisor:
    """Starts and ends the processes of a node."""

    def __init__(self, node: socket.socket) -> None:
        self._node = node
        self._ids: dict[int, str] = {}
        self._pids: dict[str, int] = {}
        self._marks: dict[str, str] = {}
        self._seen: dict[str, dict[int, int]] = {}
        self._prctl: Callable[..., int] = ctypes.CDLL(None).prctl
        self._prctl(PR_SET_CHILD_SUBREAPER, 1)

    def run(self, wakeup: int) -> None:
        """Handle messages from the node, until it is gone."""
        while True:
            files = [self._node.fileno(), wakeup]
            readable, _, _ = select.select(files, [], [])
            if wakeup in readable:
                os.read(wakeup, LARGEST)
                self.reap()
            if files[0] in readable and not self._obey():
                return

    def _obey(self) -> bool:
        data, files, _, _ = socket.recv_fds(self._node, LARGEST, 4)
        if not data:
            return False
        message = json.loads(data)
        if message["op"] == "start":
            try:
                self._start(message["id"], files)
            finally:
                for file in files:
                    os.close(file)
        elif message["id"] in self._pids:
            self._signal(message["id"], message["number"])
        return True

    def _signal(self, id_: str, number: int) -> None:
        if id_ in self._marks:
            # Once it has ended, we could not tell whose children the hidden processes were.
            known = kinship()
            seen = self._seen.setdefault(id_, {})
            seen.update((pid, known[pid].began) for pid in below([self._pids[id_]], known))
        kill(self._pids[id_], number)

    def _start(self, id_: str, files: list[int]) -> None:
        with os.fdopen(os.dup(files[0]), "rb") as file:
            wanted: dict[str, Any] = json.load(file)
        try:
            child = subprocess.Popen(  # noqa: S603  # the user of the cluster says what to run
                wanted["command"],
                executable=wanted["executable"],
                cwd=wanted["folder"],
                env=wanted["environment"],
                stdin=files[1],
                stdout=files[2],
                stderr=files[3],
                start_new_session=True,
                preexec_fn=lambda: self._prepare(terminal=wanted["terminal"]),  # noqa: PLW1509  # there is one thread
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            # A process that cannot start, such as with a NUL in a variable, must not end others.
            self._tell({"id": id_, "error": getattr(error, "strerror", None) or str(error)})
            return
        child.returncode = 0  # we reap all children ourselves
        self._ids[child.pid], self._pids[id_] = id_, child.pid
        if wanted["owns"]:
            self._marks[id_] = wanted["environment"][MARK]
        self._tell({"id": id_, "pid": child.pid})

    def _prepare(self, *, terminal: bool) -> None:
        """Prepare the child, between fork and exec."""
        self._prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if terminal:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def reap(self) -> None:
        """Note every process that has ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            id_ = self._ids.pop(pid, None)
            if id_ is not None:
                self._end(id_, os.waitstatus_to_exitcode(status))

    def _end(self, id_: str, code: int) -> None:
        session = self._pids.pop(id_)  # each has its own, with its pid as the number
        mark = self._marks.pop(id_, None)
        if mark is not None:
            self._end_all(f"{MARK}={mark}".encode(), session, self._seen.pop(id_, {}))
        number = -code if code < 0 else 0
        self._tell({"id": id_, "code": 128 + number if number else code, "signal": number})

    def _end_all(self, mark: bytes, session: int, seen: Mapping[int, int]) -> None:
        """Kill what the first process of a container leaves behind, and wait for its end.

        Many servers overwrite their environment with a title, and the mark with it; we know those
        by their session, by their parents, or because we saw them before the first process ended.
        A mark can be forged, a parent cannot: processes below another container belong to that one.
        """
        seen = dict(seen)
        for _ in range(LOOKS):
            known = kinship()
            others = [self._pids[id_] for id_ in self._marks]
            spared = {*others, *below(others, known)}
            left = [
                pid
                for pid in below([os.getpid()], known)
                if pid not in spared
                and (
                    known[pid].session == session
                    or known[pid].began == seen.get(pid)
                    or is_marked(pid, mark)
                )
            ]
            left += below(left, known)
            if not left:
                return
            # Remembered, since a process that we know by its parent is lost once that has died.
            seen.update((pid, known[pid].began) for pid in left)
            for pid in left:
                kill(pid)
            time.sleep(LOOK_EVERY)

    def _tell(self, message: dict[str, Any]) -> None:
        with suppress(OSError):  # the node is gone, as the next read will show
            self._node.send(json.dumps(message).encode())

    def end(self) -> None:
        """Kill everything that was ever started here."""
        while True:
            # Several times: a process may start another just before it is killed.
            for pid in list(descendants(os.getpid())):
                kill(pid)
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return
            time.sleep(LOOK_EVERY)


def main(arguments: list[str]) -> None:
    """Serve the node at the other end of standard input."""
    # A terminal sends these to all processes, and the node decides what to do. A function, and not
    # SIG_IGN, which every child would inherit.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    node = socket.socket(fileno=os.dup(0))
    empty = os.open(os.devnull, os.O_RDWR)
    os.dup2(empty, 0)  # no child may inherit the socket
    supervisor = Supervisor(node)
    try:
        supervisor.run(reading)
    finally:
        supervisor.end()
        if arguments:
            remove_tree(arguments[0])


if __name__ == "__main__":
    main(sys.argv[1:])
