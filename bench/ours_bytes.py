"""Kubewright without looking: what `Client.list` and `Client.watch` hold before anyone decodes it.

Not what the peers do, who decode; it shows what a store of bytes starts from.
"""

import asyncio

from bench.measure import EventTimer, ListTimer, Numbers, Work
from kubewright.client import Client, Config
from kubewright.kinds.core.v1 import Pod


async def _list_pods(work: Work) -> Numbers:
    async with Client(Config.load()) as client:
        timer = ListTimer()
        pods = await client.list(Pod)
        return timer.done(pods, expected=work.pods)


async def _watch_pods(work: Work) -> Numbers:
    timer = EventTimer(work.events)
    async with Client(Config.load()) as client:
        pods = await client.list(Pod)
        async with client.watch(Pod, resource_version=pods.resource_version) as events:
            async for _ in events:
                if timer.hit():
                    break
    return timer.result()


def list_pods(work: Work) -> Numbers:
    """Measure the list."""
    return asyncio.run(_list_pods(work))


def watch_pods(work: Work) -> Numbers:
    """Measure the watch."""
    return asyncio.run(_watch_pods(work))
