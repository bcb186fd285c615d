"""`Inventory`: which of the objects of a manifest are the same, and which of them are there."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kubewright.api.kind import GroupVersionKind
from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.errors import NoMatchError, NotFoundError
from kubewright.helm.holder import Holder, holder_of
from kubewright.helm.manifest import identity

if TYPE_CHECKING:
    from kubewright.cluster import Cluster

__all__ = ["Inventory"]


class Inventory:
    """Recognizes objects as the server does.

    Args:
        cluster: Where they are.
    """

    def __init__(self, cluster: "Cluster") -> None:
        self._cluster = cluster

    async def without(
        self, objects: list[dict[str, Any]], others: list[dict[str, Any]], namespace: str
    ) -> list[dict[str, Any]]:
        """Return those of *objects* that are not among *others*.

        Args:
            objects: Some objects.
            others: More of them.
            namespace: That of the release, for those that name none.
        """
        if not (objects and others):
            return list(objects)
        known = {await self._name(one, namespace) for one in others}
        return [one for one in objects if await self._name(one, namespace) not in known]

    async def uids(self, objects: Iterable[dict[str, Any]], namespace: str) -> frozenset[str]:
        """Return the uids of those of *objects* that are there."""
        found = [await self._uid(one, namespace) for one in objects]
        return frozenset(uid for uid in found if uid)

    async def spared(
        self, objects: list[dict[str, Any]], uids: frozenset[str], namespace: str
    ) -> list[dict[str, Any]]:
        """Return *objects* without those of *uids*."""
        if not uids:
            return objects
        return [one for one in objects if await self._uid(one, namespace) not in uids]

    async def holders(self, objects: Iterable[dict[str, Any]], namespace: str) -> set[Holder]:
        """Return what those of *objects* that are there belong to."""
        found = [await self._find(one, namespace) for one in objects]
        holders = (holder_of(live) for live in found if live is not None)
        return {one for one in holders if one is not None}

    async def _name(self, obj: dict[str, Any], namespace: str) -> tuple[str, str, str, str]:
        gvk, key = identity(obj, namespace)
        # What is cluster-wide is one object, whatever namespace a chart writes into it.
        there = key.namespace if await self._is_namespaced(gvk) else ""
        return gvk.group, gvk.kind, there, key.name

    async def _is_namespaced(self, gvk: GroupVersionKind) -> bool:
        try:
            return (await self._cluster.client.mapper.mapping(gvk.group_kind)).namespaced
        except NoMatchError:
            return True  # nothing of it is there, so all that matters is that names differ

    async def _uid(self, obj: dict[str, Any], namespace: str) -> str | None:
        live = await self._find(obj, namespace)
        return None if live is None else live.metadata.uid

    async def _find(self, obj: dict[str, Any], namespace: str) -> Unstructured | None:
        gvk, key = identity(obj, namespace)
        try:
            return await self._cluster.live.find(Kind(gvk.api_version, gvk.kind), key)
        except (NoMatchError, NotFoundError):
            return None
