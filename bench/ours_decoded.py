"""Kubewright when every object is looked at: all decoded, kept in a dict by name."""

import asyncio

from bench.measure import EventTimer, ListTimer, Numbers, Work
from kubewright.client import Client, Config
from kubewright.kinds.core.v1 import ConfigMap, Pod


async def _list_pods(work: Work) -> Numbers:
    pods: dict[str, Pod] = {}
    async with Client(Config.load()) as client:
        await client.get(ConfigMap, "one", namespace="bench")  # the connection is not the list's
        timer = ListTimer()
        async for pod in client.list(Pod):
            pods[f"{pod.metadata.namespace}/{pod.metadata.name}"] = pod
        return timer.done(pods, expected=work.pods)


async def _watch_pods(work: Work) -> Numbers:
    pods: dict[str, Pod] = {}
    timer = EventTimer(work.events)
    async with Client(Config.load()) as client:
        listed = await client.list(Pod)
        async with client.watch(Pod, resource_version=listed.resource_version) as events:
            async for event in events:
                pod = event.object
                pods[f"{pod.metadata.namespace}/{pod.metadata.name}"] = pod
                if timer.hit():
                    break
    return timer.result()


def list_pods(work: Work) -> Numbers:
    """Measure the list."""
    return asyncio.run(_list_pods(work))


def watch_pods(work: Work) -> Numbers:
    """Measure the watch."""
    return asyncio.run(_watch_pods(work))
