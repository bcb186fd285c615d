"""A run: the real server, our operator with its releases, and the same done by helm.

operator-sdk's operator makes a dry-run upgrade of each release each minute, in its own process.
That is measured as `helm upgrade --dry-run` less what `helm version` takes, so that helm pays
neither for its start nor for anything that the operator does besides.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import kubewright as kw
from bench.helm.figures import HELM, OURS, Amount
from bench.helm.operators import (
    Operator,
    change,
    install,
    look_each_minute,
    operator,
    write_project,
)
from bench.helm.program import Helm
from bench.run import MeasurementError, Results
from bench.runtime.real import Server, real_server

_MANY_SERVICES = "--service-cluster-ip-range=10.0.0.0/16"
SETTLING = 5.0
"""Seconds for an operator to be done with what it was just told."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to run.

    Attributes:
        scenarios: Which.
        rounds: How often.
        amount: How much.
        assets: The folder with etcd and kube-apiserver.
    """

    scenarios: tuple[str, ...]
    rounds: int
    amount: Amount
    assets: Path | None = None


def run(plan: Plan) -> Results:
    """Measure everything, each round in namespaces of its own."""
    results = Results()
    with real_server(plan.assets, _MANY_SERVICES) as server:
        for number in range(plan.rounds):
            try:
                with _prepared(server) as (folder, helm, namespace):
                    asyncio.run(Round(plan, results, server, folder, helm, namespace).measure())
            except (MeasurementError, kw.errors.KubewrightError) as error:
                results.errors.append(f"round {number + 1}: {error}")
                print(f"round {number + 1} FAILED: {error}", file=sys.stderr, flush=True)
    return results


@contextmanager
def _prepared(server: Server) -> Iterator[tuple[Path, Helm, str]]:
    with tempfile.TemporaryDirectory(prefix="kubewright-bench-") as text:
        folder = Path(text, "project")
        helm = Helm(folder, server.kubeconfig, server.new_namespace())
        write_project(folder)
        yield folder, helm, server.new_namespace()


@dataclass
class Round:
    """One round: the operator starts with nothing, and helm works when it has ended."""

    plan: Plan
    results: Results
    server: Server
    folder: Path
    helm: Helm
    namespace: str

    async def measure(self) -> None:
        """Measure all scenarios."""
        with operator(self.folder, self.server.kubeconfig, self.namespace) as under_test:
            async with kw.Client(kw.Config.load(self.server.kubeconfig)) as client:
                await self._ours(client, under_test)
        self._helms()

    async def _ours(self, client: kw.Client, under_test: Operator) -> None:
        count = self.plan.amount.releases
        await install(client, self.namespace, count)
        if "idle" in self.plan.scenarios:
            rest = await self._watch(under_test)
            rss = under_test.rss
            await look_each_minute(client, self.namespace, count)
            period = await self._watch(under_test)
            self._add("idle", OURS, cpu_s=rest, period_cpu_s=period, rss_mb=rss)
        if "change" in self.plan.scenarios:
            await self._changes(client, under_test)

    async def _watch(self, under_test: Operator) -> float:
        """Return the CPU seconds of one minute in which nothing happens."""
        await asyncio.sleep(SETTLING)
        before = under_test.cpu_seconds
        await asyncio.sleep(self.plan.amount.seconds)
        return (under_test.cpu_seconds - before) / self.plan.amount.seconds * 60

    async def _changes(self, client: kw.Client, under_test: Operator) -> None:
        times, before = [], under_test.cpu_seconds
        for number in range(self.plan.amount.changes):
            began = time.perf_counter()
            await change(client, self.namespace, f"shop-{number}", 3)
            times.append(time.perf_counter() - began)
        await asyncio.sleep(SETTLING)  # the status is written, and old revisions go
        cpu = (under_test.cpu_seconds - before) / self.plan.amount.changes
        self._add("change", OURS, ms=statistics.median(times) * 1e3, cpu_ms=cpu * 1e3)

    def _helms(self) -> None:
        changes = range(self.plan.amount.changes)
        self.helm.run("install", "shop-0", "shop")
        start = statistics.median(self.helm.run("version").cpu for _ in changes)
        if "idle" in self.plan.scenarios:
            looks = [self.helm.run("upgrade", "shop-0", "shop", "--dry-run") for _ in changes]
            look = statistics.median(one.cpu for one in looks) - start
            minute = look * self.plan.amount.releases
            self._add("idle", HELM, cpu_s=minute, period_cpu_s=minute)
        if "change" in self.plan.scenarios:
            costs = [
                self.helm.run("upgrade", "shop-0", "shop", "--set", f"replicaCount={number + 2}")
                for number in changes
            ]
            wall = statistics.median(one.wall for one in costs)
            cpu = statistics.median(one.cpu for one in costs)
            self._add("change", HELM, ms=wall * 1e3, cpu_ms=cpu * 1e3)

    def _add(self, scenario: str, contender: str, **numbers: float) -> None:
        self.results.add(scenario, contender, numbers)
        text = "  ".join(f"{name} {value:,.2f}" for name, value in numbers.items())
        print(f"{scenario:10} {contender:18} {text}", file=sys.stderr, flush=True)
