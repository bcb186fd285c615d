"""What is read about processes."""

import os
import subprocess
import sys
import time

from bench.apiserver.processes import cpu_seconds, descendants, resident


def test_cpu_time_is_that_of_the_process() -> None:
    """Both count the same work."""
    ours = cpu_seconds([os.getpid()])

    assert abs(ours - time.process_time()) < 1


def test_memory_is_in_megabytes() -> None:
    """A Python with tests loaded has some tens of them."""
    assert 10 < resident([os.getpid()]) < 4_000


def test_a_grandchild_is_found_by_its_name() -> None:
    """A guard stands between us and the real servers."""
    code = "import subprocess, sys; subprocess.run(['sleep', '60'])"
    with subprocess.Popen([sys.executable, "-c", code], start_new_session=True) as child:
        try:
            while not (found := list(descendants(os.getpid(), "sleep"))):
                assert child.poll() is None
        finally:
            os.killpg(child.pid, 9)

    assert len(found) == 1
