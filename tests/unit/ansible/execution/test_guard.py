"""Nothing that a guarded program has started outlives the end of its guard, or of its owner."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kubewright.ansible.execution import guard

SCRIPT = Path(guard.__file__)
# A child, and one below it in a session of its own whose parent has ended; both say who they are.
FAMILY = """\
import os, time
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(writing, str(os.getpid()).encode())
        time.sleep(1000)
    os._exit(0)
os.wait()
daemon = os.read(reading, 100).decode()
os.write(1, f"{{daemon}} {{os.getpid()}}\\n".encode())
{then}
"""


@contextmanager
def started(then: str) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """Start a guarded family; yield its guard, and the pids that it printed."""
    with subprocess.Popen(
        [sys.executable, "-I", "-S", str(SCRIPT), sys.executable, "-c", FAMILY.format(then=then)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process, [int(one) for one in process.stdout.readline().split()]


def lives(pid: int) -> bool:
    """Say whether a process has not ended."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def wait_until_gone(pids: list[int]) -> None:
    """Wait until all of *pids* have ended."""
    deadline = time.monotonic() + 30
    while any(lives(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_owner_that_closes_the_pipe_ends_all() -> None:
    """Also what has made itself a daemon."""
    with started("time.sleep(1000)") as (process, pids):
        assert process.stdin is not None

        process.stdin.close()

        assert process.wait(30) == 128 + signal.SIGKILL
        assert not any(lives(pid) for pid in pids)


def test_program_that_ends_leaves_nothing_behind() -> None:
    """Its status is that of the guard."""
    with started("os._exit(3)") as (process, pids):
        assert process.wait(30) == 3

        assert not any(lives(pid) for pid in pids)


def test_owner_that_is_killed_ends_all() -> None:
    """The kernel closes its pipes."""
    owner = (
        "import subprocess, sys\n"
        "child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)\n"
        "child.wait()\n"
    )
    command = [sys.executable, "-c", FAMILY.format(then="time.sleep(1000)")]
    with subprocess.Popen(
        [sys.executable, "-c", owner, sys.executable, "-I", "-S", str(SCRIPT), *command],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        pids = [int(one) for one in process.stdout.readline().split()]

        process.kill()

        wait_until_gone(pids)


def test_program_dies_with_a_guard_that_is_killed() -> None:
    """Whoever kills the guard may not know what it guards."""
    with started("time.sleep(1000)") as (process, pids):
        process.send_signal(signal.SIGKILL)
        process.wait()

        wait_until_gone(pids[1:])
        os.kill(pids[0], signal.SIGKILL)  # the daemon, which nobody can know of then


def test_signals_of_a_terminal_do_not_end_it() -> None:
    """The owner decides when a run ends."""
    with started("time.sleep(1000)") as (process, pids):
        assert process.stdin is not None

        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)

        assert lives(pids[1])
        assert process.poll() is None
        process.stdin.close()
        process.wait(30)


def test_program_that_is_not_there_is_an_error() -> None:
    """And not a guard that waits for ever."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(SCRIPT), "/nowhere"],
        stdin=subprocess.PIPE,
        capture_output=True,
        timeout=30,
        check=False,
    )

    assert done.returncode == 1
    assert b"/nowhere" in done.stderr


def test_processes_have_parents() -> None:
    """As the kernel tells."""
    found = guard.parents()

    assert found[os.getpid()] == os.getppid()
    assert os.getpid() in set(guard.descendants(os.getppid()))
