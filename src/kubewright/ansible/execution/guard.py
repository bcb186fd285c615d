"""Runs one program, and ends all that it has started as soon as its owner is gone.

Started as a script: ``python guard.py PROGRAM ARGUMENT…``. Its standard input is a pipe that nobody
writes to. When the other end closes, because the owner closed it or was killed, or when the program
ends by itself, every process below this one is killed.

As a "child subreaper" it inherits what leaves its parents, its group or its session, as daemons and
the asynchronous tasks of Ansible do. That is so on Linux; elsewhere it ends the session of the
program, and what has left that goes on. Standard library only: this file is run, not imported.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
LOOK_EVERY = 0.002
LARGEST = 4096


def parents() -> dict[int, int]:
    """Return the parent of every process of this machine that has not ended."""
    found = {}
    for name in os.listdir("/proc"):  # noqa: PTH208  # pathlib is not loaded
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123  # as above
                    # The name of the program is in brackets, and may hold anything.
                    state, parent = file.read().rpartition(b")")[2].split()[:2]
            except (OSError, ValueError):
                continue
            if state != b"Z":
                found[int(name)] = int(parent)
    return found


def descendants(root: int) -> Iterator[int]:
    """Yield every process below *root*."""
    children: dict[int, list[int]] = {}
    for pid, parent in parents().items():
        children.setdefault(parent, []).append(pid)
    waiting = children.get(root, [])
    while waiting:
        pid = waiting.pop()
        yield pid
        waiting += children.get(pid, [])


def end_session(child: int) -> None:
    """Kill the session of *child*, where nobody can tell what else it has started."""
    try:
        os.killpg(child, signal.SIGKILL)
    except OSError:
        return


def end_all() -> None:
    """Kill every process below this one, and wait for its end."""
    while True:
        # Several times: a process may start another just before it is killed.
        for pid in list(descendants(os.getpid())):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(LOOK_EVERY)


def start(command: list[str], prctl: Callable[..., int] | None) -> int:
    """Start *command* in a session of its own, and return its pid."""

    def die_with_guard() -> None:
        if prctl is not None:
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

    child = subprocess.Popen(  # noqa: S603  # the caller says what to run; that is the purpose
        command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=die_with_guard,  # noqa: PLW1509  # there is one thread
    )
    child.returncode = 0  # we reap all children ourselves
    return child.pid


def reaped(child: int) -> int | None:
    """Reap what has ended; return the status of *child* if it is among that."""
    status = None
    while True:
        try:
            pid, found = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status
        if pid == 0:
            return status
        if pid == child:
            status = os.waitstatus_to_exitcode(found)


def main(command: list[str]) -> int:
    """Run *command*; return its exit status, or 128 plus the signal that ended it."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    # A terminal sends these to all processes, and the owner decides what to do.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None
    if prctl is not None:
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    child, status = start(command, prctl), None
    while status is None:
        readable, _, _ = select.select([0, reading], [], [])
        if reading in readable:
            os.read(reading, LARGEST)
            status = reaped(child)
        if 0 in readable and not os.read(0, LARGEST):
            status = -signal.SIGKILL
    if prctl is None:
        end_session(child)
    else:
        end_all()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
