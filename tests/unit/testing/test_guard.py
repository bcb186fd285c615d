import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kubewright.testing import guard

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")
STUBBORN = "trap '' TERM; echo $$; while :; do sleep 0.1; done"


def guarded(*command: str, grace: float = 5, folder: str = "") -> subprocess.Popen[bytes]:
    """Start *command* under a guard whose leash is our pipe."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", guard.__file__, str(grace), folder, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def is_alive(pid: int) -> bool:
    """Return whether the process *pid* runs; one that only waits to be buried does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_for_end(pid: int) -> bool:
    """Wait until *pid* is gone; the guard is killed, so nobody else can tell us."""
    for _ in range(100):
        if not is_alive(pid):
            return True
        time.sleep(0.05)
    return False


def first_line(process: subprocess.Popen[bytes]) -> int:
    """Return the pid that the program printed."""
    assert process.stdout is not None
    return int(process.stdout.readline())


def test_the_exit_status_is_that_of_the_program() -> None:
    """Whoever started it wants to know how it ended."""
    process = guarded("sh", "-c", "exit 7")

    process.wait(10)  # before the pipe is closed, or the guard would end the program
    process.communicate()

    assert process.returncode == 7


def test_a_program_that_was_killed_has_a_status_as_in_a_shell() -> None:
    """A negative status does not survive an exit."""
    process = guarded("sh", "-c", "kill -9 $$")

    process.wait(10)
    process.communicate()

    assert process.returncode == 128 + signal.SIGKILL


def test_letting_go_ends_the_program_and_removes_the_folder(tmp_path: Path) -> None:
    """This is what happens when a test run is killed: its pipe closes."""
    folder = tmp_path / "data"
    folder.mkdir()
    process = guarded("sh", "-c", "echo $$; exec sleep 60", folder=str(folder))
    pid = first_line(process)

    process.communicate(timeout=10)

    assert not is_alive(pid)
    assert not folder.exists()


def test_a_program_that_will_not_end_is_killed_after_the_grace() -> None:
    """A server that hangs in its shutdown must not hang the tests."""
    process = guarded("sh", "-c", STUBBORN, grace=0.2)
    pid = first_line(process)

    process.communicate(timeout=10)

    assert not is_alive(pid)
    assert process.returncode == 128 + signal.SIGKILL


def test_a_program_that_ends_by_itself_leaves_its_folder(tmp_path: Path) -> None:
    """The log in it says why it ended."""
    process = guarded("true", folder=str(tmp_path))

    process.wait(10)
    process.communicate()

    assert tmp_path.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="a parent's death is a signal on Linux only")
def test_killing_the_guard_kills_the_program() -> None:
    """The last resort: somebody cleans up with kill -9 and takes the guard first."""
    process = guarded("sh", "-c", "echo $$; exec sleep 60")
    pid = first_line(process)

    process.kill()
    process.communicate(timeout=10)

    assert wait_for_end(pid)
