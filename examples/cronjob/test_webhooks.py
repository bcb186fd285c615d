"""What the API server asks before it stores a CronJob: defaults, checks, and other versions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

import kubewright as kw
import v1
import v2
from cronjob import PARTS, check, conversion, doubts, from_v1, operator, set_defaults, to_v1
from kubewright.kinds.batch.v1 import Job, JobSpec, JobTemplateSpec
from kubewright.kinds.core.v1 import Container, PodSpec, PodTemplateSpec
from kubewright.testing import OperatorTest, check_round_trips, operator_test
from kubewright.webhook import AdmissionRequest
from schedule import parse

NAME = "tea"


def template() -> JobTemplateSpec:
    """Return the template of Jobs that do nothing."""
    container = Container(name="main", image="busybox", command=["true"])
    pod = PodSpec(restart_policy="Never", containers=[container])
    return JobTemplateSpec(spec=JobSpec(template=PodTemplateSpec(spec=pod)))


def old(schedule: str = "0 6 * * *", name: str = NAME, **spec: Any) -> v1.CronJob:
    """Return a CronJob in v1, as a user writes it."""
    spec = {"job_template": template(), **spec}
    metadata = kw.ObjectMeta(name=name, annotations={"note": "hot"})
    return v1.CronJob(metadata=metadata, spec=v1.CronJobSpec(schedule=schedule, **spec))


def new(**schedule: str | None) -> v2.CronJob:
    """Return a CronJob in v2, as a user writes it."""
    spec = v2.CronJobSpec(schedule=v2.CronSchedule(**schedule), job_template=template())
    return v2.CronJob(metadata=kw.ObjectMeta(name=NAME), spec=spec)


def checked(
    cronjob: v1.CronJob, before: v1.CronJob | None = None
) -> kw.AdmissionContext[v1.CronJob]:
    """Return what the check says of a CronJob, or of its change."""
    ctx = kw.AdmissionContext(AdmissionRequest(), cronjob, lambda: before)
    check(cronjob, ctx)
    return ctx


def problems_of(cronjob: v1.CronJob, before: v1.CronJob | None = None) -> list[str]:
    """Return the fields that are refused."""
    return [one["field"] for one in checked(cronjob, before).problems]


def as_v1(spoke: v2.CronJob) -> v1.CronJob:
    """Convert as the API server does, with what is kept for the way back."""
    return conversion.convert(spoke, v1.CronJob)


def as_v2(hub: v1.CronJob) -> v2.CronJob:
    """Convert as the API server does, with what is kept for the way back."""
    return conversion.convert(hub, v2.CronJob)


# --- Defaults ---


def test_what_was_not_given_is_filled_in() -> None:
    """The values that kubebuilder's tutorial has."""
    cronjob = old()

    set_defaults(cronjob)

    spec = cronjob.spec
    assert (spec.concurrency_policy, spec.suspend) == ("Allow", False)
    assert (spec.successful_jobs_history_limit, spec.failed_jobs_history_limit) == (3, 1)


def test_what_was_given_stays() -> None:
    """Also zero, which is not nothing."""
    given: dict[str, Any] = {
        "concurrency_policy": "Replace",
        "suspend": True,
        "successful_jobs_history_limit": 0,
        "failed_jobs_history_limit": 0,
    }
    cronjob = old(**given)

    set_defaults(cronjob)

    assert cronjob == old(**given)


# --- Checks ---


def test_a_good_one_has_no_problems() -> None:
    """Up to the longest name."""
    assert problems_of(old(name="t" * 52)) == []


def test_all_problems_are_told_at_once_with_path_value_and_reason() -> None:
    """Nobody likes to correct one after the other."""
    name = "t" * 53

    found = checked(old("0 25 * * *", name)).problems

    assert [(one["field"], one["message"]) for one in found] == [
        ("metadata.name", f'Invalid value: "{name}": must be no more than 52 characters'),
        (
            "spec.schedule",
            "Invalid value: \"0 25 * * *\": cannot read '25' as hour: write 0 to 23, not '25'",
        ),
    ]


def test_what_an_object_had_before_is_not_refused() -> None:
    """It may be older than the check, and somebody wants to suspend it, or to put a label on it."""
    before = old("every day", "t" * 60)

    assert problems_of(old("every day", "t" * 60, suspend=True), before) == []
    assert problems_of(old("each day", "t" * 60), before) == ["spec.schedule"]


@pytest.mark.parametrize(
    ("schedule", "policy", "said"),
    [
        ("0 0 30 2 *", None, "'0 0 30 2 *' never comes"),
        ("0 0 1 * MON", None, "it runs on each day that is one of them"),
        ("* 6 * * *", "Allow", "pile up"),
        ("*/1 * * * *", "Allow", "pile up"),
        ("* * * * *", "Forbid", ""),
        ("*/5 * * * *", "Allow", ""),
        ("0 0 29 2 *", None, ""),
        ("nonsense", None, ""),
    ],
)
def test_what_was_probably_not_meant_is_warned_of(
    schedule: str, policy: str | None, said: str
) -> None:
    """It is allowed, and kubectl prints the warning."""
    found = checked(old(schedule, concurrency_policy=policy)).warnings

    assert len(found) == bool(said)
    assert said in "".join(found)


def test_one_schedule_may_be_doubtful_in_several_ways() -> None:
    """Each is told, with the field that it is about."""
    spec = old("* 0 30 2 MON", concurrency_policy="Allow").spec

    fields = [text.partition(":")[0] for text in doubts(spec, parse(spec.schedule))]

    assert fields == ["spec.schedule", "spec.concurrencyPolicy"]


# --- Between the versions ---


def test_conversions_lose_nothing() -> None:
    """Whatever is written, valid or not; and but for the schedule, without the annotation, too."""
    check_round_trips(operator, lost=["spec.schedule"])


def test_five_fields_need_no_annotation() -> None:
    """A schedule that both versions can express is mixed up by neither function."""
    parts = dict(zip(PARTS, ["5", "6", "7", "8", "1"], strict=True))

    check_round_trips(operator, instances=[old("5 6 7 8 1"), new(**parts)], examples=0, lost=[])


@pytest.mark.parametrize(
    "schedule",
    ["@hourly", "0  6 * * *", " 0 6 * * *", "TZ=UTC 0 6 * * *", "every day", "0 0 30 2 *", "* *"],
)
def test_no_text_is_lost(schedule: str) -> None:
    """Those that chance does not find: macros, spaces, and what only old objects have."""
    check_round_trips(operator, instances=[old(schedule)], examples=0)


def test_no_star_is_lost() -> None:
    """Not given and a star are the same time, and not the same manifest."""
    stars = [new(minute="0", hour="*"), new(**dict.fromkeys(PARTS, "*")), new(minute="@hourly")]

    check_round_trips(operator, instances=stars, examples=0)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("0 6 * * *", {"minute": "0", "hour": "6"}),
        ("* * * * *", {}),
        ("*/5 1-3 1,2 JAN MON", dict(zip(PARTS, ["*/5", "1-3", "1,2", "JAN", "MON"], strict=True))),
    ],
)
def test_five_fields_are_the_same_in_both_versions(text: str, fields: dict[str, str]) -> None:
    """Each shows what the other does, and nothing has to be kept in an annotation."""
    hub = old(text)

    spoke = as_v2(hub)

    assert spoke.spec.schedule == v2.CronSchedule(**fields)
    assert spoke.metadata == old().metadata
    assert as_v1(spoke) == old(text)


def test_all_other_fields_are_the_same_in_both_versions() -> None:
    """Only the schedule is written in another way."""
    hub = old(concurrency_policy="Forbid", suspend=True, starting_deadline_seconds=5)

    spec = as_v2(hub).spec

    assert (spec.concurrency_policy, spec.suspend) == ("Forbid", True)
    assert spec.starting_deadline_seconds == 5
    assert spec.job_template == template()


@pytest.mark.parametrize("text", ["@hourly", "0  6 * * *", "every day"])
def test_a_text_that_fields_cannot_show_survives(text: str) -> None:
    """Whoever wrote a macro finds it again, and no annotation of anybody is lost meanwhile."""
    spoke = as_v2(old(text))

    assert set(spoke.metadata.annotations) == {"note", conversion.annotation}
    assert as_v1(spoke) == old(text)


def test_a_macro_is_shown_as_its_fields() -> None:
    """Readers of v2 see when it runs."""
    assert as_v2(old("@hourly")).spec.schedule == v2.CronSchedule(minute="0")


def test_a_text_without_five_fields_is_not_shown_as_each_minute() -> None:
    """Somebody would believe it."""
    assert from_v1(old("every day")).spec.schedule == v2.CronSchedule(minute="every day")


def test_a_star_that_was_written_survives() -> None:
    """What was applied is what is read, or tools would see a difference for ever."""
    hub = as_v1(new(minute="0", hour="*"))

    assert hub.spec.schedule == "0 * * * *"
    assert as_v2(hub) == new(minute="0", hour="*")


def test_an_edit_of_the_fields_wins_over_the_macro_that_was_kept() -> None:
    """The macro was true of the old fields only."""
    spoke = as_v2(old("@hourly"))
    spoke.spec.schedule.minute = "30"

    assert as_v1(spoke) == old("30 * * * *")


def test_an_edit_of_another_field_leaves_the_macro_alone() -> None:
    """Who suspends a CronJob by v2 does not rewrite its schedule."""
    spoke = as_v2(old("@hourly"))
    spoke.spec.suspend = True

    assert as_v1(spoke) == old("@hourly", suspend=True)


def test_an_edit_of_the_text_wins_over_the_star_that_was_kept() -> None:
    """As the other way round."""
    hub = as_v1(new(minute="0", hour="*", month="JAN"))
    hub.spec.schedule = "0 6 * * *"

    schedule = as_v2(hub).spec.schedule

    assert (schedule.minute, schedule.hour, schedule.month) == ("0", "6", None)


@pytest.mark.parametrize("value", ["", "nonsense", "[]", '{"v2":{"spec":{"schedule":7}}}'])
def test_an_annotation_that_somebody_wrote_does_no_harm(value: str) -> None:
    """It is an annotation: anybody may."""
    hub = old("0 * * * *")
    hub.metadata.annotations[conversion.annotation] = value

    assert as_v2(hub).spec.schedule == v2.CronSchedule(minute="0")


def test_the_status_is_the_same_in_both_versions() -> None:
    """The operator writes it in one, and users read it in the other."""
    hub = old()
    hub.status.conditions = [kw.Condition(type="Available", status="True", reason="Waiting")]

    assert from_v1(hub).status == hub.status
    assert to_v1(from_v1(hub)).status == hub.status


# --- Through a server ---


@asynccontextmanager
async def running(*objects: v1.CronJob) -> AsyncIterator[OperatorTest]:
    """Run the operator; *objects* are older than it."""
    async with operator_test(operator, objects=objects) as test:
        yield test


async def test_a_v1_object_can_be_read_and_written_as_v2_and_back() -> None:
    """Both versions are the same object, whichever is stored."""
    async with running() as test:
        await test.client.create(old("@hourly"))

        spoke = await test.client.get(v2.CronJob, NAME)
        assert spoke.spec.schedule == v2.CronSchedule(minute="0")
        assert spoke.spec.concurrency_policy == "Allow"

        await test.client.patch(v2.CronJob, NAME, {"spec": {"suspend": True}})
        hub = await test.client.get(v1.CronJob, NAME)
        assert (hub.spec.schedule, hub.spec.suspend) == ("@hourly", True)
        assert hub.metadata.annotations == {"note": "hot"}

        await test.client.patch(v2.CronJob, NAME, {"spec": {"schedule": {"hour": "6"}}})
        hub = await test.client.get(v1.CronJob, NAME)
        assert hub.spec.schedule == "0 6 * * *"


async def test_a_v2_object_has_defaults_and_is_checked_like_one_of_v1() -> None:
    """The functions know v1 only: the server converts for them, and their answer back."""
    async with running() as test:
        stored = await test.client.create(new(minute="0", hour="*"))
        with pytest.raises(kw.InvalidError, match="cannot read '25' as hour"):
            await test.client.patch(v2.CronJob, NAME, {"spec": {"schedule": {"hour": "25"}}})

        assert stored.spec.schedule == v2.CronSchedule(minute="0", hour="*")
        assert (stored.spec.concurrency_policy, stored.spec.suspend) == ("Allow", False)
        assert await test.client.get(v2.CronJob, NAME) == stored


async def test_a_v2_object_runs() -> None:
    """The operator watches v1 and need not know who wrote what."""
    async with running() as test:
        await test.client.create(new(minute="*/5"))
        await test.advance(300)

        assert len(await test.client.list(Job)) == 1


async def test_a_refusal_names_every_field() -> None:
    """As kubectl shows it: the path, the value, and what would be right."""
    name = "t" * 53
    async with running() as test:
        with pytest.raises(kw.InvalidError) as refused:
            await test.client.create(old("0 25 * * *", name))

        assert [cause.field for cause in refused.value.causes] == ["metadata.name", "spec.schedule"]
        assert "write 0 to 23, not '25'" in (refused.value.causes[1].message or "")
        assert not await test.client.list(v1.CronJob)


async def test_an_invalid_object_that_is_older_can_still_be_changed_elsewhere() -> None:
    """A new check must not take away the means to repair what it would refuse."""
    async with running(old("every day")) as test:
        await test.client.patch(v1.CronJob, NAME, {"spec": {"suspend": True}})
        await test.client.patch(v2.CronJob, NAME, {"metadata": {"labels": {"a": "b"}}})
        with pytest.raises(kw.InvalidError) as refused:
            await test.client.patch(v1.CronJob, NAME, {"spec": {"schedule": "each day"}})
        await test.client.patch(v1.CronJob, NAME, {"spec": {"schedule": "@daily"}})

        hub = await test.client.get(v1.CronJob, NAME)
        assert [cause.field for cause in refused.value.causes] == ["spec.schedule"]
        assert (hub.spec.schedule, hub.spec.suspend) == ("@daily", True)
        assert hub.metadata.labels == {"a": "b"}
