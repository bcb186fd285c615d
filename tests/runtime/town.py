"""What these tests look at: a namespace full of shops, and who leads."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import kubewright as kw
from kubewright.kinds.coordination.v1 import Lease
from kubewright.kinds.core.v1 import ConfigMap
from tests.runtime.shops import Shop, ShopSpec

LEASE = "shops"
AT_ONCE = 32


class Town:
    """Shops in one namespace, and a customer who changes their sizes."""

    def __init__(self, client: kw.Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace
        self.sizes: dict[str, int] = {}

    async def build(self, names: Iterable[str], *, size: int = 1) -> None:
        """Create shops, many at once."""
        places = asyncio.Semaphore(AT_ONCE)

        async def one(name: str) -> None:
            async with places:
                meta = kw.ObjectMeta(name=name, namespace=self.namespace)
                await self.client.create(Shop(metadata=meta, spec=ShopSpec(size=size)))
                self.sizes[name] = size

        async with asyncio.TaskGroup() as group:
            for name in names:
                group.create_task(one(name))

    async def resize(self, name: str, size: int) -> None:
        """Change the size of a shop."""
        patch = {"spec": {"size": size}}
        await self.client.patch(Shop, name, patch, namespace=self.namespace)
        self.sizes[name] = size

    @asynccontextmanager
    async def busy(self) -> AsyncIterator[None]:
        """Let somebody resize shop after shop while the block lasts."""
        stop = asyncio.Event()

        async def work() -> None:
            size = 1
            while not stop.is_set():
                size += 1
                for name in list(self.sizes):
                    await self.resize(name, size)
                    if stop.is_set():
                        break

        async with asyncio.TaskGroup() as group:
            group.create_task(work())
            try:
                yield
            finally:
                stop.set()

    async def settled(self) -> None:
        """Wait until every shop has its sign, and says so."""
        async with self.client.watch(Shop, namespace=self.namespace) as shops:
            told: dict[str, int] = {}
            async for event in shops:
                shop = event.object
                told[shop.metadata.name] = shop.status.size
                if told == self.sizes:
                    break
        signs = await self.client.list(ConfigMap, namespace=self.namespace)
        found = {
            sign.metadata.name: int(sign.data["size"]) for sign in signs if "size" in sign.data
        }
        assert found == self.sizes

    async def settled_once(self, name: str) -> None:
        """Wait until the operator has written the status of a shop once more."""
        fields = f"metadata.name={name}"
        version = (await self.client.get(Shop, name, namespace=self.namespace)).status.size
        async with self.client.watch(Shop, namespace=self.namespace, fields=fields) as shops:
            async for event in shops:
                if event.object.status.size > version:
                    return

    async def leader(self, *, after: str = "") -> Lease:
        """Wait until somebody leads, other than *after*; return the lease."""
        chosen = f"metadata.name={LEASE}"
        async with self.client.watch(Lease, namespace=self.namespace, fields=chosen) as leases:
            async for event in leases:
                holder = event.object.spec.holder_identity
                if event.type != "DELETED" and holder and holder != after:
                    return event.object
        raise AssertionError("unreachable")

    async def lease(self) -> Lease:
        """Return the lease as it is."""
        return await self.client.get(Lease, LEASE, namespace=self.namespace)
