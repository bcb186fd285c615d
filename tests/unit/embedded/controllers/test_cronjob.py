"""CronJobs through the hours of a virtual day."""

from datetime import UTC, datetime, timedelta
from typing import Any

import kubewright as kw
from kubewright.embedded.controllers.cronjob import cronjob_controller, job_for, latest
from kubewright.embedded.controllers.job import job_controller
from kubewright.embedded.controllers.schedule import parse_schedule
from kubewright.kinds.batch.v1 import CronJob, CronJobSpec, Job, JobTemplateSpec
from tests.unit.embedded.controllers.job.samples import job
from tests.unit.embedded.controllers.stage import Stage, staged

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE = 60


def cronjob(schedule: str = "*/5 * * * *", **spec: Any) -> CronJob:
    template = JobTemplateSpec(metadata=kw.ObjectMeta(labels={"app": "tick"}), spec=job().spec)
    return CronJob(
        metadata=kw.ObjectMeta(name="tick"),
        spec=CronJobSpec(schedule=schedule, job_template=template, **spec),
    )


async def jobs(stage: Stage) -> list[Job]:
    return sorted(await stage.client.list(Job), key=lambda one: one.metadata.name)


async def finish_all(stage: Stage, *, code: int = 0) -> None:
    for pod in await stage.active():
        await stage.finish(pod, code=code)


async def test_a_job_is_made_at_each_time_and_named_after_its_minute() -> None:
    """Two programs that both think it is time make the same Job, and one of them fails."""
    async with staged(cronjob_controller, job_controller) as stage:
        made = await stage.create(cronjob())
        await stage.clock.advance(5 * MINUTE - 1)
        early = await jobs(stage)

        await stage.clock.advance(1)

        [one] = await jobs(stage)
        now = await stage.now(made)
        due = NEW_YEAR + timedelta(minutes=5)
        assert early == []
        assert one.metadata.name == f"tick-{int(due.timestamp()) // 60}"
        assert one.metadata.labels["app"] == "tick"
        stamp = "batch.kubernetes.io/cronjob-scheduled-timestamp"
        assert one.metadata.annotations[stamp] == "2026-01-01T00:05:00Z"
        assert [each.name for each in now.status.active] == [one.metadata.name]
        assert now.status.last_schedule_time == due
        assert await stage.events("SuccessfulCreate") != []
        assert f"Created job {one.metadata.name}" in await stage.events("SuccessfulCreate")


async def test_a_job_that_has_ended_is_active_no_more() -> None:
    """And its end is the last success."""
    async with staged(cronjob_controller, job_controller) as stage:
        made = await stage.create(cronjob())
        await stage.clock.advance(5 * MINUTE)
        [one] = await jobs(stage)

        await finish_all(stage)

        now = await stage.now(made)
        assert now.status.active == []
        assert now.status.last_successful_time == stage.clock.now()
        [text] = await stage.events("SawCompletedJob")
        assert text == f"Saw completed job: {one.metadata.name}, condition: Complete"


async def test_only_the_latest_jobs_are_kept() -> None:
    """Three that succeeded and one that failed, unless said otherwise."""
    async with staged(cronjob_controller, job_controller) as stage:
        one = cronjob(successful_jobs_history_limit=2, failed_jobs_history_limit=0)
        one.spec.job_template.spec.backoff_limit = 0
        await stage.create(one)
        for number in range(5):
            await stage.clock.advance(5 * MINUTE)
            await finish_all(stage, code=int(number == 2))

        kept = await jobs(stage)

        assert [each.status.succeeded for each in kept] == [1, 1]
        assert len(await stage.events("SuccessfulDelete")) == 3


async def test_forbid_waits_for_the_job_before() -> None:
    """And says so."""
    async with staged(cronjob_controller, job_controller) as stage:
        await stage.create(cronjob(concurrency_policy="Forbid"))
        await stage.clock.advance(12 * MINUTE)
        during = await jobs(stage)

        await finish_all(stage)

        assert len(during) == 1
        assert len(await jobs(stage)) == 2  # the one that was missed, at once
        [text] = await stage.events("JobAlreadyActive")
        assert text.endswith("concurrency policy is Forbid")


async def test_replace_ends_the_job_before() -> None:
    """Only the latest counts."""
    async with staged(cronjob_controller, job_controller) as stage:
        made = await stage.create(cronjob(concurrency_policy="Replace"))
        await stage.clock.advance(5 * MINUTE)
        [first] = await jobs(stage)

        await stage.clock.advance(5 * MINUTE)

        [second] = await jobs(stage)
        now = await stage.now(made)
        assert second.metadata.name != first.metadata.name
        assert [one.name for one in now.status.active] == [second.metadata.name]


async def test_allow_lets_them_run_side_by_side() -> None:
    """The default."""
    async with staged(cronjob_controller, job_controller) as stage:
        made = await stage.create(cronjob())

        await stage.clock.advance(15 * MINUTE)

        assert len((await stage.now(made)).status.active) == 3


async def test_nothing_starts_while_it_is_suspended() -> None:
    """What was due meanwhile is made up for, once, when it goes on."""
    async with staged(cronjob_controller, job_controller) as stage:
        made = await stage.create(cronjob(suspend=True))
        await stage.clock.advance(60 * MINUTE)
        none = await jobs(stage)

        await stage.change(made, lambda one: setattr(one.spec, "suspend", False))

        assert none == []
        assert len(await jobs(stage)) == 1


async def test_what_is_too_late_is_left_out() -> None:
    """StartingDeadlineSeconds."""
    async with staged(cronjob_controller, job_controller) as stage:
        made = await stage.create(cronjob(suspend=True, starting_deadline_seconds=60))
        await stage.clock.advance(7 * MINUTE)

        await stage.change(made, lambda one: setattr(one.spec, "suspend", False))

        assert await jobs(stage) == []
        await stage.clock.advance(3 * MINUTE)
        assert len(await jobs(stage)) == 1


async def test_the_clocks_of_the_zone_count() -> None:
    """Half past nine in Tokyo is half past midnight in UTC."""
    async with staged(cronjob_controller, job_controller) as stage:
        await stage.create(cronjob("30 9 * * *", time_zone="Asia/Tokyo"))

        await stage.clock.advance(30 * MINUTE)

        [one] = await jobs(stage)
        stamp = one.metadata.annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"]
        assert stamp == "2026-01-01T09:30:00+09:00"


async def test_a_restart_in_the_middle_makes_no_second_job() -> None:
    """The Job was made, and the controller died before it could note that."""
    async with staged(job_controller) as stage:
        made = await stage.create(cronjob())
        due = NEW_YEAR + timedelta(minutes=5)
        await stage.clock.advance(5 * MINUTE)
        await stage.create(job_for(made, due))
        controller = cronjob_controller(stage.cluster)

        async with stage.running(controller):
            pass

        now = await stage.now(made)
        assert len(await jobs(stage)) == 1
        assert len(now.status.active) == 1
        assert now.status.last_schedule_time == due


async def test_at_rest_one_timer_waits_and_nothing_is_written() -> None:
    """Hours until the next time cost nothing."""
    async with staged(cronjob_controller) as stage:
        made = await stage.create(cronjob("0 0 2 1 *"))
        before = await stage.now(made)

        await stage.clock.advance(23 * 60 * MINUTE)

        after = await stage.now(made)
        assert after.metadata.resource_version == before.metadata.resource_version


def test_after_a_long_pause_only_the_last_times_are_looked_at() -> None:
    """A year of minutes is half a million; people are told once there are more than a hundred."""
    schedule = parse_schedule("* * * * *")
    now = NEW_YEAR + timedelta(days=365, seconds=30)

    found, missed = latest(schedule, NEW_YEAR, now)

    assert found == NEW_YEAR + timedelta(days=365)
    assert missed > 100


def test_missed_times_are_counted() -> None:
    """Between the last one and now."""
    schedule = parse_schedule("0 * * * *")

    assert latest(schedule, NEW_YEAR, NEW_YEAR + timedelta(minutes=59)) == (None, 0)
    hours = NEW_YEAR + timedelta(hours=3, minutes=5)
    assert latest(schedule, NEW_YEAR, hours) == (NEW_YEAR + timedelta(hours=3), 3)


async def test_a_schedule_that_never_comes_is_told() -> None:
    """It can be read, so only an event says why nothing ever starts."""
    async with staged(cronjob_controller) as stage:
        await stage.create(cronjob("59 23 31 2 *"))

        assert await jobs(stage) == []
        [told] = await stage.events("InvalidSchedule")
        assert told.startswith("invalid schedule: 59 23 31 2 * : time difference")
