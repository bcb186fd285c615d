"""What the tests of workload controllers share: a server, its controllers, and who plays a node."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import msgspec

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.client import Client
from kubewright.cluster import Cluster
from kubewright.controller import Controller, Request, Run
from kubewright.embedded.controllers import make
from kubewright.kinds.admissionregistration.v1 import (
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
)
from kubewright.kinds.core.v1 import Binding, Event, ObjectReference, Pod
from kubewright.runnable import Runnable
from kubewright.testing import EmbeddedServer
from kubewright.testing.faults import Faults

R = TypeVar("R", bound=kw.Resource)

BAD_IMAGE = "bad"
"""An image that no node can pull."""


class FakeNode:
    """Binds every pod, starts those whose image is good, and ends those that are deleted.

    Args:
        cluster: Where the pods are; it has to be another one than that of the controllers, as a
            real node is another process.
        nodes: Names of nodes that pods are spread over, unless they ask for one.
    """

    def __init__(self, cluster: Cluster, nodes: Iterable[str] = ("node-1",)) -> None:
        self.cluster = cluster
        self._nodes = list(nodes)
        self._bound = 0
        self.held: set[str] = set()
        """Names of pods that stay as they are for now."""
        self.controller = Controller(
            "fake-node", self._play, cluster=cluster, for_=Pod, predicate=lambda _: True, workers=16
        )

    async def _play(self, request: Request, run: Run) -> None:
        pod = self.cluster.cache.find(Pod, request.key)
        if pod is None or request.name in self.held:
            return
        if pod.metadata.deletion_timestamp is not None:
            await self.cluster.client.delete(pod, grace_period=0, missing_ok=True)
        elif not pod.spec.node_name:
            await self._bind(pod)
        elif pod.status.phase == "Pending" and pod.spec.containers[0].image != BAD_IMAGE:
            await self.set_ready(pod)

    def release(self, *names: str) -> None:
        """Let pods go on that were held."""
        self.held.difference_update(names)
        for request in self.cluster.cache.list(Pod):
            if request.metadata.name in names:
                self.controller.enqueue(request.key)

    async def _bind(self, pod: Pod) -> None:
        self._bound += 1
        node = _target(pod) or self._nodes[self._bound % len(self._nodes)]
        binding = Binding(
            metadata=kw.ObjectMeta(name=pod.metadata.name, namespace=pod.metadata.namespace),
            target=ObjectReference(kind="Node", name=node, api_version="v1"),
        )
        with suppress(kw.errors.ConflictError, kw.errors.NotFoundError):
            await self.cluster.client.subresource("binding").post(Pod, pod.key, binding)

    async def set_ready(self, pod: Pod, *, ready: bool = True) -> None:
        """Say that *pod* runs, and whether it is ready."""
        now = self.cluster.clock.now().replace(microsecond=0)
        time = now.isoformat().replace("+00:00", "Z")
        status = {
            "phase": "Running",
            "podIP": "10.0.0.1",
            "podIPs": [{"ip": "10.0.0.1"}],
            "startTime": time,
            "conditions": [
                {"type": kind, "status": "True" if ready else "False", "lastTransitionTime": time}
                for kind in ("Initialized", "Ready", "ContainersReady", "PodScheduled")
            ],
        }
        with suppress(kw.errors.NotFoundError):
            await self.cluster.client.status.patch(Pod, pod.key, {"status": status})


def _target(pod: Pod) -> str:
    affinity = pod.spec.affinity
    rules = affinity.node_affinity if affinity is not None else None
    wanted = rules.required_during_scheduling_ignored_during_execution if rules else None
    fields = wanted.node_selector_terms[0].match_fields if wanted else []
    return fields[0].values[0] if fields else ""


class World:
    """A server in virtual time, with some controllers and a node that is played.

    Attributes:
        clock: The time.
        client: The client of the test.
        node: Who plays the node.
        theirs: The client of the controllers.
    """

    def __init__(
        self, clock: VirtualClock, client: Client, node: FakeNode, *, theirs: Client
    ) -> None:
        self.clock = clock
        self.client = client
        self.theirs = theirs
        self.node = node
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, runnables: Iterable[Runnable]) -> None:
        """Run controllers from now on."""
        self._tasks = [asyncio.create_task(one.run()) for one in runnables]

    async def stop(self) -> None:
        """End the controllers."""
        await ended(self._tasks, clock=self.clock)

    async def settle(self, seconds: float = 1.0) -> None:
        """Let everybody work until nothing changes any more, and *seconds* pass."""
        await self.clock.advance(seconds)

    async def create(self, kind: type[R], document: dict[str, Any]) -> R:
        """Create an object, and let everybody work."""
        made = await self.client.create(msgspec.convert(document, kind))
        await self.settle()
        return made

    async def patch(self, kind: type[kw.Resource], name: str, patch: dict[str, Any]) -> None:
        """Change an object of the default namespace, and let everybody work."""
        await self.client.patch(kind, name, patch)
        await self.settle()

    async def pods(self) -> list[Pod]:
        """Return all pods."""
        return list(await self.client.list(Pod))

    async def pod_names(self) -> list[str]:
        """Return the names of all pods."""
        return [pod.metadata.name for pod in await self.pods()]

    async def refuse(self, group: str, resource: str) -> None:
        """Let nobody create objects of a resource until `relent`."""
        rule = {"apiGroups": [group], "apiVersions": ["*"], "resources": [resource]}
        spec = {
            "matchConstraints": {"resourceRules": [{**rule, "operations": ["CREATE"]}]},
            "validations": [{"expression": "false", "message": "not today"}],
        }
        meta = {"name": "never"}
        await self.create(ValidatingAdmissionPolicy, {"metadata": meta, "spec": spec})
        binding = {"policyName": "never", "validationActions": ["Deny"]}
        await self.create(ValidatingAdmissionPolicyBinding, {"metadata": meta, "spec": binding})

    async def relent(self) -> None:
        """Let everybody create everything again."""
        await self.client.delete(ValidatingAdmissionPolicyBinding, "never")

    async def events(self, kind: str = "") -> list[str]:
        """Return the reasons and messages of all events, of those about *kind* if it is given."""
        events = await self.client.list(Event)
        return [
            f"{one.reason} {one.message}"
            for one in events
            if kind in {"", one.involved_object.kind}
        ]


@asynccontextmanager
async def world(
    *controllers: str, nodes: Iterable[str] = ("node-1",), faults: Faults | None = None
) -> AsyncIterator[World]:
    """Yield a world in which *controllers* run, with *faults* in their requests."""
    clock = VirtualClock()
    async with (
        EmbeddedServer(clock=clock) as server,
        server.client(faults=faults) as ours,
        server.client() as client,
    ):
        elsewhere = Cluster(client, clock=clock)
        node = FakeNode(elsewhere, nodes)
        made = World(clock, elsewhere.live, node, theirs=ours)
        tasks = [asyncio.create_task(one.run()) for one in (elsewhere, node.controller)]
        made.start(controllers_of(ours, *controllers))
        try:
            await clock.settle()
            yield made
        finally:
            await made.stop()
            await ended(tasks, clock=clock)


def controllers_of(client: Client, *names: str) -> list[Runnable]:
    """Return the controllers called *names*, with a cache of their own."""
    cluster = Cluster(client, clock=client.clock, field_owner="kube-controller-manager")
    return [cluster, *make(cluster, names)]


async def ended(tasks: Iterable[asyncio.Task[None]], *, clock: VirtualClock) -> None:
    """End *tasks*, the last first."""
    for task in reversed(list(tasks)):
        task.cancel()
        with suppress(asyncio.CancelledError):
            await clock.run(task)


def template(image: str = "good", **labels: str) -> dict[str, Any]:
    """Return a pod template."""
    return {
        "metadata": {"labels": labels or {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": image}]},
    }


def workload(name: str = "web", image: str = "good", **spec: Any) -> dict[str, Any]:
    """Return what deployments, replica sets, stateful sets and daemon sets have in common."""
    return {
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": template(image, app=name),
            **spec,
        },
    }
