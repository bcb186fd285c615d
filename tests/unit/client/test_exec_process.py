import asyncio
import os
import sys
from pathlib import Path

import pytest

from kubewright.client.exec_process import MAX_OUTPUT, printable, run

ENV = {"PATH": os.environ["PATH"]}


def shell(script: str) -> list[str]:
    """Return the command that runs *script*."""
    return ["/bin/sh", "-c", script]


def read_line(path: Path) -> str:
    """Return the line in *path*; empty while it is not complete."""
    text = path.read_text() if path.exists() else ""
    return text.strip() if text.endswith("\n") else ""


async def until_written(path: Path) -> str:
    """Wait for *path* to have a line in it, and return it."""
    while not (line := read_line(path)):  # noqa: ASYNC110  # another process writes it
        await asyncio.sleep(0.005)
    return line


def is_alive(pid: str) -> bool:
    """Say whether the process runs; a zombie that nobody reaps yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def until_dead(pid: str) -> bool:
    """Wait for the process to be gone."""
    while is_alive(pid):  # noqa: ASYNC110  # the kernel has no event for it
        await asyncio.sleep(0.005)
    return True


async def test_output_and_complaints_are_kept_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """Complaints are also shown as they come: they may ask the user to log in."""
    ended = await run(shell("echo out; echo err >&2; exit 3"), ENV, tty=False)

    assert (ended.code, ended.output, ended.stderr) == (3, b"out\n", b"err\n")
    assert ended.complaint == ". It says:\nerr"
    assert capsys.readouterr().err == "err\n"


async def test_only_the_end_of_a_long_complaint_is_kept() -> None:
    """The reason comes last, after the traceback."""
    script = "i=0; while [ $i -lt 500 ]; do echo line-$i >&2; i=$((i+1)); done; exit 1"

    ended = await run(shell(script), ENV, tty=False)

    assert len(ended.stderr) <= 2000
    assert ended.complaint.endswith("line-499")


async def test_endless_output_neither_blocks_nor_fills_the_memory() -> None:
    """Four megabytes are read to the end, and one is kept."""
    ended = await run(shell("head -c 4194304 /dev/zero"), ENV, tty=False)

    assert ended.code == 0
    assert MAX_OUTPUT < len(ended.output) < 2 * MAX_OUTPUT


async def test_standard_input_is_empty() -> None:
    """A plugin that reads must not wait for somebody who is not there."""
    ended = await run(shell("cat; echo done"), ENV, tty=False)

    assert ended.output == b"done\n"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_cancelling_kills_the_plugin_and_its_children(tmp_path: Path) -> None:
    """A browser helper that a plugin started must not stay behind."""
    file = tmp_path / "pids"
    script = f"sleep 600 & echo $$ $! > {file}; wait"
    task = asyncio.create_task(run(shell(script), ENV, tty=False))
    parent, child = (await until_written(file)).split()

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await until_dead(parent)
    assert await until_dead(child)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_a_child_that_holds_the_pipes_is_killed_too(tmp_path: Path) -> None:
    """The plugin itself is gone by then, and only its group is left to aim at."""
    file = tmp_path / "pid"
    task = asyncio.create_task(run(shell(f"sleep 600 & echo $! > {file}"), ENV, tty=False))
    child = await until_written(file)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await until_dead(child)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("passes", range(8))
async def test_cancelling_in_the_middle_of_the_start_leaves_nothing(
    tmp_path: Path, passes: int
) -> None:
    """Cut after each step of the loop; asyncio alone hangs for ever after some of them."""
    file = tmp_path / "pid"
    task = asyncio.create_task(run(shell(f"echo $$ > {file}; exec sleep 600"), ENV, tty=False))
    for _ in range(passes):
        await asyncio.sleep(0)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    pid = read_line(file)
    assert not pid or await until_dead(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_a_daemon_that_left_the_session_does_not_hold_us_up(tmp_path: Path) -> None:
    """Some plugins start an agent that outlives them, with their pipes still open."""
    file = tmp_path / "pid"
    script = f"setsid sh -c 'echo $$ > {file}; exec sleep 600' & wait"
    task = asyncio.create_task(run(shell(script), ENV, tty=False))
    daemon = await until_written(file)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert is_alive(daemon)
    os.kill(int(daemon), 9)


async def test_what_cannot_be_started_raises() -> None:
    """The caller knows the name of the user entry, and says it."""
    with pytest.raises(FileNotFoundError):
        await run(["/no/such/plugin"], ENV, tty=False)


def test_escape_sequences_are_made_harmless() -> None:
    """A plugin's words go to the user's terminal."""
    assert printable("é\tok\n\x1b[2J\x07") == "é\tok\nU+001B[2JU+0007"
