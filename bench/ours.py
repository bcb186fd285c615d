"""Kubewright as it holds objects: bytes by name, each decoded when somebody looks at it."""

import asyncio
from typing import Any

from bench.measure import EventTimer, ListTimer, Numbers, Work, time_requests
from kubewright.api import ObjectKey
from kubewright.client import Client, Config, Objects
from kubewright.kinds.core.v1 import ConfigMap, Pod


async def _list_pods(work: Work) -> Numbers:
    async with Client(Config.load()) as client:
        await client.get(ConfigMap, "one", namespace="bench")  # the connection is not the list's
        timer = ListTimer()
        pods = await client.list(Pod)
        places = {str(key): place for place, key in enumerate(pods.keys())}
        return timer.done(_Cache(pods, places), expected=work.pods)


class _Cache:
    """A list and where in it each name is."""

    def __init__(self, pods: Objects[Pod], places: dict[str, int]) -> None:
        self.pods, self.places = pods, places

    def __len__(self) -> int:
        return len(self.places)


async def _watch_pods(work: Work) -> Numbers:
    timer = EventTimer(work.events)
    async with Client(Config.load()) as client:
        listed = await client.list(Pod)
        pods: dict[ObjectKey, bytes] = {}
        async with client.watch(Pod, resource_version=listed.resource_version) as events:
            async for event in events:
                pods[event.key] = event.raw
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
