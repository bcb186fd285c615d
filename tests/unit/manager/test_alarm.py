"""The kernel ends a process at a moment, also one that is stopped."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kubewright.manager.alarm import Alarm
from kubewright.testing import VirtualClock

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a timer of Linux")

START = """
import os, signal, sys, time
from kubewright._aio import Clock
from kubewright.manager.alarm import Alarm
alarm = Alarm(Clock())
now = Clock().sleepless()
"""


def child(program: str) -> subprocess.Popen[bytes]:
    """Start a process that has an alarm."""
    return subprocess.Popen([sys.executable, "-c", START + program], stdout=subprocess.PIPE)


def end_of(program: str) -> tuple[int, bytes]:
    """Return how a process with an alarm ends, and what it has said."""
    with child(program) as process:
        said, _ = process.communicate()
        return process.returncode, said


def test_the_process_ends_at_the_moment() -> None:
    """Whatever it does then."""
    assert end_of("alarm.set(now + 0.05); time.sleep(600)") == (-signal.SIGALRM, b"")


def test_a_moment_that_has_passed_is_now() -> None:
    """Also one before the machine was started."""
    assert end_of("alarm.set(now - 1); time.sleep(600)")[0] == -signal.SIGALRM
    assert end_of("alarm.set(-1); time.sleep(600)")[0] == -signal.SIGALRM


def test_a_program_with_a_handler_of_its_own_ends_too() -> None:
    """It would otherwise hear of it, and go on."""
    handled = "signal.signal(signal.SIGALRM, lambda *_: None); alarm = Alarm(Clock())\n"

    assert end_of(handled + "alarm.set(now); time.sleep(600)")[0] == -signal.SIGKILL


def test_an_alarm_is_moved_and_cancelled() -> None:
    """The last word counts."""
    moved = "alarm.set(now + 600); alarm.set(now + 0.05); time.sleep(600)"
    cancelled = "alarm.set(now + 600); alarm.cancel(); print(signal.sigpending())"
    closed = "alarm.set(now + 600); alarm.close(); alarm.set(now); alarm.close(); print(1)"

    assert end_of(moved)[0] == -signal.SIGALRM
    assert end_of(cancelled) == (0, b"set()\n")
    assert end_of(closed) == (0, b"1\n")


def test_a_stopped_process_does_nothing_more() -> None:
    """Not even the system call that it was about to make."""
    program = """
alarm.set(Clock().sleepless() + 0.05)
os.kill(os.getpid(), signal.SIGSTOP)
os.write(1, b"late")
"""
    with child(program) as process:
        os.waitpid(process.pid, os.WUNTRACED)
        while not is_pending(process.pid, signal.SIGALRM):
            os.sched_yield()
        process.send_signal(signal.SIGCONT)
        said, _ = process.communicate()

    assert (process.returncode, said) == (-signal.SIGALRM, b"")


def test_virtual_time_ends_nothing() -> None:
    """The kernel does not know of it."""
    alarm = Alarm(VirtualClock())

    alarm.set(0.0)

    assert not alarm.is_real


def is_pending(pid: int, number: signal.Signals) -> bool:
    """Say whether a signal waits until the process *pid* goes on."""
    status = Path(f"/proc/{pid}/status").read_text()
    pending = next(line for line in status.splitlines() if line.startswith("ShdPnd"))
    return bool(int(pending.split()[1], 16) >> (number - 1) & 1)
