"""`Selectors`: which objects of a kind select another object, found without decoding it."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from kubewright.api.kind import ObjectKey
from kubewright.api.resource import Resource
from kubewright.api.selectors import Selector
from kubewright.cache.entry import Event
from kubewright.cluster import Cluster
from kubewright.embedded.controllers.dependents import is_orphan_event

__all__ = ["Selectors"]

R = TypeVar("R", bound=Resource)


class Selectors(Generic[R]):
    """The selectors of all objects of one kind, read again only when a spec changes.

    Args:
        cluster: Where they are.
        kind: Their class.
        read: Returns the selector of one of them.
    """

    def __init__(self, cluster: Cluster, kind: type[R], read: Callable[[R], Selector]) -> None:
        self._read = read
        self._known: dict[str, dict[ObjectKey, Selector]] = {}
        cluster.cache.informer(kind).add_handler(self._note_event)

    def matching(self, obj: Resource) -> list[ObjectKey]:
        """Return those that select *obj*, for a watch to reconcile."""
        meta = obj.metadata
        known = self._known.get(meta.namespace, {})
        return [key for key, selector in known.items() if selector.matches(meta.labels)]

    def concern(self, event: Event[Any]) -> bool:
        """Return whether one of them selects what changed, before or after."""
        known = self._known.get(event.key.namespace)
        if not known:
            return False
        labels = [one.labels for one in (event.old, event.new) if one is not None]
        return any(selector.matches(one) for selector in known.values() for one in labels)

    def concern_orphan(self, event: Event[Any]) -> bool:
        """Return whether one of them selects what changed, and might adopt it."""
        return is_orphan_event(event) and self.concern(event)

    def _note_event(self, event: Event[R]) -> None:
        old, new, key = event.old, event.new, event.key
        if new is None:
            known = self._known.get(key.namespace, {})
            known.pop(key, None)
            if not known:
                self._known.pop(key.namespace, None)
        elif old is None or old.uid != new.uid or old.generation != new.generation:
            self._known.setdefault(key.namespace, {})[key] = self._read(new.object)
