"""`CacheView`: reads from the cache with a default namespace."""

import builtins
from typing import Any, Protocol, TypeVar, overload

from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.api.kind_reference import Kind, KindLike
from kubewright.api.resource import Resource, mapping_of
from kubewright.api.unstructured import Unstructured
from kubewright.cache.store import NAMESPACE
from kubewright.client.target import Labels, key_of

D = TypeVar("D", bound=Resource)

__all__ = ["CacheView", "Readable"]


class Readable(Protocol):
    """What a view reads: a `kubewright.cache.Cache`."""

    def find(self, kind: Any, name: ObjectKey) -> Any:
        """Return a fresh copy of an object, or ``None``."""
        ...

    def get(self, kind: Any, name: ObjectKey) -> Any:
        """Return a fresh copy of an object."""
        ...

    def mapping_of(self, kind: KindLike[Any]) -> RESTMapping:
        """Return where *kind* lives."""
        ...

    def list(
        self,
        kind: Any,
        *,
        namespace: str | None = None,
        labels: Labels | None = None,
        index: str | None = None,
        value: str | None = None,
    ) -> list[Any]:
        """Return fresh copies of the matching objects."""
        ...


class CacheView:
    """Reads from a cache with a default namespace.

    Args:
        cache: What to read from.
        namespace: The default. If it is empty, single objects must be named with their namespace,
            and lists are of all namespaces.
    """

    __slots__ = ("_cache", "namespace")

    def __init__(self, cache: Readable, namespace: str) -> None:
        self._cache = cache
        self.namespace: str = namespace

    @overload
    def find(
        self, kind: type[D], name: str | ObjectKey, *, namespace: str | None = None
    ) -> D | None: ...
    @overload
    def find(
        self, kind: Kind, name: str | ObjectKey, *, namespace: str | None = None
    ) -> Unstructured | None: ...
    def find(self, kind: Any, name: str | ObjectKey, *, namespace: str | None = None) -> Any:
        """Return a fresh copy of an object, or ``None`` if the cache does not have it.

        Raises:
            LifecycleError: The kind is not declared.
            CacheNotSyncedError: Its first list is not complete.
        """
        return self._cache.find(kind, self._key(kind, name, namespace))

    @overload
    def get(self, kind: type[D], name: str | ObjectKey, *, namespace: str | None = None) -> D: ...
    @overload
    def get(
        self, kind: Kind, name: str | ObjectKey, *, namespace: str | None = None
    ) -> Unstructured: ...
    def get(self, kind: Any, name: str | ObjectKey, *, namespace: str | None = None) -> Any:
        """Return a fresh copy of an object.

        Raises:
            NotFoundError: The cache does not have it.
            LifecycleError: The kind is not declared.
            CacheNotSyncedError: Its first list is not complete.
        """
        return self._cache.get(kind, self._key(kind, name, namespace))

    @overload
    def list(
        self, kind: type[D], *, namespace: str | None = None, labels: Labels | None = None,
        index: str | None = None, value: str | None = None,
    ) -> list[D]: ...  # fmt: skip
    @overload
    def list(
        self, kind: Kind, *, namespace: str | None = None, labels: Labels | None = None,
        index: str | None = None, value: str | None = None,
    ) -> "builtins.list[Unstructured]": ...  # fmt: skip
    def list(
        self,
        kind: Any,
        *,
        namespace: str | None = None,
        labels: Labels | None = None,
        index: str | None = None,
        value: str | None = None,
    ) -> Any:
        """Return fresh copies of the matching objects; see `Cache.list`.

        Args:
            kind: The class, or a `Kind`.
            namespace: Only objects in this namespace; by default that of the view. Empty for all
                namespaces.
            labels: Only objects with these labels.
            index: With *value*: only objects that this index finds by it.
            value: What to look up in *index*.
        """
        where = self.namespace if namespace is None and index != NAMESPACE else namespace
        if not self._mapping(kind).namespaced:
            where = None
        return self._cache.list(
            kind, namespace=where or None, labels=labels, index=index, value=value
        )

    def _mapping(self, kind: KindLike[Any]) -> RESTMapping:
        return mapping_of(kind) if isinstance(kind, type) else self._cache.mapping_of(kind)

    def _key(self, kind: KindLike[Any], name: str | ObjectKey, namespace: str | None) -> ObjectKey:
        key, mapping = key_of(name, namespace), self._mapping(kind)
        if key.namespace or not mapping.namespaced:
            return key
        if not self.namespace:
            raise ValueError(f"{mapping.plural} live in namespaces: say which one")
        return ObjectKey(self.namespace, key.name)
