"""The CronJob operator killed at each of its requests in turn, in virtual time."""

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

import kubewright as kw
from cronjob import operator
from kubewright.api.requests import Request
from kubewright.kinds.batch.v1 import Job, JobSpec, JobTemplateSpec
from kubewright.kinds.core.v1 import Container, PodSpec, PodTemplateSpec
from kubewright.testing import EmbeddedServer, Hanging, Lost, VirtualClock
from kubewright.testing.faults import Fault
from tests.e2e.test_at_killed import Death
from tests.e2e.test_at_killed import World as Killing
from v1 import ConcurrencyPolicy, CronJob, CronJobSpec

MIDNIGHT = datetime(2026, 1, 1, tzinfo=UTC)
LEAST = 6
"""How many requests it takes: two watches, and three of Waiting, the Job, its run, its end."""


async def live(client: kw.Client) -> None:
    """Run the operator as ``kubewright run --no-webhooks`` does: they need a real network."""
    manager = kw.Manager(kw.Cluster(client, field_owner=operator.name), grace_period=0)
    operator.add_to(manager, serve_webhooks=None)
    await manager.run()


@dataclass
class World(Killing):
    """A server, its time, and whoever looks at it."""

    async def end(self) -> None:
        """Let all Jobs succeed."""
        time = f"{self.clock.now():%Y-%m-%dT%H:%M:%SZ}"
        kinds = ("SuccessCriteriaMet", "Complete")
        conditions = [{"type": kind, "status": "True"} for kind in kinds]
        status = {"startTime": time, "completionTime": time, "conditions": conditions}
        for job in await self.client.list(Job):
            if not job.status.conditions:
                await self.client.status.patch(Job, job.key, {"status": status})

    def jobs_made(self) -> int:
        """Return how many Jobs were ever made."""
        calls = self.server.api.audit.events(resource="jobs", verb="create")
        return sum(call.code == 201 for call in calls)


@dataclass
class DeathAfterCreation:
    """Nothing is sent after the first Job was created."""

    dead: bool = False

    def choose(self, request: Request) -> Fault | None:
        """Let requests pass until then."""
        if self.dead:
            return Hanging(1e9)
        self.dead = request.method == "POST" and "/jobs" in request.target
        return Lost() if self.dead else None


@asynccontextmanager
async def world(policy: ConcurrencyPolicy) -> AsyncIterator[World]:
    """Yield a server with a CronJob for each minute, which keeps no Jobs that have ended."""
    clock = VirtualClock(MIDNIGHT)
    container = Container(name="main", image="busybox", command=["true"])
    pod = PodTemplateSpec(spec=PodSpec(restart_policy="Never", containers=[container]))
    spec = CronJobSpec(
        schedule="* * * * *",
        concurrency_policy=policy,
        job_template=JobTemplateSpec(spec=JobSpec(template=pod)),
        successful_jobs_history_limit=0,
    )
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        await operator.install_crds(client)
        await client.create(CronJob(metadata=kw.ObjectMeta(name="tea"), spec=spec))
        yield World(server, clock, client)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("policy", ["Allow", "Forbid", "Replace"])
async def test_killed_at_any_request_it_starts_each_run_once(
    policy: ConcurrencyPolicy, *, done: bool
) -> None:
    """Also if the Job ends while nobody looks, and is deleted by whoever comes next."""
    for number in itertools.count(1):
        death = Death(number, done)
        async with world(policy) as w:
            await w.live(live, 80, death)
            await w.end()  # while nobody looks
            for _ in range(3):
                await w.live(live, 10)
                await w.end()
            assert w.jobs_made() == 1, f"killed at request {number}"

            await w.live(live, 10)
            await w.end()
            await w.live(live, 10)

            status = (await w.client.get(CronJob, "tea")).status
            assert w.jobs_made() == 2, f"killed at request {number}"
            assert status.last_schedule_time == MIDNIGHT + timedelta(minutes=2)
            assert (status.active, len(await w.client.list(Job))) == ([], 0)
        if death.count < number:
            break  # it has lived to the end
    assert number > LEAST


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
async def test_killed_before_the_status_and_again_later_it_starts_each_run_once(
    *, done: bool
) -> None:
    """The first is killed when only the Job tells of the run; the second tidies up."""
    for number in itertools.count(1):
        death = Death(number, done)
        async with world("Allow") as w:
            await w.live(live, 80, DeathAfterCreation())
            await w.end()
            await w.live(live, 10, death)
            await w.live(live, 10)

            assert w.jobs_made() == 1, f"killed again at request {number}"
        if death.count < number:
            break
    assert number > 2
