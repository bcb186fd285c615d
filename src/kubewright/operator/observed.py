"""Tracks which reconcilers of a kind have acted on which generation of an object.

``observedGeneration`` says that the spec has been acted upon. If several reconcilers share a kind,
the last one to succeed writes it.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

from kubewright.api.kind import ObjectKey
from kubewright.api.kind_reference import likely_mapping
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.controller.declaration import Declaration
from kubewright.operator.wishes import Wishes

if TYPE_CHECKING:
    from kubewright.cache.informer import Informer
    from kubewright.cluster import Cluster

__all__ = ["Observer", "Observers"]

_Object: TypeAlias = Resource | Unstructured
_Shared: TypeAlias = tuple["Cluster", str, str]
_Done: TypeAlias = tuple[str, int] | None
"""The uid and generation of the last run if it succeeded; ``None`` if it failed or still runs."""


class Observer:
    """What one reconciler has done with each object, for the other reconcilers of its kind.

    Args:
        others: All observers of the kind; this one joins them.
        informer: Which objects the reconciler is called for.
        hears_all: Whether it is called for each new generation. One with its own predicate may not
            be; then the others wait only for a run that has not succeeded.
    """

    def __init__(
        self, others: "list[Observer]", informer: "Informer[Any]", *, hears_all: bool
    ) -> None:
        self._all = others
        self._informer = informer
        self._hears_all = hears_all
        self._done: dict[ObjectKey, _Done] = {}
        others.append(self)

    def begin(self, obj: _Object) -> None:
        """Note that a run begins, which has not succeeded until `succeed` is called."""
        if len(self._all) > 1:
            self._done[obj.key] = None

    def succeed(self, obj: _Object) -> None:
        """Note that the run has succeeded."""
        if len(self._all) > 1:
            self._done[obj.key] = (obj.metadata.uid, obj.metadata.generation)

    def leave(self) -> None:
        """Leave the others, which no longer wait for this one: its reconciler was removed."""
        self._all.remove(self)

    def forget(self, key: ObjectKey) -> None:
        """Note that an object is gone."""
        self._done.pop(key, None)

    def observed(self, obj: _Object) -> int | None:
        """Return the generation that all will have acted on if the run with *obj* succeeds.

        ``None`` if another reconciler has yet to act on the generation of *obj*. It may be a later
        generation: if this reconciler is not called for each one, the others may be ahead of it.
        """
        if len(self._all) == 1:
            return obj.metadata.generation
        others = [one for one in self._all if one is not self]
        if any(one.owes(obj) for one in others):
            return None
        if self._hears_all:
            return obj.metadata.generation
        acted = [done for one in others if (done := one.acted_on(obj.key)) is not None]
        return min(acted, default=obj.metadata.generation)

    def owes(self, obj: _Object) -> bool:
        """Say whether this reconciler has yet to act on the generation of *obj*."""
        key, metadata = obj.key, obj.metadata
        if key not in self._informer.store:
            return False  # the reconciler is not called for this object
        done = self._done.get(key)
        if done is None or done[0] != metadata.uid:
            return self._hears_all or key in self._done
        return self._hears_all and done[1] < metadata.generation

    def acted_on(self, key: ObjectKey) -> int | None:
        """Return the last generation it has acted on, if it is called for each generation."""
        done = self._done.get(key) if key in self._informer.store else None
        return done[1] if done is not None and self._hears_all else None


class Observers:
    """The observers, and the wishes, of all kinds of one operator."""

    def __init__(self) -> None:
        self._kinds: dict[_Shared, list[Observer]] = {}
        self._wishes: dict[_Shared, list[Wishes]] = {}

    def join(
        self, declaration: Declaration, cluster: "Cluster", informer: "Informer[Any]"
    ) -> Observer:
        """Add a reconciler, and return its observer."""
        others = self._kinds.setdefault(_shared(declaration, cluster), [])
        return Observer(others, informer, hears_all=declaration.primary.predicate is None)

    def join_wishes(
        self, declaration: Declaration, cluster: "Cluster", informer: "Informer[Any]"
    ) -> Wishes:
        """Add a reconciler or daemon, and return its wishes."""
        others = self._wishes.setdefault(_shared(declaration, cluster), [])
        return Wishes(others, [one.mapping for one in declaration.owns], informer)


def _shared(declaration: Declaration, cluster: "Cluster") -> _Shared:
    """Return the key that reconcilers of one kind share, whatever its version or class."""
    mapping = likely_mapping(declaration.kind)
    return cluster, mapping.group, mapping.plural
