"""Replicas that compete for one Lease on a server in this process, in virtual time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from kubewright._aio import VirtualClock
from kubewright.api.requests import Request
from kubewright.client import Client
from kubewright.kinds.coordination.v1 import Lease
from kubewright.kinds.core.v1 import Event
from kubewright.manager import LeaderElection, LeaderElector
from kubewright.testing.embedded import EmbeddedServer
from kubewright.testing.faults import Fault, Unreachable

ID = "shops"


class Network:
    """Faults that are there until they are lifted: a cut cable."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.used: list[float] = []
        """When each request was sent."""
        self.fault: Fault | None = None
        self.method = ""

    def cut(self, fault: Fault | None = None, method: str = "") -> None:
        """Let requests fail; only those of *method*, if one is given."""
        self.fault = fault or Unreachable()
        self.method = method

    def mend(self) -> None:
        self.fault = None

    def choose(self, request: Request) -> Fault | None:
        self.used.append(self.clock.monotonic())
        return self.fault if self.method in {"", request.method} else None


class Replica:
    """One process that competes, and what it did."""

    def __init__(self, client: Client, name: str, clock: VirtualClock, **options: Any) -> None:
        self.name = name
        self.clock = clock
        self.diary: list[tuple[str, float]] = []
        election = LeaderElection(ID, identity=name, **options)
        self.elector = LeaderElector(client, election, clock=clock)
        self.task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self.task = asyncio.create_task(
            self.elector.run(lambda: self._note("lead"), lambda: self._note("lost"))
        )
        await self.clock.settle()

    async def stop(self) -> None:
        """Ask it to end, and give it the time it needs."""
        assert self.task is not None
        self.task.cancel()
        await self.clock.run(asyncio.wait([self.task]))

    @property
    def words(self) -> list[str]:
        return [what for what, _ in self.diary]

    def _note(self, what: str) -> None:
        self.diary.append((what, self.clock.monotonic()))


class Town:
    """A server, and all who compete there."""

    def __init__(self, server: EmbeddedServer, clock: VirtualClock, client: Client) -> None:
        self.server = server
        self.clock = clock
        self.client = client
        self.networks: dict[str, Network] = {}
        self.replicas: list[Replica] = []
        self.clients: list[Client] = []

    async def replica(self, name: str, **options: Any) -> Replica:
        """Start a replica with a network of its own."""
        replica = Replica(self.connect(name), name, self.clock, **options)
        self.replicas.append(replica)
        await replica.start()
        return replica

    def connect(self, name: str) -> Client:
        """Return a client whose network can be cut."""
        network = self.networks[name] = Network(self.clock)
        client = self.server.client(faults=network)
        self.clients.append(client)
        return client

    async def lease(self) -> Lease:
        return await self.client.get(Lease, ID)

    async def events(self) -> list[str]:
        """Return the messages of all events about the Lease."""
        found = [event async for event in self.client.list(Event)]
        return [event.message or "" for event in found if event.involved_object.name == ID]

    async def close(self) -> None:
        for network in self.networks.values():
            network.mend()
        for replica in self.replicas:
            if replica.task is not None:
                await replica.stop()
                _ = replica.task.cancelled() or replica.task.exception()  # nobody may ask for it
        for client in self.clients:
            await client.close()


@asynccontextmanager
async def town(clock: VirtualClock | None = None) -> AsyncIterator[Town]:
    """Start a server without replicas; all that are started end with the block."""
    clock = clock or VirtualClock()
    async with (
        EmbeddedServer(clock=clock, controllers=False) as server,
        server.client() as client,
    ):
        made = Town(server, clock, client)
        try:
            yield made
        finally:
            await made.close()
