"""The objects of a kind: their names in pages, and writes that change nothing."""

import base64
import hashlib
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from kubewright import _json
from kubewright._aio import Backoff
from kubewright.api import requests
from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.api.meta import ListMeta
from kubewright.api.requests import METADATA_LIST, Place, Request, WriteOptions
from kubewright.errors import (
    Attempt,
    BadRequestError,
    ConflictError,
    GoneError,
    NotFoundError,
    ServerError,
    TooManyRequestsError,
    TransportError,
)

if TYPE_CHECKING:
    from kubewright.client import Client
    from kubewright.client.transport import Response

__all__ = ["PAGE_SIZE", "Collection", "Page"]

PAGE_SIZE = 500
FIELD_OWNER = "kubewright"
_PASSING = (TransportError, ServerError, TooManyRequestsError)
_TRIES_AGAIN = 6  # after 0.5, 1, 2, 4, 8 and 16 seconds, or up to twice as much


class Page(NamedTuple):
    """The names of some objects, and how to get the next ones.

    How many remain is not known to every server: Kubernetes 1.20 leaves it out of such lists.
    """

    keys: list[ObjectKey]
    continue_: str
    remaining: int | None


class _Name(msgspec.Struct, gc=False):
    name: str
    namespace: str = ""


class _Item(msgspec.Struct, gc=False):
    metadata: _Name


class _List(msgspec.Struct):
    metadata: ListMeta = msgspec.field(default_factory=ListMeta)
    items: list[_Item] | None = None


class _Resource(msgspec.Struct, rename="camel"):
    name: str
    storage_version_hash: str = ""


class _Resources(msgspec.Struct):
    resources: list[_Resource] | None = None


class Collection:
    """All objects of a kind, in all namespaces.

    A server that is busy, or that cannot be reached, is asked again for about half a minute.

    Args:
        client: Where they are.
        mapping: Their kind, in a version that is served.
        page_size: How many names to ask for at once.
    """

    def __init__(
        self, client: "Client", mapping: RESTMapping, *, page_size: int = PAGE_SIZE
    ) -> None:
        self._client = client
        self._mapping = mapping
        self._page_size = page_size

    async def page(self, token: str = "") -> Page:
        """Return the page that *token* leads to, or the first one.

        Where the server has forgotten the moment that the token is of, it goes on from the same
        name at a later moment. What was made or changed in between is stored in today's version.
        """
        try:
            return await self._fetch(token)
        except GoneError as error:
            later = error.status.metadata.continue_ if error.status.metadata else ""
            return await self._fetch(later)
        except BadRequestError:
            if not token:
                raise
            # Another release of the server may not read it; then the first page is as good.
            return await self._fetch("")

    async def _fetch(self, token: str) -> Page:
        query = requests.selection(limit=self._page_size, continue_=token)
        # Names are all that is needed: the server has the rest.
        request = requests.list_(Place(self._mapping), query, accept=METADATA_LIST)
        found = _json.decode((await self._send(request)).body, _List)
        keys = [ObjectKey(one.metadata.namespace, one.metadata.name) for one in found.items or ()]
        meta = found.metadata
        return Page(keys, meta.continue_, meta.remaining_item_count if meta.continue_ else 0)

    async def count(self) -> int:
        """Return how many objects there are; page by page if the server does not say."""
        page = await self.page()
        count = len(page.keys)
        while page.remaining is None:
            page = await self.page(page.continue_)
            count += len(page.keys)
        return count + page.remaining

    async def rewrite(self, key: ObjectKey) -> None:
        """Let the server store an object anew, in the version that it stores in now.

        An empty merge patch is a write like any other: the server reads the object from its store,
        converts, defaults and validates it, and encodes it in the storage version. If that gives
        other bytes than are stored, it stores them; if not, it writes nothing, so that objects
        which are right already cost a read. A PUT of what was read would do the same, but the
        object would have to travel twice, and whoever changed it in between would cause a conflict
        that an empty patch does not have.

        Raises:
            APIError: The server refused, such as an object that is invalid by now.
            TransportError: No answer came.
        """
        place = Place(self._mapping, key.namespace, key.name)
        options = WriteOptions(field_manager=FIELD_OWNER)
        try:
            await self._send(requests.patch(place, b"{}", options, patch_type="merge"))
        except ConflictError:
            pass  # somebody else wrote it, again and again: it is stored in today's version
        except NotFoundError as error:
            if not error.is_about_object:  # it is not gone, but its kind is not served
                raise

    async def stores_in(self, version: str) -> bool:
        """Whether the server that answers stores the objects in *version* by now.

        It hears of a change of the CRD a moment after that was answered. Servers that do not say
        are believed to be quick.
        """
        mapping = self._mapping
        path = f"/apis/{mapping.group}/{mapping.version}"
        answer = await self._send(Request("GET", path, Attempt("get", path)))
        for one in _json.decode(answer.body, _Resources).resources or ():
            if one.name == mapping.plural and one.storage_version_hash:
                return one.storage_version_hash == _hash_of(mapping, version)
        return True

    async def _send(self, request: Request) -> "Response":
        clock = self._client.clock
        backoff = Backoff(base=0.5, steps=_TRIES_AGAIN, clock=clock)
        while True:
            try:
                return await self._client.rest.send(request)
            except _PASSING:
                if backoff.exhausted:
                    raise
            await backoff.wait()


def _hash_of(mapping: RESTMapping, version: str) -> str:
    """Return what discovery calls ``storageVersionHash``."""
    text = f"{mapping.group}/{version}/{mapping.kind}"
    return base64.b64encode(hashlib.sha256(text.encode()).digest()[:8]).decode()
