"""Lists: fetched page by page, kept as bytes, decoded object by object when used."""

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar, overload

import msgspec

from kubewright import _json
from kubewright.api.kind import ObjectKey
from kubewright.api.meta import ListMeta
from kubewright.api.requests import Place, Request, list_, selection
from kubewright.api.resource import raw_of
from kubewright.api.unstructured import Unstructured
from kubewright.client.rest import decode_error
from kubewright.client.transport import Response
from kubewright.errors import DecodeError, GoneError

T = TypeVar("T")

PAGE_SIZE = 500


class _Page(msgspec.Struct, gc=False):
    items: list[msgspec.Raw] | None = None
    metadata: ListMeta = msgspec.field(default_factory=ListMeta)


class _Name(msgspec.Struct, gc=False):
    name: str = ""
    namespace: str = ""


class _Named(msgspec.Struct, gc=False):
    metadata: _Name = msgspec.field(default_factory=_Name)


class Objects(Sequence[T]):
    """The objects of a list, in the server's order.

    They are kept as the bytes they arrived in; each is decoded when it is first used, and is
    the same object from then on. A list of thousands of which a few are used costs little more than
    its bytes.

    Attributes:
        resource_version: The moment this list shows; a watch can continue from here.
    """

    __slots__ = ("_decode", "_items", "resource_version")

    def __init__(
        self, raw: list[bytes], resource_version: str, decode: Callable[[bytes], T]
    ) -> None:
        self.resource_version: str = resource_version
        self._items: list[Any] = list(raw)
        self._decode = decode

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self._at(i) for i in range(*index.indices(len(self._items)))]
        return self._at(index)

    def __iter__(self) -> Iterator[T]:
        return (self._at(i) for i in range(len(self._items)))

    def __repr__(self) -> str:
        return f"<{len(self)} objects at resource version {self.resource_version}>"

    def raw(self) -> Iterator[bytes]:
        """Yield each object as it arrived, without later changes."""
        return (item if type(item) is bytes else _raw(item) for item in self._items)

    def keys(self) -> Iterator[ObjectKey]:
        """Yield the namespace and name of each object, without decoding the rest."""
        return (_key(item) if type(item) is bytes else item.key for item in self._items)

    def _at(self, index: int) -> T:
        item = self._items[index]
        if type(item) is bytes:
            try:
                item = self._items[index] = self._decode(item)
            except DecodeError as error:
                raise DecodeError(f"{str(_key(item))!r} in the list: {error}") from error
        found: T = item
        return found


def _raw(item: Any) -> bytes:
    raw = item.raw if isinstance(item, Unstructured) else raw_of(item)
    return raw or b"{}"


def _key(raw: bytes) -> ObjectKey:
    metadata = _json.decode(raw, _Named).metadata
    return ObjectKey(metadata.namespace, metadata.name)


class Lister(Protocol):
    """What a listing needs from a client."""

    async def send(self, request: Request) -> Response:
        """Send *request* and return its answer."""
        ...


class Listing(Generic[T]):
    """A list that is not requested yet: ``await`` it for all, ``async for`` it for a stream.

    Both ask page by page. ``await`` starts over without pages when the server has forgotten the
    snapshot that the pages came from, so it returns one consistent state; ``async for`` cannot, as
    it has handed out the first pages by then, and raises `GoneError`.
    """

    def __init__(
        self,
        sender: Lister,
        place: Callable[[], Awaitable[Place]],
        query: dict[str, Any],
        *,
        page_size: int,
        decode: Callable[[bytes], T],
    ) -> None:
        self._sender = sender
        self._place = place
        self._query = query
        self._page_size = page_size
        self._decode = decode

    def __await__(self) -> Generator[Any, None, Objects[T]]:
        return self._all().__await__()

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page:
                yield item

    async def pages(self) -> AsyncIterator[Objects[T]]:
        """Yield the list page by page, each with the resource version of the whole."""
        place = await self._place()
        continue_ = ""
        while True:
            raw, meta = await self._fetch(place, self._page_size, continue_)
            yield Objects(raw, meta.resource_version, self._decode)
            continue_ = meta.continue_
            if not continue_:
                return

    async def _all(self) -> Objects[T]:
        place = await self._place()
        raw, meta = await self._fetch(place, self._page_size, "")
        while meta.continue_:
            try:
                more, meta = await self._fetch(place, self._page_size, meta.continue_)
            except GoneError:
                # The snapshot was compacted away while we were reading it. Asking for the rest
                # would mix two moments, so we request the whole list again, in one piece.
                raw = []
                more, meta = await self._fetch(place, 0, "")
            raw += more
        return Objects(raw, meta.resource_version, self._decode)

    async def _fetch(
        self, place: Place, limit: int, continue_: str
    ) -> tuple[list[bytes], ListMeta]:
        query = self._query
        if continue_:
            # The token contains the version already; the server refuses both.
            query = {name: query[name] for name in query if not name.startswith("resource_version")}
        request = list_(place, selection(**query, limit=limit, continue_=continue_))
        response = await self._sender.send(request)
        try:
            page = _json.decode(response.body, _Page)
        except DecodeError as error:
            raise decode_error(request, response, error) from error
        # Copied: a Raw is a view that would keep the whole page alive as long as one object of it.
        return [bytes(item) for item in page.items or ()], page.metadata
