"""One process of a simulation: it has a clock and a wire of its own, and can be paused."""

import asyncio

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.client import Client
from kubewright.client.transport import Transport
from kubewright.embedded import InProcessTransport
from kubewright.testing import Faults, FaultyTransport
from tests.simulation.clock import ProcessClock
from tests.simulation.landlord import Landlord
from tests.simulation.shops import NAME, Shop, make_operator
from tests.simulation.site import LEASE_SECONDS, Site
from tests.simulation.wire import Wire


class Process:
    """The operator as a deployment runs it: with leader election, in a process of its own.

    Args:
        name: What it is called: its user agent, and its name in the election.
        world: The clock that all processes share.
        site: Where the server is.
        landlord: What it works on besides.
        faults: What goes wrong on its wire.
    """

    def __init__(
        self,
        name: str,
        world: VirtualClock,
        site: Site,
        *,
        landlord: Landlord,
        faults: Faults | None = None,
    ) -> None:
        self.name = name
        self.clock = ProcessClock(world)
        inner = InProcessTransport(site, user_agent=name, clock=self.clock)
        self.wire = Wire(inner)
        transport: Transport = FaultyTransport(self.wire, faults, clock=self.clock)
        settings = kw.Config(server="http://in-process", namespace="default")
        self.client = Client(settings, transport=transport, field_owner=NAME, clock=self.clock)
        self.cluster = kw.Cluster(self.client)
        election = kw.LeaderElection(NAME, identity=name, lease_duration=LEASE_SECONDS)
        self.manager = kw.Manager(self.cluster, leader_election=election, clock=self.clock)
        operator = make_operator(landlord.door(name, self.wire.hear), self._shops)
        self.controllers = operator.add_to(self.manager, self.cluster)
        self.task: asyncio.Task[None] | None = None
        site.elected.add(name)

    def _shops(self) -> list[kw.ObjectKey]:
        return list(self.cluster.cache.informer(Shop).store.keys())

    def start(self) -> None:
        """Begin."""
        self.task = asyncio.create_task(self.manager.run(), name=self.name)

    @property
    def ended(self) -> bool:
        """Whether it has ended, by itself or not."""
        return self.task is not None and self.task.done()

    def pause(self) -> None:
        """Stop it as with SIGSTOP; to be called when nothing can run at the moment."""
        self.clock.pause()
        self.wire.pause()

    def resume(self) -> None:
        """Let it go on as with SIGCONT."""
        self.clock.resume()
        self.wire.resume()

    async def finish(self) -> None:
        """Wait for its end, and let go of its connections; raises what went wrong in it."""
        assert self.task is not None
        try:
            await self.task
        finally:
            await self.client.close()
