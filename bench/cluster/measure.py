"""One load on one cluster: Deployments that are created together, until all are ready, and gone."""

import asyncio
import time
from dataclasses import dataclass
from typing import Any

import kubewright as kw
from bench.apiserver.processes import cpu_seconds, resident
from bench.cluster.servers import Running
from kubewright.kinds.apps.v1 import Deployment, DeploymentSpec
from kubewright.kinds.core.v1 import Container, Namespace, Pod, PodSpec, PodTemplateSpec

Numbers = dict[str, float]
TIMEOUT = 300.0


@dataclass(frozen=True)
class Load:
    """What is created together: so many Deployments of so many pods each."""

    name: str
    deployments: int
    replicas: int

    @property
    def pods(self) -> int:
        """How many pods there are in the end."""
        return self.deployments * self.replicas


def measure(server: Running, load: Load) -> Numbers:
    """Put *load* on *server*, and return how long it took and what it cost."""
    return asyncio.run(_measure(server, load))


async def _measure(server: Running, load: Load) -> Numbers:
    async with kw.Client(kw.Config.load(server.kubeconfig), field_owner="bench") as client:
        namespace = f"bench-{load.name}"
        await client.create(Namespace(metadata=kw.ObjectMeta(name=namespace)))
        cpu, began = cpu_seconds(server.pids), time.perf_counter()
        await _create(client, namespace, load)
        await _until(client, Deployment, namespace, lambda found: _are_ready(found, load))
        ready, used = time.perf_counter() - began, cpu_seconds(server.pids) - cpu
        memory = resident(server.pids)
        began = time.perf_counter()
        await client.delete_all(Deployment, namespace=namespace)
        await _until(client, Pod, namespace, lambda found: not found)
        return {
            "ready": ready,
            "cpu_ms": used / load.pods * 1e3,
            "gone": time.perf_counter() - began,
            "rss": memory,
        }


async def _create(client: kw.Client, namespace: str, load: Load) -> None:
    async with asyncio.TaskGroup() as tasks:
        for number in range(load.deployments):
            tasks.create_task(client.create(deployment(f"web-{number}", namespace, load.replicas)))


def deployment(name: str, namespace: str, replicas: int) -> Deployment:
    """Return a Deployment of pods that only pretend to run."""
    labels = {"app": name}
    pod = PodSpec(
        containers=[Container(name="main", image="nginx")], termination_grace_period_seconds=0
    )
    return Deployment(
        metadata=kw.ObjectMeta(name=name, namespace=namespace),
        spec=DeploymentSpec(
            replicas=replicas,
            selector=kw.LabelSelector(match_labels=labels),
            template=PodTemplateSpec(metadata=kw.ObjectMeta(labels=labels), spec=pod),
        ),
    )


def _are_ready(found: dict[str, Any], load: Load) -> bool:
    ready = [one for one in found.values() if one.status.available_replicas == load.replicas]
    return len(ready) == load.deployments


async def _until(client: kw.Client, kind: Any, namespace: str, holds: Any) -> None:
    """Wait until *holds* is true of all objects of a kind in the namespace."""
    listed = await client.list(kind, namespace=namespace)
    found = {one.metadata.name: one for one in listed}
    async with asyncio.timeout(TIMEOUT):
        if holds(found):
            return
        watch = client.watch(kind, namespace=namespace, resource_version=listed.resource_version)
        async with watch as events:
            async for event in events:
                if event.type == "DELETED":
                    found.pop(event.key.name, None)
                else:
                    found[event.key.name] = event.object
                if holds(found):
                    return
