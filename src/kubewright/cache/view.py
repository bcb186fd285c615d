"""`CacheView`: the cache as those read it who work in one namespace."""

from typing import Protocol, TypeVar

from kubewright.api.kind import ObjectKey
from kubewright.api.resource import Resource, mapping_of
from kubewright.cache.store import NAMESPACE
from kubewright.client.target import Labels, key_of

R = TypeVar("R", bound=Resource)

__all__ = ["CacheView", "Readable"]


class Readable(Protocol):
    """What a view reads: a `kubewright.cache.Cache`."""

    def find(self, kind: type[R], name: ObjectKey) -> R | None:
        """Return a fresh copy of an object, or ``None``."""
        ...

    def get(self, kind: type[R], name: ObjectKey) -> R:
        """Return a fresh copy of an object."""
        ...

    def list(
        self,
        kind: type[R],
        *,
        namespace: str | None = None,
        labels: Labels | None = None,
        index: str | None = None,
        value: str | None = None,
    ) -> list[R]:
        """Return fresh copies of the objects that fit."""
        ...


class CacheView:
    """Reads from a cache, in which one namespace is meant wherever none is named.

    Args:
        cache: What is read.
        namespace: The namespace. If it is empty, one object has to be named with its namespace, and
            a list is of all of them.
    """

    __slots__ = ("_cache", "namespace")

    def __init__(self, cache: Readable, namespace: str) -> None:
        self._cache = cache
        self.namespace: str = namespace

    def find(
        self, kind: type[R], name: str | ObjectKey, *, namespace: str | None = None
    ) -> R | None:
        """Return a fresh copy of an object, or ``None`` if the cache has none of that name.

        Raises:
            LifecycleError: The kind is not declared.
            CacheNotSyncedError: Its first list is not complete.
        """
        return self._cache.find(kind, self._key(kind, name, namespace))

    def get(self, kind: type[R], name: str | ObjectKey, *, namespace: str | None = None) -> R:
        """Return a fresh copy of an object.

        Raises:
            NotFoundError: The cache has none of that name.
            LifecycleError: The kind is not declared.
            CacheNotSyncedError: Its first list is not complete.
        """
        return self._cache.get(kind, self._key(kind, name, namespace))

    def list(
        self,
        kind: type[R],
        *,
        namespace: str | None = None,
        labels: Labels | None = None,
        index: str | None = None,
        value: str | None = None,
    ) -> list[R]:
        """Return fresh copies of the objects that fit; see `Cache.list`.

        Args:
            kind: The class.
            namespace: Only those of this namespace; of that of the view unless given, and of all of
                them if empty.
            labels: Only those with these labels.
            index: With *value*: only those that this index has under it.
            value: What to look up in *index*.
        """
        where = self.namespace if namespace is None and index != NAMESPACE else namespace
        if not mapping_of(kind).namespaced:
            where = None
        return self._cache.list(
            kind, namespace=where or None, labels=labels, index=index, value=value
        )

    def _key(self, kind: type[Resource], name: str | ObjectKey, namespace: str | None) -> ObjectKey:
        key, mapping = key_of(name, namespace), mapping_of(kind)
        if key.namespace or not mapping.namespaced:
            return key
        if not self.namespace:
            raise ValueError(f"{mapping.plural} live in namespaces: say which one")
        return ObjectKey(self.namespace, key.name)
