"""`Lookup`: how a client finds kinds that are named and have no class."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kubewright._aio import Clock
from kubewright.api.kind import GroupVersionKind, GroupVersionResource, RESTMapping

if TYPE_CHECKING:
    from kubewright.client.discovery import Sender
    from kubewright.client.discovery_cache import MemoryDiscoveryCache
    from kubewright.client.mapper import RESTMapper


class Lookup:
    """Discovery and the `Mapper` on top of it, loaded when first used.

    A class says itself where its objects live, so most operators never do.

    Args:
        sender: Where requests go.
        host: The address of the server; it names the folder of the cache.
        cache_dir: A folder to keep discovery in.
        clock: The source of time.
    """

    def __init__(
        self, sender: "Sender", *, host: str, cache_dir: Path | None, clock: Clock
    ) -> None:
        self._sender = sender
        self._host = host
        self._cache_dir = cache_dir
        self._clock = clock

    @cached_property
    def discovery(self) -> "MemoryDiscoveryCache":
        """What the server serves."""
        from kubewright.client.discovery_cache import cached_discovery

        return cached_discovery(
            self._sender, host=self._host, cache_dir=self._cache_dir, clock=self._clock
        )

    @cached_property
    def mapper(self) -> "RESTMapper":
        """Where each kind lives."""
        from kubewright.client.mapper import RESTMapper

        return RESTMapper(self.discovery, clock=self._clock)

    async def resolve(self, name: str) -> RESTMapping:
        """Return what *name* means to kubectl."""
        return await self.mapper.resolve(name)

    async def mapping(self, gvk: GroupVersionKind) -> RESTMapping:
        """Return where *gvk* lives."""
        return await self.mapper.mapping(gvk)

    async def resource(self, resource: GroupVersionResource) -> RESTMapping:
        """Return where *resource* lives."""
        return await self.mapper.resource(resource)
