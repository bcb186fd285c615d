"""A list that comes from the cache if possible, and from the server otherwise."""

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Sequence
from typing import Any, TypeVar

from kubewright.api.kind import ObjectKey
from kubewright.cache.entry import Entry
from kubewright.client.listing import Listing, Objects

T = TypeVar("T")


class CachedObjects(Objects[T]):
    """The objects of a cached list, in the server's order.

    As with every list, each is decoded on first access, and is the same object from then on. It is
    a private copy: modifying it does not affect the cache.
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
        """Yield the JSON of each object as it arrived, without later modifications."""
        return (entry.raw for entry in self._entries)

    def keys(self) -> Iterator[ObjectKey]:
        """Yield the key of each object, without decoding it."""
        return (entry.key for entry in self._entries)

    def _at(self, index: int) -> T:
        if self._items[index] is None:
            self._items[index] = self._entries[index].raw
        return super()._at(index)


class CachedListing(Listing[T]):
    """A list to be read: ``await`` it for all objects, ``async for`` it for a stream.

    Where it is read from is decided when it is read, not when it is made.

    Args:
        read: Returns the list from the cache, or ``None`` if the server must be asked.
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
        """Yield the list page by page; a cached list is one page."""
        found = await self._read()
        if found is not None:
            yield found
            return
        async for page in self._live.pages():
            yield page

    async def _all(self) -> Objects[T]:
        found = await self._read()
        return await self._live if found is None else found
