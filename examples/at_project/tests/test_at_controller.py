"""The reconciler of At in virtual time: hours pass in a moment, and the test plays the kubelet."""

from datetime import datetime, timedelta

import kubewright as kw
import pytest
from kubewright.kinds.core.v1 import Event, Pod
from kubewright.testing import OperatorTest, operator_test

from cnat.api.v1alpha1.at import At, AtSpec
from cnat.main import operator

NAME, POD = "tea", "tea-pod"
HOUR = 3600
COMMANDS = ["", "  ", "echo 'open", 'echo "open', "echo \\"]


def in_an_hour(test: OperatorTest) -> datetime:
    """Return the time in an hour."""
    return test.clock.now() + timedelta(hours=1)


async def create(
    test: OperatorTest, schedule: datetime, command: str = "echo YAY", *, name: str = NAME
) -> None:
    """Create the At of the test, and let the operator see it."""
    spec = AtSpec(schedule=schedule, command=command)
    await test.client.create(At(metadata=kw.ObjectMeta(name=name), spec=spec))
    await test.settle()


async def get_phase(test: OperatorTest) -> str:
    """Return how far the At is."""
    return (await test.client.get(At, NAME)).status.phase


async def pod_names(test: OperatorTest) -> list[str]:
    """Return the names of all pods."""
    return [pod.metadata.name for pod in await test.client.list(Pod)]


async def end_pod(test: OperatorTest, phase: str) -> None:
    """Write what a kubelet would write when the pod has ended."""
    await test.client.status.patch(Pod, POD, {"status": {"phase": phase}})
    await test.settle()


async def test_it_waits_for_the_time_runs_and_is_done() -> None:
    """What everybody tries first."""
    async with operator_test(operator) as test:
        await create(test, in_an_hour(test), "echo 'two words'")
        assert (await get_phase(test), await pod_names(test)) == ("PENDING", [])

        await test.advance(HOUR - 1)
        assert (await get_phase(test), await pod_names(test)) == ("PENDING", [])

        await test.advance(1)
        pod = await test.client.get(Pod, POD)
        assert await get_phase(test) == "RUNNING"
        assert pod.metadata.labels == {"app": NAME}
        assert pod.spec.containers[0].command == ["echo", "two words"]

        await end_pod(test, "Succeeded")
        assert await get_phase(test) == "DONE"


async def test_the_wait_is_one_timer() -> None:
    """Nobody asks the server whether it is time yet."""
    async with operator_test(operator) as test:
        await create(test, in_an_hour(test))
        test.server.api.audit.clear()

        await test.advance(HOUR - 1)

        calls = test.server.api.audit.events()
        assert not [call for call in calls if call.verb not in {"list", "watch"}]


async def test_a_changed_schedule_of_a_pending_at_is_honoured() -> None:
    """Both ways: sooner means sooner, and later means not before."""
    async with operator_test(operator) as test:
        await create(test, in_an_hour(test))

        later = test.clock.now() + timedelta(hours=2)
        await test.client.patch(At, NAME, {"spec": {"schedule": f"{later:%Y-%m-%dT%H:%M:%SZ}"}})
        await test.advance(HOUR + 1)
        assert await get_phase(test) == "PENDING"

        await test.client.patch(At, NAME, {"spec": {"schedule": "2000-01-01T00:00:00Z"}})
        await test.settle()
        assert await get_phase(test) == "RUNNING"


@pytest.mark.parametrize("phase", ["RUNNING", "DONE"])
async def test_a_pod_that_somebody_deletes_does_not_come_back(phase: str) -> None:
    """Once is once."""
    async with operator_test(operator) as test:
        await create(test, test.clock.now())
        if phase == "DONE":
            await end_pod(test, "Failed")
        assert await get_phase(test) == phase

        await test.client.delete(Pod, POD, grace_period=0)
        await test.advance(HOUR)

        assert (await get_phase(test), await pod_names(test)) == ("DONE", [])


async def test_a_name_that_cannot_be_a_label_is_told_and_not_tried_for_ever() -> None:
    """The pod is invalid, whatever happens; `kubectl describe` shows why."""
    async with operator_test(operator) as test:
        name = "t" * 64
        await create(test, test.clock.now(), name=name)
        await test.advance(HOUR)

        tried = test.server.api.audit.events(resource="pods", verb="patch")
        [event] = await test.client.list(Event)
        assert [call.code for call in tried] == [422]
        assert (event.type, event.involved_object.name) == ("Warning", name)
        assert "metadata.labels" in (event.message or "")


@pytest.mark.parametrize("command", COMMANDS)
async def test_a_command_that_no_shell_could_split_is_refused(command: str) -> None:
    """The API server says so to whoever writes it, and the operator never sees it."""
    async with operator_test(operator) as test:
        with pytest.raises(kw.InvalidError, match=r"spec\.command"):
            await create(test, test.clock.now(), command)
