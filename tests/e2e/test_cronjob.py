"""The CronJob operator as a process: Jobs by a schedule."""

from datetime import UTC, datetime, timedelta

import pytest

import kubewright as kw
from jobs import SCHEDULED_AT
from kubewright.kinds.batch.v1 import Job
from kubewright.webhook import WebhookServing
from tests.e2e.cronjobs import NAME, SAMPLE, StartCronJob, manifest
from tests.e2e.cronjobs import V1 as KIND
from tests.e2e.kubectl import Kubectl
from tests.e2e.traefik import eventually
from v1 import CronJob, CronJobStatus

pytest_plugins = ("tests.e2e.cronjob_fixtures",)


@pytest.fixture(autouse=True)
def _crd(serving: WebhookServing) -> None:
    """Install the CRD: objects are applied before the operator starts."""


def apply(kubectl: Kubectl, *lines: str, schedule: str = "*/1 * * * *") -> None:
    """Apply the sample, with more lines in its spec."""
    kubectl("apply", "--filename", "-", stdin=manifest(*lines, schedule=schedule))


def last_minute(minutes: int = 0) -> datetime:
    """Return the full minute before now, or some minutes before it."""
    return datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=minutes)


async def pretend_last_run(client: kw.Client, time: datetime) -> None:
    """Write a status that says when the last run was, so that no test has to wait a minute."""
    text = f"{time:%Y-%m-%dT%H:%M:%SZ}"
    await client.status.patch(CronJob, NAME, {"status": {"lastScheduleTime": text}})


async def has_run(client: kw.Client, *, ended: bool = True) -> CronJobStatus:
    """Wait until a run of the last minutes was started and, if asked, has ended."""
    found = await kw.wait_for(
        client,
        CronJob,
        NAME,
        lambda one: (
            one is not None
            and one.status.last_schedule_time is not None
            and one.status.last_schedule_time > last_minute(3)
            and bool(one.status.active) != ended
        ),
        timeout=60,
    )
    assert found is not None
    return found.status


async def jobs_of(client: kw.Client) -> list[Job]:
    """Return the Jobs, the oldest first."""
    jobs = await client.list(Job, namespace=client.namespace)
    return sorted(jobs, key=lambda job: job.metadata.annotations[SCHEDULED_AT])


async def test_a_run_that_is_due_is_a_job_whose_pod_does_the_work(
    client: kw.Client, kubectl: Kubectl, start_cronjob: StartCronJob
) -> None:
    """What everybody tries first."""
    apply(kubectl)
    await pretend_last_run(client, last_minute(5))

    start_cronjob()
    status = await has_run(client)

    job = (await jobs_of(client))[0]
    assert status.last_schedule_time is not None
    assert "Hello from the Kubernetes cluster" in kubectl("logs", f"job/{job.metadata.name}")
    table = kubectl("get", KIND, NAME).splitlines()
    assert table[0].split("  ")[0] == "NAME"
    assert "*/1 * * * *" in table[1]
    assert "Started" in kubectl("get", "events")


async def test_what_runs_is_in_the_status_and_goes_with_its_cronjob(
    client: kw.Client, kubectl: Kubectl, start_cronjob: StartCronJob
) -> None:
    """Deleting the custom resource leaves nothing behind."""
    text = SAMPLE.replace("date; echo", "sleep 3600; echo")
    kubectl("apply", "--filename", "-", stdin=text)
    await pretend_last_run(client, last_minute(5))
    start_cronjob()
    status = await has_run(client, ended=False)
    names = [one.name for one in status.active]
    assert set(names) <= {job.metadata.name for job in await jobs_of(client)}

    kubectl("delete", KIND, NAME)

    for name in names:
        await kw.wait_for(client, Job, name or "", lambda job: job is None, timeout=60)


async def test_history_limits_hold(
    client: kw.Client, kubectl: Kubectl, start_cronjob: StartCronJob
) -> None:
    """With a limit of zero, nothing is left of a run but its time."""
    apply(kubectl, "successfulJobsHistoryLimit: 0")
    await pretend_last_run(client, last_minute(5))
    async with client.watch(Job, namespace=client.namespace) as changes:
        start_cronjob()

        async for change in changes:
            if change.type == "DELETED":
                break

    await has_run(client)


async def test_a_suspended_one_says_so_and_runs_when_it_is_not(
    client: kw.Client, kubectl: Kubectl, start_cronjob: StartCronJob
) -> None:
    """The condition is for people who wonder why nothing happens."""
    apply(kubectl, "suspend: true")
    await pretend_last_run(client, last_minute(5))
    start_cronjob()
    kubectl("wait", "--for=condition=Available=false", KIND, NAME, "--timeout=60s")
    assert await jobs_of(client) == []

    kubectl("patch", KIND, NAME, "--type=merge", '--patch={"spec":{"suspend":false}}')

    await has_run(client)


async def test_a_schedule_that_cannot_be_read_is_told_and_can_be_corrected(
    client: kw.Client, kubectl: Kubectl, start_cronjob: StartCronJob
) -> None:
    """What is older than the webhook was not refused, and the status is where to look."""
    apply(kubectl, schedule="every day")
    program = start_cronjob()
    kubectl("wait", "--for=condition=Available=false", KIND, NAME, "--timeout=60s")
    assert "2 fields instead of five" in kubectl("get", KIND, NAME, "--output=yaml")

    kubectl("patch", KIND, NAME, "--type=merge", '--patch={"spec":{"schedule":"@yearly"}}')
    kubectl("wait", "--for=condition=Available", KIND, NAME, "--timeout=60s")

    assert program.stop() == 0


@pytest.mark.parametrize(
    "line",
    [
        "startingDeadlineSeconds: -1",
        "concurrencyPolicy: Sometimes",
        "successfulJobsHistoryLimit: -1",
        "failedJobsHistoryLimit: many",
        "suspend: perhaps",
    ],
)
async def test_a_field_that_makes_no_sense_is_refused(kubectl: Kubectl, line: str) -> None:
    """By the API server, with the path; no operator needs to run for that."""
    field = line.partition(":")[0]
    kept = [one for one in SAMPLE.splitlines(keepends=True) if f"  {field}:" not in one]
    text = "".join(kept).replace("spec:\n", f"spec:\n  {line}\n", 1)

    assert f"spec.{field}" in kubectl.run_refused("apply", "--filename", "-", stdin=text)


async def test_kubectl_explains_the_fields(kubectl: Kubectl) -> None:
    """The docstring in the code is the description that users read."""
    document = '"io.kubebuilder.tutorial.batch.v1.CronJob"'  # which kube-apiserver makes in time
    await eventually(lambda: document in kubectl("get", "--raw", "/openapi/v2"))
    said = kubectl("explain", "cronjobs.spec", "--api-version=batch.tutorial.kubebuilder.io/v1")

    assert "How many Jobs that failed to keep." in said


@pytest.mark.timeout(240)
async def test_killed_after_every_change_it_starts_each_run_once(
    client: kw.Client, kubectl: Kubectl, start_cronjob: StartCronJob
) -> None:
    """``kill -9`` between the Job and the status, and everywhere else."""
    apply(kubectl)
    await pretend_last_run(client, last_minute(5))
    program, seen = start_cronjob(), dict[str, set[str]]()

    async with client.watch(Job, namespace=client.namespace) as changes:
        async for change in changes:
            meta = change.object.metadata
            seen.setdefault(meta.annotations[SCHEDULED_AT], set()).add(meta.uid or "")
            program.kill()
            program = start_cronjob()
            if any(one.type == "Complete" for one in change.object.status.conditions):
                break

    await has_run(client)
    assert all(len(uids) == 1 for uids in seen.values())
