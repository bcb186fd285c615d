"""Where bytes arrive."""

import subprocess
import sys
import threading

from kubewright._http.buffers import BUFFERS


def test_connections_of_a_thread_share_and_others_do_not() -> None:
    """Each event loop has a thread, and two threads would write into each other's bytes."""
    others: list[memoryview] = []
    thread = threading.Thread(target=lambda: others.extend((BUFFERS.plain, BUFFERS.encrypted)))
    thread.start()
    thread.join()

    BUFFERS.plain[:5] = b"plain"
    BUFFERS.encrypted[:5] = b"coded"

    assert bytes(BUFFERS.plain[:5]) == b"plain"
    assert [bytes(other[:5]) for other in others] == [bytes(5), bytes(5)]


def test_processes_that_are_forked_do_not_share() -> None:
    """One would parse what the other one receives, and see its secrets."""
    code = """
import os
from kubewright._http.buffers import BUFFERS
BUFFERS.plain[:6] = BUFFERS.encrypted[:6] = b"parent"
child = os.fork()
if not child:
    BUFFERS.plain[:6] = BUFFERS.encrypted[:6] = b"child!"
    os._exit(0)
os.waitpid(child, 0)
print(bytes(BUFFERS.plain[:6]), bytes(BUFFERS.encrypted[:6]))
"""

    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "b'parent' b'parent'"
