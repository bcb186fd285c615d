import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubewright.errors import LifecycleError
from kubewright.testing.process import Process, StartError


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Process]]:
    """Processes that are stopped after the test, whatever it does."""
    processes: list[Process] = []
    yield processes
    for process in processes:
        process.stop()


def shell(script: str, tmp_path: Path, *, grace: float = 5) -> Process:
    """Return a shell that runs *script*, not started."""
    return Process("sample", ["sh", "-c", script], log=tmp_path / "log", grace=grace)


def test_a_program_answers_and_is_stopped(tmp_path: Path, started: list[Process]) -> None:
    """The whole life of a program that behaves."""
    process = shell(f"touch {tmp_path}/ready; exec sleep 60", tmp_path)
    started.append(process)

    process.start()
    process.wait_until((tmp_path / "ready").exists, timeout=10)
    process.stop()

    assert process.exit_status == 128 + signal.SIGTERM


def test_a_program_that_ends_early_fails_at_once_with_its_log(
    tmp_path: Path, started: list[Process]
) -> None:
    """Waiting for the time-out would hide that it is dead, and why."""
    process = shell("echo no such flag >&2; exit 3", tmp_path)
    started.append(process)
    process.start()

    with pytest.raises(StartError) as caught:
        process.wait_until(lambda: False, timeout=15)

    assert "sample ended with status 3" in str(caught.value)
    assert "no such flag" in str(caught.value)


def test_a_program_that_never_answers_fails_with_its_log(
    tmp_path: Path, started: list[Process]
) -> None:
    """The end of the log is the only hint there is."""
    process = shell("echo waiting for etcd; exec sleep 60", tmp_path)
    started.append(process)
    process.start()
    process.wait_until(lambda: "waiting" in process.tail().partition("log:")[2], timeout=10)

    with pytest.raises(StartError, match=r"gave no answer in 0 s.*\n.*(\n.*)*waiting for etcd"):
        process.wait_until(lambda: False, timeout=0)


def test_the_tail_is_bounded(tmp_path: Path) -> None:
    """A log of megabytes, or one endless line, must not drown the message."""
    process = shell("true", tmp_path)
    (tmp_path / "log").write_bytes(b"old\n" * 1000 + b"x" * 10_000 + b"\xff\nlast\n")

    shown = process.tail(lines=2)

    assert shown.endswith("last")
    assert "old" not in shown
    assert len(shown) < 1000


def test_stopping_twice_or_never_started_is_harmless(tmp_path: Path) -> None:
    """Clean-up code does not know how far the start came."""
    process = shell("exec sleep 60", tmp_path)

    process.stop()
    process.start()
    process.stop()
    process.stop()

    assert process.exit_status is not None


def test_starting_twice_is_refused(tmp_path: Path, started: list[Process]) -> None:
    """The first program would be lost, running."""
    process = shell("exec sleep 60", tmp_path)
    started.append(process)
    process.start()

    with pytest.raises(LifecycleError, match="started before"):
        process.start()


def test_an_interrupt_from_the_terminal_does_not_reach_the_program(
    tmp_path: Path, started: list[Process]
) -> None:
    """Ctrl-C ends the tests first; their clean-up still needs the server."""
    process = shell(f"echo $$ > {tmp_path}/pid; touch {tmp_path}/ready; exec sleep 60", tmp_path)
    started.append(process)

    process.start()
    process.wait_until((tmp_path / "ready").exists, timeout=10)

    assert os.getsid(int((tmp_path / "pid").read_text())) != os.getsid(0)
