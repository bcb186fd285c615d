"""From a write to the reconcile that it causes, on the clock that all processes share.

The writer is this process, the same for every contender: it patches one ConfigMap again and again,
with nothing but the standard library. The contender notes when its reconciler has read each change.
"""

import time

from bench.measure import Numbers, Work
from bench.run import MeasurementError
from bench.runtime.process import Contender
from bench.runtime.real import MERGE_PATCH, Server

WARM_UP = 0.1  # the first tenth of the writes does not count
PAUSE = 0.02  # seconds between two writes: every one is a wake-up of its own
_MS = 1e-6


def prepare(server: Server) -> str:
    """Create the ConfigMap in a namespace of its own; return the namespace."""
    namespace = server.new_namespace()
    metadata = {"name": "one", "namespace": namespace, "labels": {"seq": "0"}}
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"key": "value"}}
    server.create(f"/api/v1/namespaces/{namespace}/configmaps", body)
    return namespace


def measure(contender: Contender, server: Server, work: Work) -> Numbers:
    """Write as soon as the contender is ready; return the latencies in milliseconds."""
    contender.wait_until_ready()
    time.sleep(0.5)  # for its watch to be open
    path = f"/api/v1/namespaces/{work.namespace}/configmaps/one"
    written: dict[str, tuple[int, int]] = {}
    for number in range(1, work.patches + 1):
        body = {"metadata": {"labels": {"seq": str(number)}}}
        before = time.monotonic_ns()
        server.ask("PATCH", path, body, media=MERGE_PATCH)
        written[str(number)] = before, time.monotonic_ns()
        time.sleep(PAUSE)
    return summary(written, contender.result())


def summary(written: dict[str, tuple[int, int]], seen: Numbers) -> Numbers:
    """Return the percentiles; *seen* says when each change was reconciled.

    A change that was overtaken by the next one counts from its write to the reconcile of that one.
    """
    whole, after = [], []
    latest = float("inf")
    counted = sorted(written, key=int)[int(len(written) * WARM_UP) :]
    for number in reversed(counted):
        latest = min(latest, seen.get(number, float("inf")))
        if latest == float("inf"):
            raise MeasurementError(f"change {number} was never reconciled")
        before, answered = written[number]
        whole.append((latest - before) * _MS)
        after.append((latest - answered) * _MS)
    return {
        "p50": percentile(whole, 50),
        "p99": percentile(whole, 99),
        "after_p50": percentile(after, 50),
        "after_p99": percentile(after, 99),
    }


def percentile(values: list[float], percent: float) -> float:
    """Return the smallest value that *percent* of them do not exceed."""
    ordered = sorted(values)
    place = -(-len(ordered) * percent // 100)
    return ordered[int(max(place, 1)) - 1]
