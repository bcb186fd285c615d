"""The indexes of an operator, which go with the last of its reconcilers."""

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
    """Keeps indexes in one cluster for as long as somebody reads by them.

    Its users are the reconcilers of an operator. One without reconcilers lets a manager run this
    instead, so that the indexes go when that is removed.

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
        """Keep an index of what *watch* selects, and the informer that it is of.

        Raises:
            ValueError: An index of that name is another function.
        """
        informer = watch.informer(self._cluster)
        self._cache.hold_index(informer, name, function)
        self._cache.hold(informer)
        self._held.append((informer, name))

    def join(self) -> None:
        """Note that one more reconciler reads by the indexes."""
        self._users += 1

    def leave(self) -> None:
        """Note that one reconciler less does so; after the last one, let go of the indexes."""
        self._users -= 1
        if self._users <= 0:
            self.release()

    async def run(self) -> None:
        """Keep the indexes until cancelled."""
        await asyncio.Event().wait()

    def release(self) -> None:
        """Let go of the indexes; each stays if somebody else holds it."""
        held, self._held = self._held, []
        for informer, name in held:
            self._cache.release_index(informer, name)
            self._cache.release(informer)
