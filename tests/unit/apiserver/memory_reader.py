"""Stored objects for those who decide by them, without a store."""

from collections.abc import Iterable
from typing import Any

from kubewright.apiserver.meta.names import GroupResource

Obj = dict[str, Any]


class MemoryReader:
    """Holds objects in a dict, and counts the changes of each resource."""

    def __init__(self) -> None:
        self._objects: dict[tuple[GroupResource, str, str], Obj] = {}
        self._revisions: dict[GroupResource, int] = {}

    def put(self, resource: GroupResource, obj: Obj) -> Obj:
        metadata = obj["metadata"]
        self._objects[resource, metadata.get("namespace", ""), metadata["name"]] = obj
        self._touch(resource)
        return obj

    def delete(self, resource: GroupResource, name: str, namespace: str = "") -> None:
        del self._objects[resource, namespace, name]
        self._touch(resource)

    def find_object(self, resource: GroupResource, namespace: str, name: str) -> Obj | None:
        return self._objects.get((resource, namespace, name))

    def list(self, resource: GroupResource, namespace: str = "") -> Iterable[Obj]:
        return [
            obj
            for (kind, within, _), obj in self._objects.items()
            if kind == resource and (not namespace or within == namespace)
        ]

    def revision_of(self, resource: GroupResource) -> int:
        return self._revisions.get(resource, 0)

    def _touch(self, resource: GroupResource) -> None:
        self._revisions[resource] = self.revision_of(resource) + 1
