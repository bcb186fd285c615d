"""From an object that changed to the requests that it concerns."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.cache.entry import Entry, Event
from kubewright.cache.shard import Shard
from kubewright.controller.request import Request

if TYPE_CHECKING:
    from kubewright.cache.view import CacheView
    from kubewright.cluster import CachedClient, Cluster

__all__ = [
    "MapContext",
    "MapFunction",
    "Target",
    "owner_requests",
    "request_for",
    "requests_for",
    "takes_context",
    "versions",
]

R = TypeVar("R")
R_contra = TypeVar("R_contra", contravariant=True)

Target: TypeAlias = Request | ObjectKey | str | Resource | Unstructured
"""What to reconcile: a request, a key, ``"namespace/name"``, or the object itself."""

_Targets: TypeAlias = Iterable[Target] | Awaitable[Iterable[Target]]


class MapContext:
    """The second argument of a map function: lets it read from the cluster of the controller.

    The default namespace of reads and lists is that of the object that changed; ``namespace=""``
    lists all namespaces.

    Attributes:
        namespace: The namespace of the object that changed.
    """

    __slots__ = ("_cluster", "namespace")

    def __init__(self, cluster: "Cluster", namespace: str) -> None:
        self._cluster = cluster
        self.namespace: str = namespace

    @property
    def cache(self) -> "CacheView":
        """The cache of the cluster of the controller, with the kinds that were declared."""
        return self._cluster.cache.in_namespace(self.namespace)

    @property
    def client(self) -> "CachedClient":
        """The client of that cluster; for ``async`` map functions."""
        return self._cluster.client.in_namespace(self.namespace)


class _Asking(Protocol[R_contra]):
    """A map function with two parameters.

    It is a protocol because type checkers could not tell which of two callables a lambda is.
    """

    def __call__(self, obj: R_contra, ctx: MapContext, /) -> _Targets: ...


MapFunction: TypeAlias = Callable[[R], _Targets] | _Asking[R]
"""Returns what to reconcile when an object changes; ``async`` if it needs I/O."""


def takes_context(function: Callable[..., Any]) -> bool:
    """Say whether *function* needs a second argument; one with a default is the user's own."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False  # it has no signature
    needed = [
        one
        for one in parameters
        if one.default is one.empty and one.kind in {one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD}
    ]
    return len(needed) > 1


def versions(event: Event[R]) -> tuple[Entry[R], ...]:
    """Return the states that *event* is about: the new one, and the old one if there was one.

    Both count: what the old state referred to must be reconciled, too.
    """
    old, new = event.old, event.new
    if old is None or new is None:
        return (event.entry,)
    return new, old


def owner_requests(
    entry: Entry[Any],
    owner: RESTMapping,
    *,
    every_owner: bool = False,
    cluster: str = "",
    shard: Shard | None = None,
) -> Iterator[Request]:
    """Yield the owners of *entry* of the kind *owner*, in any version.

    Args:
        entry: The object that is owned.
        owner: The kind of the owners.
        every_owner: Whether all owners count, or only the one that controls it.
        cluster: Where both live.
        shard: Only owners that are in it.
    """
    for reference in entry.owners:
        if shard is not None and not shard.owns(reference.uid):
            continue
        if reference.kind != owner.kind or not (reference.controller or every_owner):
            continue
        if reference.api_version.rpartition("/")[0] == owner.group:
            namespace = entry.key.namespace if owner.namespaced else ""
            yield Request(namespace, reference.name, cluster)


def request_for(target: Target, *, namespace: str = "", cluster: str = "") -> Request:
    """Return *target* as a request.

    Args:
        target: What to reconcile.
        namespace: The namespace, if it is only a name.
        cluster: The cluster, if it does not name one.

    Raises:
        TypeError: It is not a `Target`.
        ValueError: It is text that does not name an object.
    """
    if isinstance(target, Request):
        return target if target.cluster or not cluster else target._replace(cluster=cluster)
    if isinstance(target, str):
        target = ObjectKey.parse(target)
        if not target.namespace:
            return Request(namespace, target.name, cluster)
    if isinstance(target, Resource | Unstructured):
        target = target.key
    if isinstance(target, ObjectKey):
        return Request(target.namespace, target.name, cluster)
    raise TypeError(
        f"{target!r:.80} names no object to reconcile: give a Request, an ObjectKey, a text such"
        " as 'namespace/name', or the object"
    )


def requests_for(
    targets: Iterable[Target], *, namespace: str = "", cluster: str = ""
) -> list[Request]:
    """Return *targets* as requests, each once, in their order.

    Raises:
        TypeError: A map function may not return them.
        ValueError: One of them is text that does not name an object.
    """
    one_of_them = str | Request | ObjectKey | Unstructured
    if isinstance(targets, one_of_them) or not isinstance(targets, Iterable):
        raise TypeError(
            f"a map function returns a list of what to reconcile, or yields it, not {targets!r:.80}"
        )
    found = (request_for(one, namespace=namespace, cluster=cluster) for one in targets)
    return list(dict.fromkeys(found))


def is_async(function: Callable[..., Any]) -> bool:
    """Say whether *function* is async, or an object whose ``__call__`` is."""
    call = getattr(function, "__call__", None)  # noqa: B004  # looked into, not asked for
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)
