import asyncio
from typing import Any

from tests.unit.apiserver.admission.webhook_server import (
    allow,
)
from tests.unit.apiserver.admission.webhook_world import World, deny


async def test_validating_webhooks_run_at_once_and_the_first_refusal_counts(world: World) -> None:
    """Each waits until the others are asked, which would never end if they came in turn."""
    meeting = asyncio.Barrier(3)
    talk = world.server._answer

    async def meet(reader: Any, writer: Any) -> bool:
        await asyncio.wait_for(meeting.wait(), 5)
        return await talk(reader, writer)

    world.server._answer = meet  # type: ignore[method-assign]  # the server is the test's own
    world.add(allow, "a")
    world.add(deny(message="b says no"), "b")
    world.add(deny(message="c says no"), "c")

    assert (await world.refusal()).message.endswith("b says no")
