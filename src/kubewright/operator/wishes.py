"""Tracks which children each reconciler of a kind wants, so that `prune` spares them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from kubewright.api.definition import plural_of
from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.operator.child import Child

if TYPE_CHECKING:
    from kubewright.cache.informer import Informer

__all__ = ["Wishes"]

_Object: TypeAlias = Resource | Unstructured


class _Wish:
    """The children that one reconciler wants for one object; complete after a successful run."""

    __slots__ = ("children", "uid", "whole")

    def __init__(self, uid: str) -> None:
        self.uid = uid
        self.children: set[Child] = set()
        self.whole = False


class Wishes:
    """The children that one reconciler wants, for the other reconcilers of its kind.

    Args:
        others: The wishes of all reconcilers of the kind; this one joins them.
        owned: The kinds that the reconciler owns.
        informer: Which objects the reconciler is called for.
    """

    def __init__(
        self, others: "list[Wishes]", owned: Iterable[RESTMapping], informer: "Informer[Any]"
    ) -> None:
        self._all = others
        self._owned = tuple(owned)
        self._informer = informer
        self._wishes: dict[ObjectKey, _Wish] = {}
        others.append(self)

    def want(self, obj: _Object, child: Child) -> None:
        """Note that a run wants *child* for *obj*."""
        if len(self._all) > 1:
            self._of(obj).children.add(child)

    def settle(self, obj: _Object, children: set[Child]) -> None:
        """Note that a run has succeeded, and wants exactly *children*."""
        if len(self._all) > 1:
            wish = self._of(obj)
            wish.children, wish.whole = set(children), True

    def forget(self, key: ObjectKey) -> None:
        """Note that an object is gone."""
        self._wishes.pop(key, None)

    def spare(self, obj: _Object, child: Child) -> bool:
        """Say whether another reconciler wants *child*, or may want it."""
        return any(one.may_want(obj, child) for one in self._all if one is not self)

    def may_want(self, obj: _Object, child: Child) -> bool:
        """Say whether this reconciler wants *child*, or may want it after its first success."""
        wish = self._wishes.get(obj.key)
        if wish is None or wish.uid != obj.metadata.uid:
            return self._owns(child) and obj.key in self._informer.store
        return child in wish.children or (not wish.whole and self._owns(child))

    def _of(self, obj: _Object) -> _Wish:
        uid = obj.metadata.uid
        wish = self._wishes.get(obj.key)
        if wish is None or wish.uid != uid:
            wish = self._wishes[obj.key] = _Wish(uid)
        return wish

    def _owns(self, child: Child) -> bool:
        # A `Kind` may name only the plural.
        plural = plural_of(child.kind)
        return any(
            one.group == child.group and (one.kind == child.kind or one.plural == plural)
            for one in self._owned
        )
