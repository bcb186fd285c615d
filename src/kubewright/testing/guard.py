"""Runs one program for as long as the process that asked for it lives.

Started as a script: ``python guard.py GRACE FOLDER PROGRAM ARGUMENT…``. Its standard input is a
pipe that nobody writes to. When the other end closes, because its owner closed it or died, the
program is asked to end, killed after GRACE seconds, and FOLDER is removed. If the program ends by
itself, so does the guard, with the same status, and FOLDER stays for whoever reads the logs in it.

A process of its own can do this even when a test run is killed with SIGKILL; an `atexit` function
cannot, and ``PR_SET_PDEATHSIG`` alone follows a thread, not a process. Standard library only: this
file is run, not imported.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

PR_SET_PDEATHSIG = 1


def die_with_parent() -> Callable[[], None] | None:
    """Return a function with which a child asks to be killed with the guard; Linux only."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl  # looked up here: a child between fork and exec must not load
    return lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def follow(child: subprocess.Popen[bytes], grace: float, cut: threading.Event) -> None:
    """End *child* once standard input does."""
    while os.read(0, 4096):
        pass
    cut.set()
    child.terminate()
    try:
        child.wait(grace)
    except subprocess.TimeoutExpired:
        child.kill()


def main(arguments: list[str]) -> int:
    """Run the program; return its exit status, or 128 plus the signal that ended it."""
    grace, folder, *command = arguments
    cut = threading.Event()
    # Our caller runs us in a session of our own, so Ctrl-C in a terminal does not reach us.
    child = subprocess.Popen(  # noqa: S603  # the caller says what to run; that is the purpose
        command,
        stdin=subprocess.DEVNULL,
        preexec_fn=die_with_parent(),  # noqa: PLW1509  # safe: no thread is running yet
    )
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    threading.Thread(target=follow, args=(child, float(grace), cut), daemon=True).start()
    status = child.wait()
    if cut.is_set() and folder:
        shutil.rmtree(folder, ignore_errors=True)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    # Not sys.exit: the thread that reads standard input may still hold its lock.
    os._exit(main(sys.argv[1:]))
