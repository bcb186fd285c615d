"""`CachedClient`: a client that reads declared kinds from a cache."""

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

    `get`, `find` and `list` read from the cache if all of these hold:

    - There is an informer of that group, version and kind, whatever name or class you ask with,
      that has no label or field selector and is not ``metadata_only``. If there are two, the one
      without a ``transform`` is read. Reading never starts an informer.
    - It covers the namespace. A list of all namespaces needs an informer of all namespaces.
    - You did not ask for a ``resource_version``.
    - A list has no field selector except for ``metadata.name`` and ``metadata.namespace``.
    - The objects are not divided into shards. If they are, `get` and `find` still read from the
      cache what it has, and ask the server for anything else; a list asks the server.

    Cached objects may be slightly old, but never older than what this client wrote: see `Cache`.
    Every object is a private copy without its ``managedFields``. An object that went through a
    ``transform`` cannot be written back with ``update``. `watch`, the subresources and all writes
    always go to the server, and so does every read through `live`.

    A cached read before the first list is complete raises `CacheNotSyncedError`, which says why: a
    403, for example, or a kind that the server does not have.

    Args:
        live: The client whose connections, defaults and rate limit this one shares.
        cache: Where to read.
        field_owner: The field owner of its writes; by default that of *live*.
    """

    def __init__(self, live: Client, cache: Cache, *, field_owner: str = "") -> None:
        self._share(live, field_owner=field_owner)
        self.live: Client = live
        """The same client without the cache."""
        self._cache = cache

    def in_namespace(self, namespace: str) -> "CachedClient":
        """Return a client with *namespace* as the default; its `live` has it, too."""
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
        """Read one object, from the cache if possible.

        Args:
            kind: The class, a `Kind`, or a name such as ``"deploy"``.
            name: The name, ``namespace/name``, or an `ObjectKey`.
            namespace: The namespace; by default the client's own.
            resource_version: Makes it ask the server; ``"0"`` lets that answer from its own cache.

        Raises:
            NotFoundError: The object does not exist; `find` returns ``None`` instead.
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
        """Read one object, from the cache if possible; return ``None`` if it does not exist.

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
        """List objects, from the cache if possible; ``await`` it, or ``async for`` it.

        Args:
            kind: The class, a `Kind`, or a name such as ``"deploy"``.
            namespace: One namespace; by default all, or that of `in_namespace`.
            labels: A label selector: text, a dict, or a selector.
            fields: A field selector: text or a dict.
            resource_version: Makes it ask the server for this version.
            resource_version_match: ``"Exact"`` or ``"NotOlderThan"``.
            page_size: How many objects to request at once from the server; 0 for all.
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
        """Return the object, ``None`` if it does not exist, `_UNKNOWN` to ask the server."""
        informer = self._cache.reader(target.mapping, key.namespace)
        if informer is None:
            return _UNKNOWN
        entry = informer.store.find_entry(key)
        if entry is not None:
            return _decoder(target, informer)(entry.raw)
        # It may exist in another shard.
        return None if informer.selection.shard is None else _UNKNOWN

    def _select(
        self, target: ServedKind[Any], namespace: str, labels: Selector, fields: FieldSelector
    ) -> CachedObjects[Any] | None:
        """Return the list from the cache, or ``None`` if the server must be asked."""
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
    """Return a decoder for *target*, whose class may differ from that of *informer*."""
    why = informer.store.codec.partial
    if not why:
        return target.decode

    def decode(raw: bytes) -> Any:
        found = target.decode(raw)
        mark_partial(found, why)
        return found

    return decode


def _not_found(target: ServedKind[Any], key: ObjectKey) -> NotFoundError:
    """Return the error that the server would return."""
    plural, group = target.mapping.plural, target.mapping.group
    what = f"{plural}.{group}" if group else plural
    details = StatusDetails(name=key.name, group=group or None, kind=plural)
    status = Status("Failure", f'{what} "{key.name}" not found', "NotFound", details, 404)
    return NotFoundError(Attempt("get", plural, group, "", key.namespace, key.name), status)
