"""Measuring inside the process under test: CPU, wall time, memory.

Every function returns plain numbers by name; the parent makes medians and ratios of them.
"""

import asyncio
import ctypes
import gc
import sys
import time
from collections.abc import Awaitable, Callable, Sized
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

Numbers = dict[str, float]

_STATUS = Path("/proc/self/status")
_CLEAR_REFS = Path("/proc/self/clear_refs")
_WARM_UP = 50


@dataclass(frozen=True, kw_only=True)
class Work:
    """How much to do, the same for every contender unless the table says otherwise.

    The Go program reads the same fields.
    """

    pods: int = 10_000
    events: int = 20_000
    requests: int = 2_000
    concurrency: int = 1
    verb: str = "get"
    patches: int = 500  # one after the other, for the latency
    widgets: int = 1_000  # custom resources to reconcile
    workers: int = 10
    cycles: int = 1_000_000  # of the queue
    namespace: str = ""


def memory() -> tuple[float, float]:
    """Return the resident memory now and at its peak, in MiB."""
    fields = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
    now, peak = (int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    return now, peak


def settled_memory() -> float:
    """Return the resident memory once garbage is gone and free heap is given back."""
    gc.collect()
    gc.collect()
    with suppress(AttributeError):  # glibc only
        ctypes.CDLL(None).malloc_trim(0)
    return memory()[0]


class ListTimer:
    """Measures one list into memory, from its making to `done`."""

    def __init__(self) -> None:
        self._before = settled_memory()
        with suppress(OSError):
            _CLEAR_REFS.write_text("5")  # forget the peak that the imports made
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def done(self, held: Sized, *, expected: int) -> Numbers:
        """Return what it cost; *held* is what the list filled, and is still alive here."""
        cpu, wall = time.process_time() - self._cpu, time.perf_counter() - self._wall
        peak = memory()[1]
        if len(held) != expected:
            sys.exit(f"the list holds {len(held)} objects and should hold {expected}")
        net = settled_memory() - self._before
        return {"cpu": cpu, "wall": wall, "peak": peak - self._before, "net": net}


class EventTimer:
    """Measures a watch from its first change to its last."""

    def __init__(self, expected: int) -> None:
        self._expected = expected
        self._count = 0
        self._first = self._last = (0.0, 0.0)

    def hit(self) -> bool:
        """Count one event; return whether it was the last."""
        self._count += 1
        if self._count == 1:
            self._first = (time.perf_counter(), time.process_time())
        if self._count == self._expected:
            self._last = (time.perf_counter(), time.process_time())
        return self._count >= self._expected

    def result(self) -> Numbers:
        """Return the cost of one event, and how many a second came through."""
        wall, cpu = (last - first for first, last in zip(self._first, self._last, strict=True))
        between = self._expected - 1
        return {"cpu_us": cpu / between * 1e6, "per_second": between / wall}


async def time_requests(one: Callable[[int], Awaitable[object]], work: Work) -> Numbers:
    """Measure coroutines; the connections are open before the clock starts."""
    for number in range(_WARM_UP):
        await one(number)
    await asyncio.gather(*(one(0) for _ in range(work.concurrency)))
    numbers = iter(range(work.requests))

    async def worker() -> None:
        for number in numbers:
            await one(number)

    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(work.concurrency)))
    return _per_request(time.process_time() - cpu, time.perf_counter() - wall, work)


def time_threads(one: Callable[[int], object], work: Work) -> Numbers:
    """Measure blocking calls, in as many threads as are wanted at a time."""
    for number in range(_WARM_UP):
        one(number)
    if work.concurrency == 1:
        cpu, wall = time.process_time(), time.perf_counter()
        for number in range(work.requests):
            one(number)
        return _per_request(time.process_time() - cpu, time.perf_counter() - wall, work)
    with ThreadPoolExecutor(work.concurrency) as pool:
        list(pool.map(one, range(4 * work.concurrency)))
        cpu, wall = time.process_time(), time.perf_counter()
        list(pool.map(one, range(work.requests)))
        return _per_request(time.process_time() - cpu, time.perf_counter() - wall, work)


def _per_request(cpu: float, wall: float, work: Work) -> Numbers:
    return {"cpu_us": cpu / work.requests * 1e6, "per_second": work.requests / wall}
