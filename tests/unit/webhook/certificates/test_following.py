import asyncio

from kubewright.kinds.core.v1 import Secret
from kubewright.testing.faults import Refused
from kubewright.webhook.certificates.following import follow
from tests.unit.webhook.certificates.villages import SECRET, Wire, village


async def test_an_object_is_followed_by_its_name_only() -> None:
    """The right to read it is for this one object."""
    async with village() as town:
        await town.start()
        wire, seen = Wire(), list[str]()
        async with town.server.client(faults=wire) as client:
            task = asyncio.create_task(
                follow(
                    client,
                    Secret,
                    SECRET,
                    namespace="default",
                    see=lambda found: seen.append(found.metadata.name if found else "?"),
                )
            )
            await town.clock.advance(1)
            task.cancel()
            await asyncio.wait([task])

        assert seen == [SECRET]
        assert all("metadata.name" in one for one in wire.take())


async def test_after_a_gap_is_looked_at_the_object() -> None:
    """What happened while the watch was refused is not told by any event."""
    async with village() as town:
        wire, gaps = Wire(), list[bool]()
        wire.cut(Refused(403), "secrets")
        async with town.server.client(faults=wire) as client:
            task = asyncio.create_task(
                follow(
                    client,
                    Secret,
                    SECRET,
                    namespace="default",
                    see=lambda found: gaps.append(found is None),
                )
            )
            await town.clock.advance(60)
            while_refused = len(gaps)
            wire.cut(None)
            await town.clock.advance(60)
            gaps.clear()

            await town.start()
            task.cancel()
            await asyncio.wait([task])

        assert while_refused > 1
        assert gaps == [False]
