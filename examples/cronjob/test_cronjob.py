"""The operator on a whole cluster in virtual time: days pass in a moment."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import kubewright as kw
from cronjob import operator
from jobs import SCHEDULED_AT
from kubewright.kinds.batch.v1 import Job, JobSpec, JobTemplateSpec
from kubewright.kinds.core.v1 import Container, Event, Pod, PodSpec, PodTemplateSpec
from kubewright.testing import OperatorTest, VirtualClock, operator_test
from v1 import CronJob, CronJobSpec

NAME = "tea"
MINUTE, HOUR, DAY = 60, 3600, 86400
MIDNIGHT = datetime(2026, 1, 1, tzinfo=UTC)


def template(command: str = "true", **spec: Any) -> JobTemplateSpec:
    """Return the template of Jobs that run a command, once."""
    container = Container(name="main", image="busybox", command=["sh", "-c", command])
    pod = PodTemplateSpec(spec=PodSpec(restart_policy="Never", containers=[container]))
    return JobTemplateSpec(
        metadata=kw.ObjectMeta(labels={"drink": NAME}, annotations={"note": "hot"}),
        spec=JobSpec(template=pod, backoff_limit=0, **spec),
    )


def make_cronjob(schedule: str, command: str = "true", **spec: Any) -> CronJob:
    """Return the CronJob of a test."""
    spec = {"job_template": template(command), **spec}
    return CronJob(metadata=kw.ObjectMeta(name=NAME), spec=CronJobSpec(schedule=schedule, **spec))


@dataclass
class World:
    """A cluster with the operator on it, and the time."""

    test: OperatorTest

    @property
    def client(self) -> kw.Client:
        """The user's client."""
        return self.test.client

    async def create(self, schedule: str, command: str = "true", **spec: Any) -> None:
        """Create the CronJob of the test, and let the operator see it."""
        await self.client.create(make_cronjob(schedule, command, **spec))
        await self.test.settle()

    async def end_jobs(self) -> None:
        """Write what the controller of Jobs would write, if there is no cluster."""
        time = f"{self.test.clock.now():%Y-%m-%dT%H:%M:%SZ}"
        kinds = ("SuccessCriteriaMet", "Complete")
        conditions = [{"type": kind, "status": "True"} for kind in kinds]
        status = {"startTime": time, "completionTime": time, "conditions": conditions}
        for job in await self.client.list(Job):
            if not job.status.conditions:
                await self.client.status.patch(Job, job.key, {"status": status})
        await self.test.settle()

    async def patch(self, **spec: Any) -> None:
        """Change the spec."""
        await self.client.patch(CronJob, NAME, {"spec": spec})
        await self.test.settle()

    async def get(self) -> CronJob:
        """Return the CronJob."""
        return await self.client.get(CronJob, NAME)

    async def jobs(self) -> list[str]:
        """Return the times that Jobs exist for, in order, such as 12:05."""
        found = await self.client.list(Job, namespace="default")
        times = sorted(job.metadata.annotations[SCHEDULED_AT] for job in found)
        return [time[len("2026-01-01T") : -len(":00Z")] for time in times]

    async def active(self) -> list[str]:
        """Return the times that the status shows as running."""
        status = (await self.get()).status
        seconds = [int((one.name or "").removeprefix(f"{NAME}-")) for one in status.active]
        return [f"{datetime.fromtimestamp(one, UTC):%H:%M}" for one in seconds]

    async def reason(self) -> str:
        """Return the reason of the condition."""
        found = kw.find_condition((await self.get()).status.conditions, "Available")
        return "" if found is None else f"{found.status} {found.reason}"

    async def events(self, reason: str) -> int:
        """Return how many events of a reason were recorded on the CronJob."""
        await self.test.advance(1)  # events are sent in the background
        found = await self.client.list(Event)
        return sum(
            one.count or 1
            for one in found
            if one.reason == reason and one.involved_object.kind == "CronJob"
        )

    def jobs_made(self) -> int:
        """Return how many Jobs were ever made."""
        calls = self.test.server.api.audit.events(resource="jobs", verb="create")
        return sum(call.code == 201 for call in calls)


@asynccontextmanager
async def running(*older: CronJob, cluster: bool = True) -> AsyncIterator[World]:
    """Run the operator on a cluster of its own, from midnight on; or on an API server only.

    Objects that are *older* than the operator were not checked by its webhooks.
    """
    clock = VirtualClock(MIDNIGHT)
    async with operator_test(operator, cluster=cluster, objects=older, clock=clock) as test:
        yield World(test)


async def test_each_run_is_a_job_at_its_time_from_the_template() -> None:
    """What everybody tries first."""
    async with running() as world:
        await world.create("30 6 * * *", "sleep 60")
        assert (await world.jobs(), await world.reason()) == ([], "True Waiting")

        await world.test.advance(6.5 * HOUR - 1)
        assert await world.jobs() == []

        await world.test.advance(1)
        [job] = await world.client.list(Job)
        status = (await world.get()).status
        assert job.metadata.name == f"tea-{int(MIDNIGHT.timestamp() + 6.5 * HOUR)}"
        assert job.metadata.labels["drink"] == NAME
        assert job.metadata.annotations["note"] == "hot"
        assert job.metadata.annotations[SCHEDULED_AT] == "2026-01-01T06:30:00Z"
        assert status.last_schedule_time == MIDNIGHT + timedelta(hours=6.5)
        assert [(one.kind, one.name, one.uid) for one in status.active] == [
            ("Job", job.metadata.name, job.metadata.uid)
        ]

        await world.test.advance(2 * MINUTE)
        assert await world.active() == []


async def test_there_is_one_run_a_day_and_the_last_three_are_kept() -> None:
    """For as long as it runs."""
    async with running(cluster=False) as world:
        await world.create("30 6 * * *", successful_jobs_history_limit=3)
        seen = set()

        for _ in range(10):
            await world.test.advance(DAY)
            await world.end_jobs()
            seen |= {job.metadata.name for job in await world.client.list(Job)}

        last = int(MIDNIGHT.timestamp() + 9 * DAY + 6.5 * HOUR)
        left = [job.metadata.name for job in await world.client.list(Job)]
        assert seen == {f"tea-{last - number * DAY}" for number in range(10)}
        assert sorted(left) == [f"tea-{last - number * DAY}" for number in (2, 1, 0)]


async def test_the_wait_is_one_timer() -> None:
    """Nobody asks the server whether it is time yet."""
    async with running(cluster=False) as world:
        await world.create("0 0 1 7 *")
        before = len(world.test.runs)

        await world.test.advance(3 * DAY)

        assert len(world.test.runs) == before


async def test_at_rest_the_status_is_not_written() -> None:
    """A run that starts and ends is two changes, and there are no others."""
    async with running() as world:
        await world.create("0 * * * *", "sleep 60")
        world.test.server.api.audit.clear()

        await world.test.advance(3 * HOUR + 10 * MINUTE)

        calls = world.test.server.api.audit.events(resource="cronjobs", verb="patch")
        assert len(calls) == 3 * 2


@pytest.mark.parametrize(("command", "kept"), [("true", 2), ("false", 1)])
async def test_jobs_that_have_ended_are_kept_up_to_their_limit(command: str, kept: int) -> None:
    """Each kind of end has its own; the last ones are kept, and pods go with their Jobs."""
    async with running() as world:
        limits = {"successful_jobs_history_limit": 2, "failed_jobs_history_limit": 1}
        await world.create("0 * * * *", command, **limits)

        await world.test.advance(5.5 * HOUR)

        assert world.jobs_made() == 5
        assert await world.jobs() == ["04:00", "05:00"][-kept:]
        assert len(await world.client.list(Pod)) == kept


async def test_without_limits_all_jobs_are_kept_and_with_zero_none() -> None:
    """The last run is known without its Job, and not started again."""
    async with running() as world:
        await world.create("0 * * * *")
        await world.test.advance(3.5 * HOUR)
        assert await world.jobs() == ["01:00", "02:00", "03:00"]

        await world.patch(successfulJobsHistoryLimit=0)
        assert await world.jobs() == []

        await world.test.advance(HOUR)
        assert (await world.jobs(), world.jobs_made()) == ([], 4)


@pytest.mark.parametrize(
    ("policy", "active", "made"),
    [
        (None, ["00:01", "00:02", "00:03"], 3),
        ("Allow", ["00:01", "00:02", "00:03"], 3),
        ("Forbid", ["00:01"], 1),
        ("Replace", ["00:03"], 3),
    ],
)
async def test_a_policy_says_what_becomes_of_runs_that_overlap(
    policy: str | None, active: list[str], made: int
) -> None:
    """The first run is still going on when the next ones are due."""
    async with running() as world:
        await world.create("* * * * *", "sleep 100000", concurrency_policy=policy)

        await world.test.advance(3.5 * MINUTE)

        assert (await world.active(), world.jobs_made()) == (active, made)
        assert await world.jobs() == active


async def test_a_forbidden_run_starts_when_the_last_one_has_ended() -> None:
    """It is late, and not lost; only the latest of several is made up for."""
    async with running() as world:
        await world.create("* * * * *", "sleep 210", concurrency_policy="Forbid")

        await world.test.advance(3 * MINUTE)
        assert (await world.jobs(), await world.reason()) == (["00:01"], "True JobAlreadyActive")

        await world.test.advance(2 * MINUTE)
        assert await world.jobs() == ["00:01", "00:04"]
        assert await world.active() == ["00:04"]


async def test_a_run_that_cannot_start_before_its_deadline_is_left_out() -> None:
    """The next one is not: it has a deadline of its own."""
    async with running() as world:
        await world.create(
            "*/5 * * * *", "sleep 400", concurrency_policy="Forbid", starting_deadline_seconds=60
        )

        await world.test.advance(13 * MINUTE)
        assert (await world.jobs(), await world.reason()) == (["00:05"], "True MissedDeadline")
        assert await world.events("MissedDeadline") == 1

        await world.test.advance(3 * MINUTE)
        assert await world.jobs() == ["00:05", "00:15"]


async def test_a_suspended_one_starts_nothing_and_afterwards_only_the_last_run() -> None:
    """As in Kubernetes; what runs goes on."""
    async with running() as world:
        await world.create("0 * * * *", "sleep 600", suspend=True)
        await world.test.advance(5.5 * HOUR)
        assert (await world.jobs(), await world.reason()) == ([], "False Suspended")

        await world.patch(suspend=False)
        assert (await world.jobs(), await world.reason()) == (["05:00"], "True Waiting")

        await world.patch(suspend=True)
        await world.test.advance(2 * HOUR)
        assert (await world.jobs(), await world.active()) == (["05:00"], [])


async def test_a_deadline_spares_the_run_that_was_missed_while_suspended() -> None:
    """Half an hour late is too late for it."""
    async with running() as world:
        await world.create("0 * * * *", suspend=True, starting_deadline_seconds=60)
        await world.test.advance(5.5 * HOUR)

        await world.patch(suspend=False)
        assert await world.jobs() == []

        await world.test.advance(HOUR)
        assert await world.jobs() == ["06:00"]


async def test_too_many_missed_runs_are_told_and_the_last_one_is_started() -> None:
    """Nobody has to touch the CronJob for it to go on."""
    async with running() as world:
        await world.create("* * * * *", suspend=True)
        await world.test.advance(2 * HOUR + 30)

        await world.patch(suspend=False)

        assert await world.jobs() == ["02:00"]
        assert await world.events("TooManyMissedRuns") == 1


async def test_a_changed_schedule_counts_at_once() -> None:
    """The timer of the old one does no harm."""
    async with running(cluster=False) as world:
        await world.create("0 12 * * *")
        await world.test.advance(HOUR)

        await world.patch(schedule="30 2 * * *")
        await world.test.advance(2 * HOUR)
        assert await world.jobs() == ["02:30"]

        await world.test.advance(DAY - 4 * HOUR)
        assert await world.jobs() == ["02:30"]


@pytest.mark.parametrize(
    ("schedule", "reason"),
    [("every day", "False InvalidSchedule"), ("0 0 30 2 *", "False NeverDue")],
)
async def test_a_schedule_without_sense_is_told_and_can_be_corrected(
    schedule: str, reason: str
) -> None:
    """What is older than the webhook was not refused; it is not tried over and over, either."""
    async with running(make_cronjob(schedule), cluster=False) as world:
        before = len(world.test.runs)

        await world.test.advance(DAY)
        assert (await world.reason(), len(world.test.runs)) == (reason, before)
        assert await world.events(reason.split()[1]) == 1

        await world.patch(schedule="@hourly")
        assert await world.reason() == "True Waiting"


async def test_a_template_that_the_server_refuses_is_told_and_tried_at_the_next_time() -> None:
    """Not in a loop, and not given up."""
    async with running(cluster=False) as world:
        broken = template()
        broken.spec.template.spec.restart_policy = "Always"
        await world.create("0 * * * *", job_template=broken)

        await world.test.advance(2.5 * HOUR)
        calls = world.test.server.api.audit.events(resource="jobs", verb="create")
        assert [call.code for call in calls] == [422, 422]
        assert await world.reason() == "False InvalidJob"

        await world.patch(jobTemplate={"spec": {"template": {"spec": {"restartPolicy": "Never"}}}})
        assert (await world.jobs(), await world.reason()) == (["02:00"], "True Waiting")


async def test_it_goes_with_all_that_it_made() -> None:
    """Deleting the custom resource leaves nothing behind, also of what runs."""
    async with running() as world:
        await world.create("* * * * *", "sleep 100000")
        await world.test.advance(5 * MINUTE)

        await world.client.delete(CronJob, NAME)
        await world.test.advance(10 * MINUTE)

        assert not await world.client.list(Job)
        assert not await world.client.list(Pod)


async def test_who_comes_later_makes_up_for_the_last_run_only() -> None:
    """Down for days: the times are in the status, not in the memory of a process."""
    async with running(cluster=False) as world:
        await world.create("0 * * * *")
        await world.test.advance(1.5 * HOUR)
        await world.test.manager.remove(operator)
        await world.test.advance(3 * DAY + HOUR)
        assert await world.jobs() == ["01:00"]

        operator.add_to(
            world.test.manager, serve_webhooks=None
        )  # the server asks those that it knows
        await world.test.settle()

        assert await world.jobs() == ["01:00", "02:00"]
        assert (await world.get()).status.last_schedule_time == MIDNIGHT + timedelta(
            days=3, hours=2
        )
