"""A list that is answered from a cache where that can be, and by the server otherwise."""

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Sequence
from typing import Any, TypeVar

from kubewright.api.kind import ObjectKey
from kubewright.cache.entry import Entry
from kubewright.client.listing import Listing, Objects

T = TypeVar("T")


class CachedObjects(Objects[T]):
    """The objects of a cached list, in the server's order.

    As with every list, each is decoded when it is first looked at, and is the same object from then
    on. It is a private copy: the cache does not hear of what is done to it.
    """

    __slots__ = ("_entries",)

    def __init__(
        self,
        entries: Sequence[Entry[Any]],
        resource_version: str,
        decode: Callable[[bytes], T],
    ) -> None:
        super().__init__([], resource_version, decode)
        self._entries = entries
        self._items = [None] * len(entries)

    def raw(self) -> Iterator[bytes]:
        """Yield each object as it arrived; what was changed since is not in it."""
        return (entry.raw for entry in self._entries)

    def keys(self) -> Iterator[ObjectKey]:
        """Yield the namespace and name of each, without decoding it."""
        return (entry.key for entry in self._entries)

    def _at(self, index: int) -> T:
        if self._items[index] is None:
            self._items[index] = self._entries[index].raw
        return super()._at(index)


class CachedListing(Listing[T]):
    """A list that is about to be read: ``await`` it for all, ``async for`` it for a stream.

    Where it is read from is decided then, not when the listing is made.

    Args:
        read: Returns what the cache knows, or ``None`` if the server has to be asked.
        live: The same list, from the server.
    """

    def __init__(
        self, read: Callable[[], Awaitable[CachedObjects[T] | None]], live: Listing[T]
    ) -> None:
        self._read = read
        self._live = live

    def __await__(self) -> Generator[Any, None, Objects[T]]:
        return self._all().__await__()

    async def pages(self) -> AsyncIterator[Objects[T]]:
        """Yield the list page by page; what is cached comes as one."""
        found = await self._read()
        if found is not None:
            yield found
            return
        async for page in self._live.pages():
            yield page

    async def _all(self) -> Objects[T]:
        found = await self._read()
        return await self._live if found is None else found
