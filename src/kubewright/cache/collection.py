"""`Collection`: one collection on a server, listed and followed as raw bytes."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple, TypeAlias

import msgspec

from kubewright import _json
from kubewright._aio import Clock
from kubewright.api import requests
from kubewright.api.kind import RESTMapping
from kubewright.api.meta import ListMeta
from kubewright.api.requests import Place, Request
from kubewright.cache.selection import Selection
from kubewright.client.rest import RESTClient, decode_error
from kubewright.client.transport import Stream
from kubewright.client.watcher.states import PAGE_SIZE
from kubewright.errors import DecodeError, TransportTimeoutError

Locate: TypeAlias = Callable[[], Awaitable[RESTMapping]]
"""Finds out where a kind lives; raises `NoMatchError` if the server does not have it."""

_LIST_WITHIN = 150.0  # seconds for one page; the server itself gives up after 60


class _Page(msgspec.Struct, gc=False):
    items: list[msgspec.Raw] | None = None
    metadata: ListMeta = msgspec.field(default_factory=ListMeta)


class Page(NamedTuple):
    """A part of a list.

    Attributes:
        items: The objects. Each is a view of the body: copy what you keep, or all of it stays.
        version: The resource version of the whole list.
    """

    items: list[msgspec.Raw]
    version: str


class Collection:
    """One collection, or a selection of it, in one namespace or in all.

    Args:
        rest: Where requests go.
        selection: Which objects to request.
        namespace: One namespace; empty for all.
        locate: Finds out where the kind lives, before each list; for kinds without a class.
        clock: Where time comes from.
    """

    def __init__(
        self,
        rest: RESTClient,
        selection: Selection,
        *,
        namespace: str = "",
        locate: Locate | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._rest = rest
        self._locate = locate
        self._clock = clock or Clock()
        self._place = Place(selection.mapping, namespace)
        self._metadata_only = selection.metadata_only
        self._labels = str(selection.labels)
        self._fields = str(selection.fields)
        self._shard = selection.shard.selector if selection.shard else ""

    async def locate(self) -> None:
        """Find out where the kind lives now, if it has no class that says so.

        Raises:
            NoMatchError: The server does not have it.
        """
        if self._locate is not None:
            mapping = await self._locate()
            self._place = Place(mapping, self._place.namespace if mapping.namespaced else "")

    async def pages(
        self, *, page_size: int = PAGE_SIZE, sharded: bool = True
    ) -> AsyncGenerator[Page, None]:
        """Yield the list page by page; all pages are of one resource version.

        It is the latest one: the server's own cache may be older than what was seen before, and
        going back in time would undo what handlers were told.

        Args:
            page_size: How many objects to request at a time; 0 for all of them at once.
            sharded: Whether to request only the shard; other objects are dropped in any case.

        Raises:
            GoneError: The server dropped that resource version before the last page was read.
        """
        after = ""
        while True:
            page = await self._page(self._list_request(page_size, after, sharded=sharded))
            yield Page(page.items or [], page.metadata.resource_version)
            after = page.metadata.continue_
            if not after:
                return

    def watch(
        self, version: str, *, seconds: int, initial: bool = False, sharded: bool = True
    ) -> tuple[Request, AbstractAsyncContextManager[Stream]]:
        """Return the request that follows the changes after *version*, and its stream.

        Args:
            version: Where to continue.
            seconds: How long the server should keep it open.
            initial: Request a streaming list first: what exists, ended by a bookmark.
            sharded: Whether to request only the shard.
        """
        request = requests.watch(
            self._place,
            requests.selection(
                labels=self._labels,
                fields=self._fields,
                resource_version=version,
                resource_version_match="NotOlderThan" if initial else "",
                timeout_seconds=seconds,
                bookmarks=True,
                send_initial_events=initial,
                shard_selector=self._shard if sharded else "",
            ),
            accept=requests.METADATA if self._metadata_only else requests.JSON,
        )
        return request, self._rest.stream(request)

    def _list_request(self, page_size: int, after: str, *, sharded: bool) -> Request:
        query = requests.selection(
            labels=self._labels,
            fields=self._fields,
            limit=page_size,
            continue_=after,
            shard_selector=self._shard if sharded else "",
        )
        accept = requests.METADATA_LIST if self._metadata_only else requests.JSON
        return requests.list_(self._place, query, accept=accept)

    async def _page(self, request: Request) -> _Page:
        patience = self._clock.timeout(_LIST_WITHIN)
        try:
            async with patience:
                response = await self._rest.send(request)
        except TimeoutError as error:
            if not patience.expired:
                raise
            raise TransportTimeoutError(
                f"cannot {request.attempt}: no answer within {_LIST_WITHIN:g} seconds"
            ) from error
        try:
            return _json.decode(response.body, _Page)
        except DecodeError as error:
            raise decode_error(request, response, error) from error
