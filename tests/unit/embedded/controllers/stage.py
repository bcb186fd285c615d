"""A server in virtual time, controllers that run, and a hand that plays the node for their pods."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from kubewright._aio import VirtualClock
from kubewright.api.meta import ObjectMeta
from kubewright.api.requests import Request
from kubewright.api.resource import Resource
from kubewright.api.times import to_seconds
from kubewright.apiserver.audit import AuditEvent
from kubewright.client import Client
from kubewright.cluster import Cluster
from kubewright.controller import Controller
from kubewright.kinds.core.v1 import (
    Binding,
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStatus,
    Event,
    ObjectReference,
    Pod,
    PodCondition,
    PodIP,
)
from kubewright.testing import EmbeddedServer
from kubewright.testing.faults import Fault, Faults
from tests.unit.controller.world import running

R = TypeVar("R", bound=Resource)


class Stage:
    """What a test does: it writes objects, plays the node, lets time pass, and looks."""

    def __init__(
        self, clock: VirtualClock, client: Client, cluster: Cluster, *, server: EmbeddedServer
    ) -> None:
        self.server = server
        self.clock = clock
        self.client = client
        self.cluster = cluster

    @asynccontextmanager
    async def running(self, *controllers: Controller) -> AsyncIterator[None]:
        """Run more controllers for a while."""
        async with running(*controllers, clock=self.clock):
            yield

    @asynccontextmanager
    async def elsewhere(
        self, *makers: Callable[[Cluster], Controller], faults: Faults | None = None
    ) -> AsyncIterator[None]:
        """Run controllers in a process of their own for a while, which knows nothing yet."""
        async with self.server.client(faults=faults) as client:
            cluster = Cluster(client, clock=self.clock)
            made = [make(cluster) for make in makers]
            async with running(cluster, *made, clock=self.clock):
                yield

    async def create(self, obj: R) -> R:
        made = await self.client.create(obj)
        await self.clock.settle()
        return made

    async def change(self, obj: R, change: Callable[[R], object]) -> R:
        """Change *obj* as it is now, and let everybody react."""
        now = await self.client.get(type(obj), obj.key)
        change(now)
        made = await self.client.update(now)
        await self.clock.settle()
        return made

    async def now(self, obj: R) -> R:
        return await self.client.get(type(obj), obj.key)

    async def pods(self, **labels: str) -> list[Pod]:
        found = await self.client.list(Pod, labels=labels)
        return sorted(found, key=lambda pod: (pod.metadata.creation_timestamp, pod.metadata.name))

    async def active(self) -> list[Pod]:
        return [
            pod
            for pod in await self.pods()
            if pod.status.phase not in {"Succeeded", "Failed"}
            and pod.metadata.deletion_timestamp is None
        ]

    async def events(self, reason: str = "") -> list[str]:
        """Return the messages of all events, or of those with one reason."""
        await self.clock.settle()
        found = await self.client.list(Event)
        return [one.message or "" for one in found if not reason or one.reason == reason]

    async def reasons(self) -> list[str]:
        await self.clock.settle()
        return [one.reason or "" for one in await self.client.list(Event)]

    def audit(self, plural: str) -> list[AuditEvent]:
        """Return the calls that the server has answered about one kind, watches apart."""
        known = self.server.api.audit.events()
        found = [one for one in known if one.resource and one.resource.resource == plural]
        return [one for one in found if one.verb not in {"list", "watch"}]

    # The node.

    async def bind(self, pod: Pod, node: str = "node") -> None:
        """Give *pod* a node; from then on it is deleted gracefully."""
        binding = Binding(
            metadata=ObjectMeta(name=pod.metadata.name), target=ObjectReference(name=node)
        )
        await self.client.subresource("binding").post(Pod, pod.key, binding)
        await self.clock.settle()

    async def start(self, pod: Pod, *, ready: bool = True, ip: str = "") -> Pod:
        """Let *pod* run."""
        now = to_seconds(self.clock.now())
        pod = await self.now(pod)
        pod.status.phase = "Running"
        pod.status.start_time = now
        pod.status.container_statuses = [
            _container(one.name, running=ContainerStateRunning(started_at=now), ready=ready)
            for one in pod.spec.containers
        ]
        self._ready(pod, ready=ready)
        if ip:
            pod.status.pod_ip, pod.status.pod_ips = ip, [PodIP(ip=ip)]
        return await self._report(pod)

    async def finish(self, pod: Pod, *, code: int = 0, restarts: int = 0) -> Pod:
        """Let the containers of *pod* end, and with them the pod."""
        now = to_seconds(self.clock.now())
        pod = await self.now(pod)
        pod.status.phase = "Failed" if code else "Succeeded"
        ended = ContainerStateTerminated(exit_code=code, finished_at=now)
        pod.status.container_statuses = [
            _container(one.name, terminated=ended, restarts=restarts) for one in pod.spec.containers
        ]
        self._ready(pod, ready=False)
        return await self._report(pod)

    async def restart(self, pod: Pod, count: int) -> Pod:
        """Let the containers of *pod* have been started again *count* times."""
        pod = await self.now(pod)
        pod.status.phase = "Running"
        pod.status.container_statuses = [
            _container(one.name, restarts=count) for one in pod.spec.containers
        ]
        return await self._report(pod)

    async def remove(self, pod: Pod) -> None:
        """Say that *pod*, which is being deleted, has ended; without a finalizer it is gone."""
        await self.client.delete(pod, grace_period=0, missing_ok=True)
        await self.clock.settle()

    def _ready(self, pod: Pod, *, ready: bool) -> None:
        text = "True" if ready else "False"
        since = to_seconds(self.clock.now())
        new = PodCondition(type="Ready", status=text, last_transition_time=since)
        pod.status.conditions = [one for one in pod.status.conditions if one.type != "Ready"]
        pod.status.conditions.append(new)

    async def _report(self, pod: Pod) -> Pod:
        made = await self.client.status.update(pod)
        await self.clock.settle()
        return made


def _container(
    name: str,
    *,
    running: ContainerStateRunning | None = None,
    terminated: ContainerStateTerminated | None = None,
    ready: bool = False,
    restarts: int = 0,
) -> ContainerStatus:
    return ContainerStatus(
        name=name,
        image="busybox",
        image_id="busybox",
        ready=ready,
        restart_count=restarts,
        state=ContainerState(running=running, terminated=terminated),
    )


class NthWrite:
    """Lets one thing go wrong with the write of that number; events do not count."""

    def __init__(self, number: int, fault: Fault) -> None:
        self._left, self._fault = number, fault
        self.happened = asyncio.Event()

    def choose(self, request: Request) -> Fault | None:
        """Return the fault when it is its turn."""
        if request.method == "GET" or "/events" in request.target:
            return None
        self._left -= 1
        if self._left == -1:
            self.happened.set()
            return self._fault
        return None


@asynccontextmanager
async def staged(
    *makers: Callable[[Cluster], Controller], faults: Faults | None = None
) -> AsyncIterator[Stage]:
    """Run the controllers of *makers* against a fresh server; *faults* befall only them."""
    clock = VirtualClock()
    async with (
        EmbeddedServer(clock=clock) as server,
        server.client() as client,
        server.client(faults=faults) as other,
    ):
        cluster = Cluster(other, clock=clock)
        made = [make(cluster) for make in makers]
        async with running(cluster, *made, clock=clock):
            yield Stage(clock, client, cluster, server=server)
