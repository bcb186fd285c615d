"""lightkube: its `AsyncClient`, pages of 500 into a dict, then its watch."""

import asyncio
from typing import Any

from lightkube import AsyncClient  # type: ignore[import-not-found]  # only in .venv-bench
from lightkube.resources.core_v1 import (  # type: ignore[import-not-found]  # only in .venv-bench
    ConfigMap,
    Pod,
)
from lightkube.types import PatchType  # type: ignore[import-not-found]  # only in .venv-bench

from bench.measure import EventTimer, ListTimer, Numbers, Work, time_requests


async def _fill(client: Any, pods: dict[str, Any]) -> str:
    """Fill *pods* with all of them; return the version of the list."""
    listing = client.list(Pod, namespace="*", chunk_size=500)
    async for pod in listing:
        pods[f"{pod.metadata.namespace}/{pod.metadata.name}"] = pod
    return str(listing.resourceVersion)


async def _list_pods(work: Work) -> Numbers:
    client, pods = AsyncClient(), dict[str, Any]()
    await client.get(ConfigMap, "one", namespace="bench")  # the connection is not the list's
    timer = ListTimer()
    await _fill(client, pods)
    return timer.done(pods, expected=work.pods)


async def _watch_pods(work: Work) -> Numbers:
    client, pods = AsyncClient(), dict[str, Any]()
    version = await _fill(client, pods)
    timer = EventTimer(work.events)
    async for _, pod in client.watch(Pod, namespace="*", resource_version=version):
        pods[f"{pod.metadata.namespace}/{pod.metadata.name}"] = pod
        if timer.hit():
            break
    return timer.result()


async def _requests(work: Work) -> Numbers:
    client = AsyncClient()

    async def get(number: int) -> None:
        await client.get(ConfigMap, "one", namespace="bench")

    async def patch(number: int) -> None:
        body = {"metadata": {"labels": {"x": str(number)}}}
        await client.patch(ConfigMap, "one", body, namespace="bench", patch_type=PatchType.MERGE)

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
