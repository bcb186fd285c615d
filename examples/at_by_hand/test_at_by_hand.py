"""The program in virtual time; it has no manager, so the test says whose requests are whose."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

from examples.at_by_hand.at_by_hand import At, AtController, AtSpec

import kubewright as kw
from kubewright.crd import custom_resource_definitions
from kubewright.kinds.core.v1 import Pod
from kubewright.testing import EmbeddedServer, VirtualClock, as_operator


@asynccontextmanager
async def running() -> AsyncIterator[tuple[kw.Client, VirtualClock]]:
    """Run the controller on a server of its own."""
    clock = VirtualClock()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        for definition in custom_resource_definitions(At):
            await client.create(kw.Unstructured(definition))
        await clock.settle()
        with as_operator():
            task = asyncio.create_task(AtController(client).run())
        await clock.settle()
        yield client, clock
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_it_waits_for_the_time_runs_and_is_done() -> None:
    """The same as with an operator."""
    async with running() as (client, clock):
        spec = AtSpec(schedule=clock.now() + timedelta(hours=1), command="echo YAY")
        await client.create(At(metadata=kw.ObjectMeta(name="tea"), spec=spec))
        await clock.advance(3599)
        assert not await client.list(Pod)

        await clock.advance(1)
        await client.status.patch(Pod, "tea-pod", {"status": {"phase": "Succeeded"}})
        await clock.settle()

        status = (await client.get(At, "tea")).status
        assert status is not None
        assert status.phase == "DONE"
