"""`CachedClient`: a client that reads from a cache what is declared to be there."""

from collections.abc import Callable
from typing import Any, TypeVar, overload

from kubewright.api.changes import mark_partial
from kubewright.api.field_selectors import FieldSelector
from kubewright.api.kind import ObjectKey
from kubewright.api.resource import Resource
from kubewright.api.selectors import Selector
from kubewright.api.unstructured import Unstructured
from kubewright.cache.cache import Cache
from kubewright.cache.informer import Informer
from kubewright.cache.selection import KEY_FIELDS, field_selector, key_fits, label_selector
from kubewright.client.client import Client
from kubewright.client.listing import PAGE_SIZE, Listing
from kubewright.client.target import Dynamic, Fields, Labels, ServedKind, key_of
from kubewright.cluster.listing import CachedListing, CachedObjects
from kubewright.errors import Attempt, NotFoundError, Status, StatusDetails

R = TypeVar("R", bound=Resource)

_UNKNOWN: Any = object()


class CachedClient(Client):
    """A client whose reads of cached kinds cost no request; everything else goes to the server.

    `get`, `find` and `list` read from the cache if all of this is so:

    - An informer of that group, version and kind is declared, by whatever name or class it is asked
      for here, that has no label or field selector and is not ``metadata_only``. Of two, the one
      without a ``transform`` is read. Nothing starts an informer behind your back.
    - It covers the namespace. A list of all namespaces needs an informer of all namespaces.
    - No ``resource_version`` is asked for.
    - A list has no field selector but for ``metadata.name`` and ``metadata.namespace``.
    - The objects are not divided into shards. If they are, `get` and `find` still read from the
      cache what it has, and ask the server for what it does not have; a list asks the server.

    What is read may be some moments old, but never older than what this client wrote: see `Cache`.
    Every object is a private copy, without its ``managedFields``; one that a ``transform`` has
    dropped something from cannot be written back with ``update``. `watch`, the subresources and all
    writes always go to the server, and so does every read through `live`.

    A cached read before the first list is complete raises `CacheNotSyncedError`, which says why it
    is not: a 403, or a kind that the server does not have.

    Args:
        live: The client whose connections, defaults and rate limit this one shares.
        cache: Where to read.
        field_owner: Who writes through this one; the same as through *live* unless given.
    """

    def __init__(self, live: Client, cache: Cache, *, field_owner: str = "") -> None:
        self._share(live, field_owner=field_owner)
        self.live: Client = live
        """The same client without the cache."""
        self._cache = cache

    def in_namespace(self, namespace: str) -> "CachedClient":
        """Return a view for which *namespace* is meant wherever none is named, `live` included."""
        live, owner = self.live.in_namespace(namespace), self._defaults.field_owner
        return CachedClient(live, self._cache, field_owner=owner)

    @overload
    async def get(
        self, kind: type[R], name: str | ObjectKey, *,
        namespace: str | None = None, resource_version: str = "",
    ) -> R: ...  # fmt: skip
    @overload
    async def get(
        self, kind: Dynamic, name: str | ObjectKey, *,
        namespace: str | None = None, resource_version: str = "",
    ) -> Unstructured: ...  # fmt: skip
    async def get(
        self,
        kind: Any,
        name: str | ObjectKey,
        *,
        namespace: str | None = None,
        resource_version: str = "",
    ) -> Any:
        """Read one object, from the cache where that can be.

        Args:
            kind: The class, a `Kind`, or a name such as ``"deploy"``.
            name: The name, ``namespace/name``, or an `ObjectKey`.
            namespace: The namespace; the client's own unless given.
            resource_version: Asks the server: ``"0"`` lets it answer from its own cache.

        Raises:
            NotFoundError: There is no such object; `find` returns ``None`` instead.
            CacheNotSyncedError: The kind is cached, but its first list is not complete.
        """
        if not resource_version and self._cache:
            target = await self._target(kind)
            key = self._key(target, name, namespace)
            found = self._look_up(target, key)
            if found is None:
                raise _not_found(target, key)
            if found is not _UNKNOWN:
                return found
        return await self.live.get(
            kind, name, namespace=namespace, resource_version=resource_version
        )

    @overload
    async def find(
        self, kind: type[R], name: str | ObjectKey, *, namespace: str | None = None
    ) -> R | None: ...
    @overload
    async def find(
        self, kind: Dynamic, name: str | ObjectKey, *, namespace: str | None = None
    ) -> Unstructured | None: ...
    async def find(self, kind: Any, name: str | ObjectKey, *, namespace: str | None = None) -> Any:
        """Read one object, from the cache where that can be; ``None`` if there is none.

        Raises:
            CacheNotSyncedError: The kind is cached, but its first list is not complete.
        """
        if self._cache:
            target = await self._target(kind)
            found = self._look_up(target, self._key(target, name, namespace))
            if found is not _UNKNOWN:
                return found
        return await self.live.find(kind, name, namespace=namespace)

    @overload
    def list(
        self, kind: type[R], *, namespace: str | None = None,
        labels: Labels | None = None, fields: Fields | None = None,
        resource_version: str = "", resource_version_match: str = "", page_size: int = PAGE_SIZE,
    ) -> Listing[R]: ...  # fmt: skip
    @overload
    def list(
        self, kind: Dynamic, *, namespace: str | None = None,
        labels: Labels | None = None, fields: Fields | None = None,
        resource_version: str = "", resource_version_match: str = "", page_size: int = PAGE_SIZE,
    ) -> Listing[Unstructured]: ...  # fmt: skip
    def list(  # noqa: PLR0913  # ListOptions has that many
        self,
        kind: Any,
        *,
        namespace: str | None = None,
        labels: Labels | None = None,
        fields: Fields | None = None,
        resource_version: str = "",
        resource_version_match: str = "",
        page_size: int = PAGE_SIZE,
    ) -> Listing[Any]:
        """List objects, from the cache where that can be; ``await`` it, or ``async for`` it.

        Args:
            kind: The class, a `Kind`, or a name such as ``"deploy"``.
            namespace: One namespace; all of them unless given, or unless this is a view of one.
            labels: A label selector: text, a dict, or a selector.
            fields: A field selector: text or a dict.
            resource_version: Asks the server for this moment.
            resource_version_match: ``"Exact"`` or ``"NotOlderThan"``.
            page_size: How many objects to ask the server for at once; 0 for all in one answer.
        """
        live = self.live.list(
            kind, namespace=namespace, labels=labels, fields=fields,
            resource_version=resource_version, resource_version_match=resource_version_match,
            page_size=page_size,
        )  # fmt: skip
        if resource_version or resource_version_match:
            return live
        labelled, named = label_selector(labels), field_selector(fields)
        where = self._defaults.scope if namespace is None else namespace

        async def read() -> CachedObjects[Any] | None:
            if not self._cache:
                return None
            target = await self._target(kind)
            return self._select(target, where, labelled, named)

        return CachedListing(read, live)

    def _key(
        self, target: ServedKind[Any], name: str | ObjectKey, namespace: str | None
    ) -> ObjectKey:
        key = key_of(name, namespace)
        if not target.mapping.namespaced:
            return ObjectKey("", key.name)
        if not (key.namespace or self.namespace):
            raise ValueError(f"{target.mapping.plural} live in namespaces: say which one")
        return key if key.namespace else ObjectKey(self.namespace, key.name)

    def _look_up(self, target: ServedKind[Any], key: ObjectKey) -> Any:
        """Return the object, ``None`` if there is none, `_UNKNOWN` if only the server can say."""
        informer = self._cache.reader(target.mapping, key.namespace)
        if informer is None:
            return _UNKNOWN
        entry = informer.store.find_entry(key)
        if entry is not None:
            return _decoder(target, informer)(entry.raw)
        # An object of another shard is not here, though it exists.
        return None if informer.selection.shard is None else _UNKNOWN

    def _select(
        self, target: ServedKind[Any], namespace: str, labels: Selector, fields: FieldSelector
    ) -> CachedObjects[Any] | None:
        """Return what is cached of a list, or ``None`` if the server must be asked."""
        if not all(term.field in KEY_FIELDS for term in fields.terms):
            return None
        namespace = namespace if target.mapping.namespaced else ""
        informer = self._cache.reader(target.mapping, namespace)
        if informer is None or informer.selection.shard is not None:
            return None
        found = informer.store.list_entries(namespace or None, labels)
        if fields.terms:
            found = [entry for entry in found if key_fits(entry.key, fields)]
        return CachedObjects(found, informer.version, _decoder(target, informer))


def _decoder(target: ServedKind[Any], informer: Informer[Any]) -> Callable[[bytes], Any]:
    """Return what makes objects of *target*, which may be another class than the informer's."""
    why = informer.store.codec.partial
    if not why:
        return target.decode

    def decode(raw: bytes) -> Any:
        found = target.decode(raw)
        mark_partial(found, why)
        return found

    return decode


def _not_found(target: ServedKind[Any], key: ObjectKey) -> NotFoundError:
    """Return the error that the server would answer with."""
    plural, group = target.mapping.plural, target.mapping.group
    what = f"{plural}.{group}" if group else plural
    details = StatusDetails(name=key.name, group=group or None, kind=plural)
    status = Status("Failure", f'{what} "{key.name}" not found', "NotFound", details, 404)
    return NotFoundError(Attempt("get", plural, group, "", key.namespace, key.name), status)
