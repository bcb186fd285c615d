"""A load generator in a process of its own: ``python -m bench.apiserver.load``, a job on stdin.

The last line of its output is the result, as JSON.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.apiserver import jobs
from bench.apiserver.processes import cpu_seconds
from bench.apiserver.wire import Connection, Target, connect

Numbers = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Job:
    """What to do.

    Attributes:
        target: The server, as the arguments of a `Target`.
        pids: Its processes.
        verb: See `jobs.requests`; ``watch`` and ``namespace`` besides.
        clients: How many connections; for a watch, how many watchers.
        first: The number of the first pod.
        count: How many requests; for a watch, how many changes.
    """

    target: dict[str, str]
    pids: list[int]
    verb: str
    clients: int = 1
    first: int = 0
    count: int = 1


class Meter:
    """Measures the servers' CPU time, and the time on the wall."""

    def __init__(self, pids: list[int]) -> None:
        self._pids = pids
        self._cpu, self._wall = cpu_seconds(pids), time.perf_counter()

    def result(self, count: int) -> Numbers:
        """Return the cost of one of *count*."""
        wall, cpu = time.perf_counter() - self._wall, cpu_seconds(self._pids) - self._cpu
        return {"cpu_us": cpu / count * 1e6, "per_second": count / wall, "ms": wall / count * 1e3}


async def run(job: Job) -> Numbers:
    """Do the job."""
    target = Target(**job.target)
    if job.verb == "namespace":
        await _drain(await connect(target), iter([jobs.namespace(target)]))
        return {}
    if job.verb == "watch":
        return await _fan_out(target, job)
    connections = [await connect(target) for _ in range(job.clients)]
    warm = target.request("GET", "/api/v1/namespaces/default")
    for connection in connections:
        await _drain(connection, iter([warm, warm]))
        connection.size = 0
    todo = iter(jobs.requests(target, job.verb, job.first, job.count))
    meter = Meter(job.pids)
    await asyncio.gather(*(_drain(connection, todo) for connection in connections))
    result = meter.result(job.count)
    return result | {"bytes": sum(connection.size for connection in connections) / job.count}


async def _drain(connection: Connection, todo: Iterator[bytes]) -> None:
    for request in todo:
        connection.kept = None
        status = await connection.ask(request)
        if status >= 300:
            await _explain(connection, request, status)


async def _explain(connection: Connection, request: bytes, status: int) -> None:
    connection.kept = []
    await connection.ask(request)
    text = b"".join(connection.kept)[:1000].decode(errors="replace")
    raise SystemExit(f"{status} for {request[:120]!r}: {text}")


async def _fan_out(target: Target, job: Job) -> Numbers:
    """Measure how *count* changes reach *clients* watchers."""
    done, expected = asyncio.Event(), job.count * job.clients
    seen = 0

    def on_line(lines: int) -> None:
        nonlocal seen
        seen += lines
        if seen >= expected:
            done.set()

    writer = await connect(target)
    version = await _version(writer, target)
    watchers = [await connect(target) for _ in range(job.clients)]
    for watcher in watchers:
        watcher.on_line = on_line
        assert await watcher.begin(jobs.watch(target, version)) == 200
    todo = iter(jobs.requests(target, "patch", job.first, job.count))
    writers = [writer, *[await connect(target) for _ in range(3)]]
    meter = Meter(job.pids)
    await asyncio.gather(*(_drain(each, todo) for each in writers))
    await asyncio.wait_for(done.wait(), 120)
    return meter.result(expected)


async def _version(connection: Connection, target: Target) -> str:
    connection.kept = []
    await connection.ask(target.request("GET", "/api/v1/pods?limit=1"))
    metadata: dict[str, Any] = json.loads(b"".join(connection.kept))["metadata"]
    return str(metadata["resourceVersion"])


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(Job(**json.load(sys.stdin))))))
