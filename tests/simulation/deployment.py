"""Replicas that are started again whenever they end, as a Deployment does it."""

import asyncio
from collections.abc import Callable

from kubewright.errors import LeaderElectionLostError
from kubewright.testing import Faults
from tests.simulation.process import Process
from tests.simulation.world import World

AGAIN_AFTER = 2.0


class Deployment:
    """Keeps replicas running. Only one end is a good one: that of a leader who lost the lease.

    Args:
        world: Where they live.
        replicas: How many.
        faults: Makes what goes wrong on the wire of a replica, from its number.

    Attributes:
        starts: How many processes were started.
        left: What processes left behind; nothing, as it should be.
    """

    def __init__(
        self,
        world: World,
        replicas: int = 1,
        *,
        faults: Callable[[int], Faults | None] = lambda number: None,
    ) -> None:
        self.starts: int = 0
        self.left: list[str] = []
        self._world = world
        self._wires = [faults(number) for number in range(replicas)]
        self._running: dict[int, Process] = {}
        self._stopping = False
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def processes(self) -> list[Process]:
        """Those that run at the moment."""
        return list(self._running.values())

    @property
    def leader(self) -> Process | None:
        """The one that leads at the moment."""
        return next((one for one in self.processes if one.manager.leading), None)

    def start(self) -> None:
        """Start all replicas."""
        self._tasks = [
            asyncio.create_task(self._keep(number), name=f"replica {number}")
            for number in range(len(self._wires))
        ]

    async def stop(self) -> None:
        """Stop all replicas; raises what went wrong in one of them."""
        self._stopping = True
        for process in self.processes:
            process.manager.stop()
        await self._world.clock.run(asyncio.gather(*self._tasks))

    async def _keep(self, number: int) -> None:
        while not self._stopping:
            self.starts += 1
            process = self._world.process(f"replica-{number}.{self.starts}", self._wires[number])
            self._running[number] = process
            try:
                await process.finish()
            except LeaderElectionLostError:
                await self._world.clock.sleep(AGAIN_AFTER)
            finally:
                del self._running[number]
            if process.wire.streams or process.wire.under_way:
                self.left.append(process.name)
