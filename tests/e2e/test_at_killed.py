"""The At operator killed at each of its requests in turn, in virtual time, in each style."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import pytest
from examples.at.at import At, AtSpec, operator
from examples.at_by_hand.at_by_hand import AtController

import kubewright as kw
from cnat.main import operator as project
from kubewright.api.requests import Request
from kubewright.kinds.core.v1 import Pod
from kubewright.testing import EmbeddedServer, Faults, Hanging, Lost, VirtualClock
from kubewright.testing.faults import Fault

WAIT = 5.0
POD = "tea-pod"
LEAST = 5
"""How many requests it takes: two watches, PENDING, the pod, RUNNING."""

Style = Callable[[kw.Client], Awaitable[None]]


async def with_decorators(client: kw.Client) -> None:
    """Run the operator as ``kubewright run`` does."""
    await run(operator, client)


async def as_project(client: kw.Client) -> None:
    """The same, with the scaffolded one."""
    await run(project, client)


async def run(application: kw.Operator, client: kw.Client) -> None:
    """Run an operator until it is cancelled."""
    manager = kw.Manager(kw.Cluster(client, field_owner=application.name), grace_period=0)
    application.add_to(manager)
    await manager.run()


async def by_hand(client: kw.Client) -> None:
    """Run the program without its main."""
    await AtController(client).run()


@dataclass
class Death:
    """Nothing is sent after request number *at*; that one is *done*, or not even that."""

    at: int
    done: bool
    count: int = 0

    def choose(self, request: Request) -> Fault | None:
        """Let requests pass until the end."""
        self.count += 1
        if self.count < self.at:
            return None
        return Lost() if self.done and self.count == self.at else Hanging(1e9)


@dataclass
class World:
    """A server, its time, and whoever looks at it."""

    server: EmbeddedServer
    clock: VirtualClock
    client: kw.Client

    async def live(self, style: Style, seconds: float, death: Faults | None = None) -> None:
        """Run the operator for a while, and kill it."""
        async with self.server.client(faults=death) as client:
            running = asyncio.ensure_future(style(client))
            await self.clock.advance(seconds)
            running.cancel()
            await self.clock.run(asyncio.wait([running]))

    async def end(self) -> None:
        """Let the command succeed, if there is a pod."""
        if await self.client.find(Pod, POD) is not None:
            await self.client.status.patch(Pod, POD, {"status": {"phase": "Succeeded"}})

    async def phase(self) -> str:
        """Return how far the At is."""
        return (await self.client.get(At, "tea")).status.phase

    def pods_made(self) -> int:
        """Return how many pods were ever made."""
        calls = self.server.api.audit.events(resource="pods")
        return sum(call.code == 201 for call in calls)


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    """Yield a server with an At that is due soon."""
    clock = VirtualClock()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        await operator.install_crds(client)
        spec = AtSpec(schedule=clock.now() + timedelta(seconds=WAIT), command="echo YAY")
        await client.create(At(metadata=kw.ObjectMeta(name="tea"), spec=spec))
        yield World(server, clock, client)


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("style", [with_decorators, by_hand, as_project])
async def test_killed_at_any_request_it_makes_one_pod_and_is_done(
    style: Style, *, done: bool
) -> None:
    """Before the server hears of the request, or after it has done what was asked."""
    for number in itertools.count(1):
        death = Death(number, done)
        async with world() as w:
            await w.live(style, 2 * WAIT, death)
            await w.end()  # while nobody looks
            await w.live(style, WAIT)
            await w.end()
            await w.live(style, WAIT)

            assert (await w.phase(), w.pods_made()) == ("DONE", 1), f"killed at request {number}"
        if death.count < number:
            break  # it has lived to the end
    assert number > LEAST
