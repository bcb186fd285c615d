"""What the tests of controllers share: objects, a recorder of calls, and a cluster that runs."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import msgspec

import kubewright as kw
from kubewright import _json
from kubewright._aio import Clock, VirtualClock
from kubewright.cache.codec import Codec
from kubewright.cache.entry import Entry, Event
from kubewright.client import Client
from kubewright.cluster import Cluster
from kubewright.controller import Controller, Reason, Request, Result, Run
from kubewright.kinds.apiextensions.v1 import CustomResourceDefinition
from kubewright.metrics import REGISTRY, CounterValue, GaugeValue
from kubewright.testing import EmbeddedServer


class ShopSpec(kw.Model):
    size: int = 1


class ShopStatus(kw.Model):
    phase: str = ""


@kw.resource(group="example.com", version="v1")
class Shop(kw.Resource):
    """A kind of our own."""

    spec: ShopSpec = kw.field(default_factory=ShopSpec)
    status: ShopStatus = kw.field(default_factory=ShopStatus)


SHOPS: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "shops.example.com"},
    "spec": {
        "group": "example.com",
        "names": {"kind": "Shop", "plural": "shops", "singular": "shop", "listKind": "ShopList"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}


CODEC = Codec(partial(kw.api.read, kind=Shop))


def entry(
    name: str = "a",
    *,
    version: str = "1",
    generation: int = 1,
    uid: str = "",
    labels: dict[str, str] | None = None,
    owners: tuple[kw.OwnerReference, ...] = (),
    deleting: bool = False,
    size: int = 1,
    **metadata: Any,
) -> Entry[Shop]:
    """Return a shop as the cache keeps it."""
    document = {
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": uid or f"uid-{name}",
            "resourceVersion": version,
            "generation": generation,
            "labels": labels or {},
            "ownerReferences": owners,
            "deletionTimestamp": "2026-01-01T00:00:00Z" if deleting else None,
            **metadata,
        },
        "spec": {"size": size},
    }
    return CODEC.entry(_json.encode(document))


def changed(old: Entry[Shop], new: Entry[Shop]) -> Event[Shop]:
    """Return the event of a change from *old* to *new*."""
    return Event(old, new)


class Recorder:
    """A reconciler that remembers its calls, and does what it is told."""

    def __init__(
        self, do: Callable[[Request, Run], Awaitable[Result | None]] | None = None
    ) -> None:
        self.runs: list[Run] = []
        self._do = do

    @property
    def names(self) -> list[str]:
        return [run.request.name for run in self.runs]

    async def __call__(self, request: Request, run: Run) -> Result | None:
        self.runs.append(run)
        return await self._do(request, run) if self._do else None


class Silent:
    """A source that never says anything."""

    name = "silent"

    async def run(self, sink: Any) -> None:
        await asyncio.Event().wait()


def make(reconcile: Any, *, clock: Clock, **options: Any) -> Controller:
    """Return a controller that is fed by hand."""
    options.setdefault("sources", [Silent()])
    return Controller("test", reconcile, clock=clock, **options)


@asynccontextmanager
async def running(*runnables: Any, clock: VirtualClock) -> AsyncIterator[None]:
    """Run *runnables* while the block runs, as a manager would; let them settle first."""
    tasks = [asyncio.create_task(one.run()) for one in runnables]
    try:
        await clock.settle()
        yield
    finally:
        for task in reversed(tasks):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await clock.run(task)


@asynccontextmanager
async def cluster_of(
    clock: VirtualClock, *, shops: bool = True, user: str = "admin"
) -> AsyncIterator[tuple[Client, Cluster]]:
    """Give a client of a fresh server, and a cluster to declare informers in; nothing runs yet."""
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        if shops:
            await define_shops(client)
        who = getattr(server, user)
        async with server.client(who) as other:
            yield client, Cluster(other, clock=clock)


async def define_shops(client: Client) -> None:
    """Give the server the kind."""
    await client.create(msgspec.convert(SHOPS, CustomResourceDefinition))


def add(controller: Controller, *names: str, priority: int = 0) -> None:
    """Queue shops by name."""
    for name in names:
        controller.add(Request("default", name), Reason("test"), priority=priority)


def metric(name: str, *labels: str) -> float:
    """Return the value of a counter or gauge as the page would show it."""
    family: Any = REGISTRY.find(name)
    values: Iterator[tuple[tuple[str, ...], CounterValue | GaugeValue]] = family.children()
    return next(child.value for found, child in values if found == labels)
