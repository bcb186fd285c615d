"""The operator in virtual time: hours pass in milliseconds, and the test plays the kubelet."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import pytest
from examples.at.at import At, AtSpec, operator

import kubewright as kw
from kubewright.kinds.core.v1 import Event, Pod
from kubewright.testing import EmbeddedServer, VirtualClock

HOUR = 3600
COMMANDS = ["", "  ", "echo 'open", 'echo "open', "echo \\"]


class World:
    """A server with the operator on it, and the time."""

    def __init__(self, server: EmbeddedServer, client: kw.Client, clock: VirtualClock) -> None:
        self.server, self.client, self.clock = server, client, clock

    def in_an_hour(self) -> datetime:
        """Return the time in an hour."""
        return self.clock.now() + timedelta(hours=1)

    async def create(self, schedule: datetime, command: str = "echo YAY") -> None:
        """Create the At of the test, and let the operator see it."""
        spec = AtSpec(schedule=schedule, command=command)
        await self.client.create(At(metadata=kw.ObjectMeta(name="tea"), spec=spec))
        await self.clock.settle()

    async def phase(self) -> str:
        """Return how far the At is."""
        return (await self.client.get(At, "tea")).status.phase

    async def pods(self) -> list[str]:
        """Return the names of all pods."""
        return [pod.metadata.name for pod in await self.client.list(Pod)]

    async def become(self, phase: str) -> None:
        """Write what a kubelet would write."""
        await self.client.status.patch(Pod, "tea-pod", {"status": {"phase": phase}})
        await self.clock.settle()


@asynccontextmanager
async def running() -> AsyncIterator[World]:
    """Run the operator on a server of its own."""
    clock = VirtualClock()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        await operator.install_crds(client)
        manager = kw.Manager(kw.Cluster(client))
        operator.add_to(manager)
        async with manager:
            yield World(server, client, clock)


async def test_it_waits_for_the_time_runs_and_is_done() -> None:
    """What everybody tries first."""
    async with running() as world:
        await world.create(world.in_an_hour(), "echo 'two words'")
        assert (await world.phase(), await world.pods()) == ("PENDING", [])

        await world.clock.advance(HOUR - 1)
        assert (await world.phase(), await world.pods()) == ("PENDING", [])

        await world.clock.advance(1)
        pod = await world.client.get(Pod, "tea-pod")
        assert await world.phase() == "RUNNING"
        assert pod.metadata.labels == {"app": "tea"}
        assert pod.spec.containers[0].command == ["echo", "two words"]

        await world.become("Succeeded")
        assert await world.phase() == "DONE"


async def test_the_wait_is_one_timer() -> None:
    """Nobody asks the server whether it is time yet."""
    async with running() as world:
        await world.create(world.in_an_hour())
        world.server.api.audit.clear()

        await world.clock.advance(HOUR - 1)

        calls = world.server.api.audit.events()
        assert not [call for call in calls if call.verb not in {"list", "watch"}]


async def test_a_changed_schedule_of_a_pending_at_is_honoured() -> None:
    """Both ways: sooner means sooner, and later means not before."""
    async with running() as world:
        await world.create(world.in_an_hour())

        later = world.clock.now() + timedelta(hours=2)
        await world.client.patch(At, "tea", {"spec": {"schedule": f"{later:%Y-%m-%dT%H:%M:%SZ}"}})
        await world.clock.advance(HOUR + 1)
        assert await world.phase() == "PENDING"

        await world.client.patch(At, "tea", {"spec": {"schedule": "2000-01-01T00:00:00Z"}})
        await world.clock.settle()
        assert await world.phase() == "RUNNING"


@pytest.mark.parametrize("phase", ["RUNNING", "DONE"])
async def test_a_pod_that_somebody_deletes_does_not_come_back(phase: str) -> None:
    """Once is once."""
    async with running() as world:
        await world.create(world.clock.now())
        if phase == "DONE":
            await world.become("Failed")
        assert await world.phase() == phase

        await world.client.delete(Pod, "tea-pod", grace_period=0)
        await world.clock.advance(HOUR)

        assert (await world.phase(), await world.pods()) == ("DONE", [])


async def test_a_name_that_cannot_be_a_label_is_told_and_not_tried_for_ever() -> None:
    """The pod is invalid, whatever happens; ``kubectl describe`` shows why."""
    async with running() as world:
        name = "t" * 64
        spec = AtSpec(schedule=world.clock.now(), command="true")
        await world.client.create(At(metadata=kw.ObjectMeta(name=name), spec=spec))
        await world.clock.advance(HOUR)

        tried = world.server.api.audit.events(resource="pods", verb="patch")
        [event] = await world.client.list(Event)
        assert [call.code for call in tried] == [422]
        assert (event.type, event.involved_object.name) == ("Warning", name)
        assert "metadata.labels" in (event.message or "")


@pytest.mark.parametrize("command", COMMANDS)
async def test_a_command_that_no_shell_could_split_is_refused(command: str) -> None:
    """The API server says so to who writes it, and the operator never sees it."""
    async with running() as world:
        with pytest.raises(kw.InvalidError, match=r"spec\.command"):
            await world.create(world.clock.now(), command)
