"""A load generator in a process of its own: ``python -m bench.webhook.load``, a job on stdin.

The last line of its output is the result, as JSON.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice

from bench.apiserver.wire import Connection, Target, connect
from bench.webhook import answers, data

DIFFERENT = {"convert": 10}
"""How many different reviews there are, and else 100: they are made before the clock runs."""

WARM_UP = {"convert": 3}
"""How many reviews each connection sends before, and else 20."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """What to do.

    Attributes:
        target: The server, as the arguments of a `Target`.
        pid: Its process.
        scenario: Which reviews.
        clients: How many connections.
        count: How many reviews.
    """

    target: dict[str, str]
    pid: int
    scenario: str
    clients: int
    count: int


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process, user and system, all threads, to the nanosecond.

    ``/proc`` counts in hundredths of a second. The clock of a process has a number made of its
    pid, as clock_getcpuclockid(3) of Linux forms it.
    """
    return time.clock_gettime(~pid << 3 | 2)


async def run(job: Job) -> dict[str, float]:
    """Do the job."""
    target, scenario = Target(**job.target), job.scenario
    await check(target, scenario)
    requests = [
        target.request("POST", f"{data.PATHS[scenario]}?timeout=10s", data.body(scenario, number))
        for number in range(DIFFERENT.get(scenario, 100))
    ]
    connections = [await connect(target) for _ in range(job.clients)]
    warm = WARM_UP.get(scenario, 20) * job.clients
    await _send(connections, islice(cycle(requests), warm))
    before, began = cpu_seconds(job.pid), time.perf_counter()
    await _send(connections, islice(cycle(requests), job.count))
    cpu, wall = cpu_seconds(job.pid) - before, time.perf_counter() - began
    return {"cpu_us": cpu / job.count * 1e6, "per_second": job.count / wall}


async def _send(connections: list[Connection], todo: Iterator[bytes]) -> None:
    await asyncio.gather(*(_drain(connection, todo) for connection in connections))


async def _drain(connection: Connection, todo: Iterator[bytes]) -> None:
    for request in todo:
        if (status := await connection.ask(request)) != 200:
            raise SystemExit(f"the server answered {status} under load")


async def check(target: Target, scenario: str) -> None:
    """See that the server answers a review of *scenario* well, and refuses what is wrong.

    Raises:
        AnswerError: It does not.
        OSError: It does not listen.
    """
    connection = await connect(target)
    path = data.PATHS[scenario]
    answer = await _answer(connection, target.request("POST", path, data.body(scenario, 1)))
    answers.check(scenario, 1, answer)
    if scenario == "validate":
        answer = await _answer(connection, target.request("POST", path, data.refused(1)))
        answers.check_refused(answer)
    connection.close()


async def _answer(connection: Connection, request: bytes) -> bytes:
    connection.kept = []
    await connection.ask(request)
    answer, connection.kept = b"".join(connection.kept), None
    return answer


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(Job(**json.load(sys.stdin))))))
