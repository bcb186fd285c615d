import asyncio
import os
import resource
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kubewright._aio import VirtualClock
from kubewright.embedded.node.access import LogOptions
from kubewright.embedded.node.logs import FileLog, Log, MemoryLog, PodLogs, read_log


@pytest.fixture
def clock() -> VirtualClock:
    """Yield a clock that starts at midnight."""
    return VirtualClock()


@pytest.fixture(params=["memory", "file"])
def log(request: pytest.FixtureRequest, clock: VirtualClock, tmp_path: Path) -> Iterator[Log]:
    """Give both kinds of log, one after the other."""
    in_memory = request.param == "memory"
    made = MemoryLog(clock=clock) if in_memory else FileLog(tmp_path / "0.log", clock=clock)
    yield made
    made.close()


async def text(log: Log, options: LogOptions | None = None) -> bytes:
    """Return a log as it is now."""
    return b"".join([data async for data in read_log(log, options or LogOptions())])


async def test_lines_are_kept_in_order_whatever_pieces_they_came_in(log: Log) -> None:
    """A process writes when it likes."""
    log.write("stdout", b"one\ntw")
    log.write("stderr", b"error\n")
    log.write("stdout", b"o\n")

    assert await text(log) == b"one\nerror\ntwo\n"


async def test_a_line_without_an_end_is_kept_at_the_end(log: Log) -> None:
    """The last words of a crash often have none."""
    log.write("stdout", b"last words")
    log.close()

    assert await text(log) == b"last words"


async def test_a_long_line_is_kept_in_parts(log: Log) -> None:
    """A program that never ends its line must not eat all memory."""
    log.write("stdout", b"x" * 40_000)

    assert await text(log) == b"x" * 32_768
    log.write("stdout", b"\n")
    assert await text(log) == b"x" * 40_000 + b"\n"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (LogOptions(tail_lines=1), b"b\n"),
        (LogOptions(tail_lines=0), b""),
        (LogOptions(limit_bytes=3), b"a\nb"),
        (LogOptions(since=datetime(2026, 1, 1, 0, 0, 5, tzinfo=UTC)), b"b\n"),
        (LogOptions(timestamps=True, tail_lines=1), b"2026-01-01T00:00:10.000000000Z b\n"),
    ],
)
async def test_options_choose_a_part(
    log: Log, clock: VirtualClock, options: LogOptions, expected: bytes
) -> None:
    """The flags of ``kubectl logs``."""
    log.write("stdout", b"a\n")
    await clock.advance(10)
    log.write("stdout", b"b\n")

    assert await text(log, options) == expected


async def test_who_follows_hears_what_comes_until_the_end(log: Log) -> None:
    """``kubectl logs -f`` ends by itself when the container does."""
    log.write("stdout", b"a\n")
    found: list[bytes] = []

    async def follow() -> None:
        found.extend([data async for data in read_log(log, LogOptions(follow=True))])

    following = asyncio.create_task(follow())
    await asyncio.sleep(0)
    log.write("stdout", b"b\n")
    await asyncio.sleep(0)
    log.write("stdout", b"c")
    log.close()
    await following

    assert b"".join(found) == b"a\nb\nc"


async def test_a_file_does_not_grow_for_ever(tmp_path: Path, clock: VirtualClock) -> None:
    """The last part and the one before stay."""
    log = FileLog(tmp_path / "0.log", clock=clock, limit=1000)
    reader = log.lines()
    next(reader)

    for number in range(100):
        log.write("stdout", b"line %03d\n" % number)
    lines = (await text(log)).splitlines()

    assert lines[-1] == b"line 099"
    assert 20 < len(lines) < 50
    assert _size(tmp_path) <= 2000
    assert next(reader)[-1].text == b"line 099\n"
    log.close()


async def test_a_long_memory_forgets_its_beginning(clock: VirtualClock) -> None:
    """A simulated container that talks must not eat the machine."""
    log = MemoryLog(clock=clock)
    log.write("stdout", b"".join(b"%d\n" % number for number in range(5000)))

    lines = (await text(log)).split()

    assert lines[-1] == b"4999"
    assert 1000 <= len(lines) <= 2000


def test_the_log_of_the_run_before_is_kept_and_no_earlier_one(clock: VirtualClock) -> None:
    """``kubectl logs --previous`` asks for it."""
    logs = PodLogs()
    first, second, third = (MemoryLog(clock=clock) for _ in range(3))

    logs.add("main", first)
    alone = (logs.find("main"), logs.find("main", previous=True))
    logs.add("main", second)
    logs.add("main", third)

    assert alone == (first, None)
    assert (logs.find("main"), logs.find("main", previous=True)) == (third, second)
    assert logs.find("other") is None


def test_the_logs_of_a_pod_end_with_it(clock: VirtualClock) -> None:
    """Who follows one hears that no more comes."""
    logs, log = PodLogs(), MemoryLog(clock=clock)
    logs.add("main", log)

    logs.close()

    assert log.closed
    assert logs.find("main") is None


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
async def test_a_full_disk_does_not_keep_a_log_from_ending(tmp_path: Path) -> None:
    """What could not be written is lost; whoever waits for the end still sees it."""
    (tmp_path / "0.log").symlink_to("/dev/full")
    log = FileLog(tmp_path / "0.log", clock=VirtualClock())

    log.write("stdout", b"lost\nand this, too")
    log.close()

    assert log.closed


async def test_what_comes_after_a_full_disk_is_a_line_again(tmp_path: Path) -> None:
    """A part of a record would spoil the next one."""
    log = FileLog(tmp_path / "0.log", clock=VirtualClock())
    log.write("stdout", b"one\n")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = (tmp_path / "0.log").stat().st_size

    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, before[1]))
    try:
        log.write("stdout", b"two\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    log.write("stdout", b"three\n")

    assert await text(log) == b"one\nthree\n"
    log.close()


@pytest.mark.parametrize("trick", ["pipe", "link", "folder"])
async def test_what_a_container_puts_in_place_of_its_log_holds_up_nobody(
    clock: VirtualClock, tmp_path: Path, trick: str
) -> None:
    """To open a pipe waits for its other end; a link would show another's file."""

    def play(path: Path) -> None:
        path.unlink(missing_ok=True)
        if trick == "pipe":
            os.mkfifo(path)
        elif trick == "link":
            (tmp_path / "another").write_text("2026 stdout F secret\n")
            path.symlink_to("another")
        else:
            path.mkdir()

    path = tmp_path / "0.log"
    log = FileLog(path, clock=clock, limit=100)
    log.write("stdout", b"before\n")
    play(path)
    play(path.with_suffix(".old.log"))

    shown = await text(log)
    for _ in range(5):
        log.write("stdout", b"a line that makes it turn\n")
    log.close()

    assert b"secret" not in shown + await text(log)


async def test_a_log_that_the_container_made_endless_is_read_in_part(
    clock: VirtualClock, tmp_path: Path
) -> None:
    """It can write to the file as well as we can."""
    log = FileLog(tmp_path / "0.log", clock=clock, limit=1000)
    log.write("stdout", b"one\n")
    os.truncate(tmp_path / "0.log", 1 << 40)

    assert (await text(log)).startswith(b"one\n")
    log.close()
