"""lightkube: list, watch, a dict for a cache, an `asyncio.Queue`, and one worker.

It has no controllers of its own; this is the least that makes one of it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from lightkube import AsyncClient  # type: ignore[import-not-found]  # only in .venv-bench
from lightkube.resources.core_v1 import (  # type: ignore[import-not-found]  # only in .venv-bench
    ConfigMap,
    Pod,
)

from bench.measure import EventTimer, Numbers, Work
from bench.peers.lightkube import list_pods
from bench.runtime.seen import Seen

__all__ = ["latency", "list_pods", "watch_pods"]

Key = tuple[str, str]
Objects = dict[Key, Any]


async def control(
    kind: Any, namespace: str, reconcile: Callable[[Key, Objects], Awaitable[bool]]
) -> None:
    """Call *reconcile* for each object and each change, until it says that it is done."""
    client, objects, keys = AsyncClient(), Objects(), asyncio.Queue[Key]()

    def put(found: Any) -> None:
        key = found.metadata.namespace, found.metadata.name
        objects[key] = found
        keys.put_nowait(key)

    async def follow() -> None:
        listing = client.list(kind, namespace=namespace, chunk_size=500)
        async for found in listing:
            put(found)
        version = str(listing.resourceVersion)
        async for _, found in client.watch(kind, namespace=namespace, resource_version=version):
            put(found)

    following = asyncio.create_task(follow())
    while not await reconcile(await keys.get(), objects):
        if following.done():
            following.result()
    following.cancel()


async def _watch_pods(work: Work) -> Numbers:
    timer, listed = EventTimer(work.events), 0

    async def reconcile(key: Key, objects: Objects) -> bool:
        nonlocal listed
        if listed < work.pods:
            listed += 1
            return False
        return timer.hit()

    await control(Pod, "*", reconcile)
    return timer.result()


async def _latency(work: Work) -> Numbers:
    seen = Seen(work.patches)

    async def reconcile(key: Key, objects: Objects) -> bool:
        if key[1] != "one":
            return False
        return seen.note(objects[key].metadata.labels["seq"])

    await control(ConfigMap, work.namespace, reconcile)
    return seen.times


def watch_pods(work: Work) -> Numbers:
    """Measure changes through all of it, to a reconciler that does nothing."""
    return asyncio.run(_watch_pods(work))


def latency(work: Work) -> Numbers:
    """Note when each change of the ConfigMap is reconciled."""
    return asyncio.run(_latency(work))
