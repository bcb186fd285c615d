"""Kubewright: its `Client`, every object decoded and kept in a dict, as the peers do it."""

import asyncio
from typing import Any

from bench.measure import EventTimer, ListTimer, Numbers, Work, time_requests
from kubewright.client import Client, Config
from kubewright.kinds.core.v1 import ConfigMap, Pod


async def _fill(client: Client, pods: dict[str, Pod]) -> str:
    """Fill *pods* with all of them; return the version of the list."""
    version = ""
    async for page in client.list(Pod).pages():
        for pod in page:
            pods[f"{pod.metadata.namespace}/{pod.metadata.name}"] = pod
        version = page.resource_version
    return version


async def _list_pods(work: Work) -> Numbers:
    pods: dict[str, Pod] = {}
    async with Client(Config.load()) as client:
        timer = ListTimer()
        await _fill(client, pods)
        return timer.done(pods, expected=work.pods)


async def _watch_pods(work: Work) -> Numbers:
    pods: dict[str, Pod] = {}
    timer = EventTimer(work.events)
    async with Client(Config.load()) as client:
        version = await _fill(client, pods)
        async with client.watch(Pod, resource_version=version) as events:
            async for event in events:
                pod = event.object
                pods[f"{pod.metadata.namespace}/{pod.metadata.name}"] = pod
                if timer.hit():
                    break
    return timer.result()


async def _requests(work: Work) -> Numbers:
    async with Client(Config.load()) as client:

        async def get(number: int) -> Any:
            return await client.get(ConfigMap, "one", namespace="bench")

        async def patch(number: int) -> Any:
            body = {"metadata": {"labels": {"x": str(number)}}}
            return await client.patch(ConfigMap, "one", body, namespace="bench")

        return await time_requests({"get": get, "patch": patch}[work.verb], work)


def list_pods(work: Work) -> Numbers:
    """Measure the list."""
    return asyncio.run(_list_pods(work))


def watch_pods(work: Work) -> Numbers:
    """Measure the watch."""
    return asyncio.run(_watch_pods(work))


def requests(work: Work) -> Numbers:
    """Measure single requests."""
    return asyncio.run(_requests(work))
