"""`HeldIndexes`: the indexes of an operator, which are removed with its last reconciler."""

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from kubewright.controller.watches import KindWatch
from kubewright.runnable import Stage

if TYPE_CHECKING:
    from kubewright.cache.informer import Informer
    from kubewright.cluster import Cluster

__all__ = ["HeldIndexes"]


class HeldIndexes:
    """Keeps indexes in one cluster until the last reconciler of an operator has left.

    If an operator has no reconcilers, its manager runs this instead, so that the indexes are
    removed with the operator.

    Args:
        cluster: Where the objects are.
    """

    stage: ClassVar[Stage] = Stage.LEADER

    def __init__(self, cluster: "Cluster") -> None:
        self._cache = cluster.cache
        self._cluster = cluster
        self._held: list[tuple[Informer[Any], str]] = []
        self._users = 0

    def hold(
        self, watch: KindWatch[Any], name: str, function: Callable[[Any], Iterable[str]]
    ) -> None:
        """Add an index of what *watch* selects, and hold its informer.

        Raises:
            ValueError: An index of that name is another function.
        """
        informer = watch.informer(self._cluster)
        self._cache.hold(informer)
        try:
            self._cache.hold_index(informer, name, function)
        except ValueError:
            self._cache.release(informer)  # it ends if it was declared for this index alone
            raise
        self._held.append((informer, name))

    def join(self) -> None:
        """Add a reconciler that uses the indexes."""
        self._users += 1

    def leave(self) -> None:
        """Remove a reconciler; after the last one, release the indexes."""
        self._users -= 1
        if self._users <= 0:
            self.release()

    async def run(self) -> None:
        """Keep the indexes until cancelled."""
        await asyncio.Event().wait()

    def release(self) -> None:
        """Release the indexes and informers; others may still hold them."""
        held, self._held = self._held, []
        for informer, name in held:
            self._cache.release_index(informer, name)
            self._cache.release(informer)
