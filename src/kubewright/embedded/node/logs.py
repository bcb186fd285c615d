"""What containers have written: kept line by line, in the format of container runtimes.

Each line is ``<time> <stream> <tag> <text>``; the tag is F for a full line and P for a part of one
that was too long, or that had no end when the container ended.
"""

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from io import FileIO
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from kubewright._aio import Clock
from kubewright.embedded.node.access import LogOptions, OutputStream
from kubewright.embedded.node.files import open_regular

__all__ = ["FileLog", "Log", "LogLine", "MemoryLog", "PodLogs", "read_log"]

LONGEST_LINE: int = 16 * 1024
FILE_BYTES: int = 10 * 1024 * 1024
"""The size at which a file becomes the old one, and the one before it is dropped."""
MEMORY_LINES: int = 1000


class LogLine(NamedTuple):
    """One line, or a part of one.

    Attributes:
        time: When it was written, as RFC 3339.
        stream: The stream.
        text: Its text; with its line end, if it is a whole line.
    """

    time: str
    stream: str
    text: bytes


class Log(ABC):
    """The output of one run of a container."""

    def __init__(self, *, clock: Clock) -> None:
        self.closed: bool = False
        """Whether nothing more will be written."""
        self._clock = clock
        self._parts: dict[OutputStream, bytes] = {"stdout": b"", "stderr": b""}
        self._waiters: set[asyncio.Future[None]] = set()

    def write(self, stream: OutputStream, data: bytes) -> None:
        """Append *data*; the rest of its last line may follow later."""
        *lines, rest = (self._parts[stream] + data).split(b"\n")
        for line in lines:
            self._append(stream, line, b"F")
        while len(rest) > LONGEST_LINE:
            self._append(stream, rest[:LONGEST_LINE], b"P")
            rest = rest[LONGEST_LINE:]
        self._parts[stream] = rest
        self._wake()

    def close(self) -> None:
        """Close it: nothing more will be written."""
        for stream, rest in self._parts.items():
            if rest:
                self._append(stream, rest, b"P")
        self._parts = {"stdout": b"", "stderr": b""}
        self.closed = True
        self._wake()

    async def wait(self) -> None:
        """Return when something was written, or the log was closed."""
        if self.closed:
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.add(waiter)
        try:
            await waiter
        finally:
            self._waiters.discard(waiter)

    @abstractmethod
    def lines(self) -> Iterator[list[LogLine]]:
        """Yield all lines so far, then at each step those that were written since."""

    @abstractmethod
    def _keep(self, record: bytes) -> None:
        """Keep one record, line end included."""

    def _append(self, stream: OutputStream, text: bytes, tag: bytes) -> None:
        time = _timestamp(self._clock.now()).encode()
        self._keep(b" ".join((time, stream.encode(), tag, text)) + b"\n")

    def _wake(self) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)


class MemoryLog(Log):
    """The last lines of the log of a simulated container."""

    def __init__(self, *, clock: Clock) -> None:
        super().__init__(clock=clock)
        self._records: list[bytes] = []
        self._dropped = 0

    def _keep(self, record: bytes) -> None:
        self._records.append(record)
        if len(self._records) > 2 * MEMORY_LINES:
            self._dropped += MEMORY_LINES
            del self._records[:MEMORY_LINES]

    def lines(self) -> Iterator[list[LogLine]]:
        """Yield all lines so far, then at each step those that were written since."""
        seen = 0
        while True:
            first = max(seen - self._dropped, 0)
            seen = self._dropped + len(self._records)
            yield [_line(record) for record in self._records[first:]]


class FileLog(Log):
    """A log in a file, with the part before it in another, so that it does not grow for ever."""

    def __init__(self, path: Path, *, clock: Clock, limit: int = FILE_BYTES) -> None:
        super().__init__(clock=clock)
        self._path = path
        self._limit = limit
        self._rotations = 0
        self._size = 0
        self._waiting = bytearray()
        self._file: FileIO | None = None
        self._ours: tuple[os.stat_result, ...] = ()

    @property
    def _older(self) -> Path:
        return self._path.with_suffix(".old.log")

    def _keep(self, record: bytes) -> None:
        kept = self._size + len(self._waiting)
        if kept and kept + len(record) > self._limit:
            self._flush()
            self._rotate()
        self._waiting += record

    def _rotate(self) -> None:
        if self._file is not None:
            self._file.close()
            with suppress(OSError):  # there may be a folder by now
                self._path.replace(self._older)
            self._file = None
            self._rotations += 1
        self._size = 0

    def _flush(self) -> None:
        """Write the pending records; if the disk is full, all of these are lost and nothing else.

        A full disk must not keep a container from ending, nor leave half a record behind.
        """
        data, self._waiting = memoryview(self._waiting), bytearray()
        size = len(data)
        try:
            if self._file is None:
                self._file = self._create_file()
            while data:
                data = data[self._file.write(data) :]
        except OSError:
            if self._file is not None:
                with suppress(OSError):
                    self._file.truncate(self._size)
                    self._file.seek(self._size)
        else:
            self._size += size

    def _create_file(self) -> FileIO:
        """Create the file anew: the container may have put something else there."""
        self._path.unlink(missing_ok=True)
        descriptor = open_regular(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        self._ours = (os.fstat(descriptor), *self._ours[:1])
        return FileIO(descriptor, "wb")

    def _wake(self) -> None:
        if self._waiting:
            self._flush()
        super()._wake()

    def close(self) -> None:
        """Close it: nothing more will be written."""
        super().close()
        if self._file is not None:
            self._file.close()

    def lines(self) -> Iterator[list[LogLine]]:
        """Yield all lines so far, then at each step those that were written since."""
        found = self._records(self._older) if self._rotations else []
        rotations, offset = self._rotations, 0
        while True:
            if rotations != self._rotations:
                since = offset if self._rotations == rotations + 1 else 0
                found += self._records(self._older, since)
                rotations, offset = self._rotations, 0
            more = self._records(self._path, offset)
            offset += sum(map(len, more))
            yield [_line(record) for record in chain(found, more)]
            found = []

    def _records(self, path: Path, offset: int = 0) -> list[bytes]:
        """Return the records that we have written to *path*; none if it is another file by now."""
        try:
            descriptor = open_regular(path)
        except OSError:
            return []
        with os.fdopen(descriptor, "rb") as file:
            if not any(os.path.samestat(os.fstat(descriptor), one) for one in self._ours):
                return []
            file.seek(offset)
            # The container can write to it as well, without end.
            data = file.read(self._limit + LONGEST_LINE)
        return data.splitlines(keepends=True)


class PodLogs:
    """The logs of the containers of one pod: of the last run of each, and of the one before."""

    def __init__(self) -> None:
        self._logs: dict[str, list[Log]] = {}

    def add(self, container: str, log: Log) -> None:
        """Keep the log of a new run."""
        self._logs[container] = [*self._logs.get(container, [])[-1:], log]

    def find(self, container: str, *, previous: bool = False) -> Log | None:
        """Return the log of the last run of a container, or of the one before."""
        logs = self._logs.get(container, [])
        if previous:
            return logs[-2] if len(logs) > 1 else None
        return logs[-1] if logs else None

    def close(self) -> None:
        """Close and forget them all."""
        for logs in self._logs.values():
            for log in logs:
                log.close()
        self._logs.clear()


def _line(record: bytes) -> LogLine:
    time, stream, tag, text = (*record.split(b" ", 3), b"", b"", b"")[:4]
    shown = text if tag == b"F" else text[:-1]
    return LogLine(time.decode("utf-8", "replace"), stream.decode("utf-8", "replace"), shown)


def _timestamp(moment: datetime) -> str:
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}000Z"


async def read_log(log: Log, options: LogOptions) -> AsyncIterator[bytes]:
    """Yield the part of *log* that *options* ask for, in pieces."""
    left = options.limit_bytes
    reader = log.lines()
    is_first = True
    while True:
        lines = next(reader)
        if is_first:
            lines = _chosen(lines, options)
            is_first = False
        data = b"".join(_shown(line, options) for line in lines)
        if left is not None:
            data = data[:left]
            left -= len(data)
        if data:
            yield data
        if left == 0 or not options.follow:
            return
        if log.closed:
            if not lines:
                return
            continue
        await log.wait()


def _chosen(lines: list[LogLine], options: LogOptions) -> list[LogLine]:
    if options.since is not None:
        since = _timestamp(options.since)
        lines = [line for line in lines if line.time >= since]
    if options.tail_lines is not None:
        lines = lines[-options.tail_lines :] if options.tail_lines else []
    return lines


def _shown(line: LogLine, options: LogOptions) -> bytes:
    return f"{line.time} ".encode() + line.text if options.timestamps else line.text
