"""Mirrors: a reflector can fill anything that has these few methods."""

import asyncio

from kubewright.api.unstructured import Unstructured
from kubewright.cache.codec import Codec
from kubewright.cache.entry import Entry
from kubewright.cache.mirror import Mirror
from kubewright.cache.reflector import Reflector
from kubewright.cache.selection import Selection
from kubewright.cache.source import Source
from kubewright.client.rest import RESTClient
from tests.unit.cache.informing import PODS, Feed, Server, added, bookmark, deleted


class Names:
    """A mirror that keeps nothing but names and the version that was reached."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.version = ""
        self.full = False
        self.entry = Codec(Unstructured.read).entry

    def owns(self, entry: Entry[Unstructured]) -> bool:
        return True

    async def replace(self, entries: list[Entry[Unstructured]], version: str) -> None:
        self.names = {entry.key.name for entry in entries}
        self.version = version

    def put(self, entry: Entry[Unstructured]) -> None:
        self.names.add(entry.key.name)

    def remove(self, entry: Entry[Unstructured]) -> None:
        self.names.discard(entry.key.name)

    def reached(self, version: str) -> None:
        self.version = version

    async def room(self) -> None:
        """Have room."""


async def test_a_reflector_fills_whatever_is_a_mirror() -> None:
    """It knows nothing of stores, informers or handlers."""
    names = Names()
    mirror: Mirror[Unstructured] = names
    server = Server(
        Feed().send(added("x", 1), bookmark(4, end=True), added("y", 5), deleted("x", 6))
    )
    source = Source(RESTClient(server), Selection(mapping=PODS), clock=server.clock)
    task = asyncio.create_task(Reflector(source, mirror, clock=server.clock).run())
    await server.clock.settle()

    assert (names.names, names.version) == ({"y"}, "6")
    task.cancel()
    await asyncio.wait([task])
