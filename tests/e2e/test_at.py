"""The At operator as a process, in each style: all of them keep the same promises."""

import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from examples.at.at import At, AtSpec

import kubewright as kw
from kubewright.api.resource import gvk_of
from kubewright.kinds.core.v1 import Pod
from tests.e2e.conftest import Start
from tests.e2e.kubectl import Kubectl
from tests.e2e.program import EXAMPLES, Program, crds_of

STYLES = ["at", "at_by_hand", "at_project"]
NAME, POD = "example-at", "example-at-pod"
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)

Run = Callable[[], Program]


@pytest.fixture(params=STYLES)
def run(request: pytest.FixtureRequest, start: Start, kubectl: Kubectl) -> Run:
    """Install the CRD as users of kubectl do, and return what starts the operator."""
    sample: str = request.param
    kubectl("apply", "--filename", str(crds_of(sample)))
    kubectl("wait", "--for=condition=established", "crd/ats.cnat.programming-kubernetes.info")
    return lambda: start(sample)


def at(name: str = NAME, *, schedule: datetime = LONG_AGO, command: str = "echo YAY") -> At:
    """Return an At, due long ago unless told."""
    return At(metadata=kw.ObjectMeta(name=name), spec=AtSpec(schedule=schedule, command=command))


def manifest(schedule: str) -> str:
    """Return the sample that users apply, with another schedule."""
    sample = (EXAMPLES / "at" / "samples" / "at.yaml").read_text()
    return sample.replace("2026-01-01T12:00:00Z", schedule)


async def wait_for_phase(client: kw.Client, phase: str, name: str = NAME) -> None:
    """Wait until the server shows the At in a phase; our class would fill in a missing one."""
    await kw.wait_for(
        client, gvk_of(At), name, lambda one: one is not None and phase_of(one) == phase, timeout=60
    )


def phase_of(one: kw.Unstructured) -> str:
    """Return the phase that is written, or nothing."""
    phase: str = one.get("status", {}).get("phase", "")
    return phase


async def wait_until_gone(client: kw.Client, name: str = POD) -> None:
    """Wait until the pod is gone."""
    await kw.wait_for(client, Pod, name, lambda pod: pod is None, timeout=60)


@asynccontextmanager
async def nothing_more_happens(client: kw.Client) -> AsyncIterator[None]:
    """Let the operator work on another At after the block, and so on all that came before it."""
    yield
    await client.create(at("barrier"))
    await wait_for_phase(client, "DONE", "barrier")


async def pods_of(client: kw.Client, name: str = NAME) -> list[str]:
    """Return the names of the pods of an At."""
    return [
        pod.metadata.name
        for pod in await client.list(Pod, namespace=client.namespace, labels={"app": name})
    ]


async def test_it_waits_runs_and_is_done_and_the_log_says_yay(
    client: kw.Client, kubectl: Kubectl, run: Run
) -> None:
    """What everybody tries first; and each phase is written once."""
    run()
    await client.create(at("warm-up"))
    await wait_for_phase(client, "DONE", "warm-up")
    schedule = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=5)
    phases: list[str] = []

    only = {"metadata.name": NAME}
    async with client.watch(gvk_of(At), namespace=client.namespace, fields=only) as changes:
        kubectl("apply", "--filename", "-", stdin=manifest(f"{schedule:%Y-%m-%dT%H:%M:%SZ}"))
        async for change in changes:
            phases.append(phase_of(change.object))
            if phases[-1] == "DONE":
                break

    made = (await client.get(Pod, POD)).metadata.creation_timestamp
    assert made is not None
    assert made >= schedule
    assert [phase for phase in phases if phase] == ["PENDING", "RUNNING", "DONE"]
    assert kubectl("logs", POD) == "YAY\n"


async def test_a_changed_schedule_of_a_pending_at_is_honoured(
    client: kw.Client, kubectl: Kubectl, run: Run
) -> None:
    """Who moves a date expects it to move; until then ``kubectl get`` shows that it waits."""
    run()
    kubectl("apply", "--filename", "-", stdin=manifest("2100-01-01T00:00:00Z"))
    await wait_for_phase(client, "PENDING")
    table = kubectl("get", "at").split()
    assert table == ["NAME", "PHASE", "SCHEDULE", NAME, "PENDING", "2100-01-01T00:00:00Z"]
    assert await pods_of(client) == []

    kubectl(
        "patch", "at", NAME, "--type=merge", '--patch={"spec":{"schedule":"2026-01-01T12:00:00Z"}}'
    )

    await wait_for_phase(client, "DONE")


@pytest.mark.parametrize(
    ("schedule", "reason"),
    [
        ("tomorrow", "must be of type date"),
        ("2026-02-30T12:00:00Z", "must be of type date"),
        ("2026-01-01", "must be of type date"),
        ("2026-01-01T12:00:00", "must be of type date"),
        ("", "must be of type date"),
        ("2026-01-01T12:00:00+02:00", "should match"),
        ("2026-01-01T12:00:00+24:00", "should match"),
        ("2026-01-01T12:00:00,5Z", "should match"),
        ("0000-01-01T12:00:00Z", "should match"),
    ],
)
async def test_a_schedule_that_cannot_be_read_is_refused(
    kubectl: Kubectl, run: Run, schedule: str, reason: str
) -> None:
    """By the API server, with the path and the reason; no operator needs to run for that."""
    said = kubectl.run_refused("apply", "--filename", "-", stdin=manifest(schedule))

    assert "spec.schedule" in said
    assert reason in said


@pytest.mark.parametrize("command", ["echo 'open", " "])
async def test_a_command_that_cannot_be_split_is_refused(
    kubectl: Kubectl, run: Run, command: str
) -> None:
    """It would fail for ever."""
    document = manifest("2026-01-01T12:00:00Z").replace("echo YAY", f'"{command}"')

    said = kubectl.run_refused("apply", "--filename", "-", stdin=document)

    assert "spec.command" in said


async def test_the_words_are_those_of_a_shell(
    client: kw.Client, kubectl: Kubectl, run: Run
) -> None:
    """Quotes hold words together, and nothing is expanded."""
    run()
    await client.create(at(command="""printf '%s\\n' 'two words' "it's" $HOME"""))

    await wait_for_phase(client, "DONE")

    assert kubectl("logs", POD) == "two words\nit's\n$HOME\n"


async def test_it_is_running_while_the_pod_runs_and_goes_with_its_at(
    client: kw.Client, kubectl: Kubectl, run: Run
) -> None:
    """Deleting the custom resource leaves nothing behind."""
    run()
    await client.create(at(command="sleep 3600"))
    await kw.wait_for(
        client, Pod, POD, lambda pod: pod is not None and pod.status.phase == "Running", timeout=60
    )
    await wait_for_phase(client, "RUNNING")

    kubectl("delete", "at", NAME)

    await wait_until_gone(client)


async def test_a_command_that_fails_is_tried_again_in_the_same_pod(
    client: kw.Client, run: Run
) -> None:
    """It has not failed for good: the kubelet restarts it."""
    run()
    await client.create(at(command="false"))

    await kw.wait_for(
        client,
        Pod,
        POD,
        lambda pod: (
            pod is not None and any(one.restart_count for one in pod.status.container_statuses)
        ),
        timeout=60,
    )

    await wait_for_phase(client, "RUNNING")
    assert await pods_of(client) == [POD]


async def test_a_pod_that_somebody_deletes_while_it_runs_does_not_come_back(
    client: kw.Client, kubectl: Kubectl, run: Run
) -> None:
    """The command was to run once, and somebody did not want it to."""
    run()
    await client.create(at(command="sleep 3600"))
    await wait_for_phase(client, "RUNNING")

    async with nothing_more_happens(client):
        kubectl("delete", "pod", POD, "--grace-period=1")
        await wait_for_phase(client, "DONE")

    assert await pods_of(client) == []


async def test_a_pod_that_somebody_deletes_when_it_is_done_does_not_come_back(
    client: kw.Client, kubectl: Kubectl, run: Run
) -> None:
    """People tidy up; and a status that is right is not written again."""
    run()
    await client.create(at())
    await wait_for_phase(client, "DONE")
    before = await client.get(At, NAME)

    async with nothing_more_happens(client):
        kubectl("delete", "pod", POD)
        await wait_until_gone(client)

    after = await client.get(At, NAME)
    assert await pods_of(client) == []
    assert after.metadata.resource_version == before.metadata.resource_version


@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", [At, Pod])
async def test_killed_after_every_change_it_still_makes_one_pod(
    client: kw.Client, run: Run, kind: type[At] | type[Pod]
) -> None:
    """``kill -9`` between the pod and the status, and everywhere else."""
    await client.create(at())
    program = run()

    seen = set()
    async with client.watch(kind, namespace=client.namespace) as changes:
        async for change in changes:
            program.kill()
            seen.add(change.object.metadata.uid)
            program = run()
            found = await client.get(At, NAME)
            if found.status.phase == "DONE" or change.object.status.phase in {"DONE", "Succeeded"}:
                break
    await wait_for_phase(client, "DONE")

    assert len(seen) == 1
    assert await pods_of(client) == [POD]


@pytest.mark.timeout(240)
async def test_killed_at_random_moments_it_runs_every_command_once(
    client: kw.Client, run: Run
) -> None:
    """Twenty commands in a few seconds, and an operator that never lives for long."""
    names = [f"at-{number}" for number in range(20)]
    now = datetime.now(UTC)
    for number, name in enumerate(names):
        await client.create(at(name, schedule=now + timedelta(seconds=number / 5)))
    program, more = run(), random.randint(1, 20)

    waiting = set(names)
    async with client.watch(At, namespace=client.namespace) as changes:
        async for change in changes:
            if change.object.status.phase == "DONE":
                waiting.discard(change.object.metadata.name)
            if not waiting:
                break
            more -= 1
            if not more:
                program.kill()
                program, more = run(), random.randint(1, 20)

    pods = await client.list(Pod, namespace=client.namespace)
    assert sorted(pod.metadata.labels["app"] for pod in pods) == sorted(names)


async def test_an_at_that_was_due_while_nobody_was_there_runs_when_somebody_is(
    client: kw.Client, run: Run
) -> None:
    """The time is in the spec, not in the memory of a process."""
    program = run()
    await client.create(at(schedule=datetime.now(UTC) + timedelta(hours=1)))
    await wait_for_phase(client, "PENDING")
    program.kill()
    await client.patch(At, NAME, {"spec": {"schedule": "2026-01-01T12:00:00Z"}})

    run()

    await wait_for_phase(client, "DONE")


async def test_it_stops_politely(client: kw.Client, run: Run) -> None:
    """A rolling update sends SIGTERM."""
    program = run()
    await client.create(at())
    await wait_for_phase(client, "DONE")

    assert program.stop() == 0
