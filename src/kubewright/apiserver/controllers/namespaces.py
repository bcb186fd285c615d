"""Empties namespaces that are being deleted, and lets them go when nothing is left."""

from collections import Counter
from typing import TYPE_CHECKING

from kubewright.apiserver.backend import Backend
from kubewright.apiserver.controllers.loopback import Handle, Loopback
from kubewright.apiserver.controllers.worker import NotYetError
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.storage import Event

if TYPE_CHECKING:
    from kubewright.apiserver.controllers.worker import Worker

NAMESPACES = GroupResource("", "namespaces")
PODS = GroupResource("", "pods")
FINALIZER: str = "kubernetes"


class NamespaceController:
    """Deletes the content of namespaces that are terminating."""

    def __init__(self, backend: Backend, handle: Handle) -> None:
        self._backend = backend
        self._loopback = Loopback(handle, backend.registry, "namespace-controller")
        self._terminating: set[str] = set()
        self._worker: Worker

    def start(self, worker: "Worker") -> None:
        """Look at every namespace, and at every change from now on."""
        self._worker = worker
        store = self._backend.store
        store.listen(self._handle_event)
        for namespace in store.list(NAMESPACES):
            if namespace["metadata"].get("deletionTimestamp"):
                self._note(namespace["metadata"]["name"])

    def _note(self, name: str) -> None:
        self._terminating.add(name)
        self._worker.add(name)

    def _handle_event(self, resource: GroupResource, event: Event) -> None:
        if resource == NAMESPACES:
            name = event.current.key
            if event.type == "DELETED":
                self._terminating.discard(name)
            elif b'"deletionTimestamp"' in event.current.data:
                self._note(name)
        elif event.type == "DELETED" and self._terminating:
            # The last object of a namespace may have been held by a finalizer until now.
            name = event.current.key.rpartition("/")[0]
            if name in self._terminating:
                self._worker.add(name)

    async def work(self, key: object) -> None:
        """Delete what is in a namespace, then the namespace."""
        assert isinstance(key, str)
        namespace = self._backend.store.find_object(NAMESPACES, "", key)
        if namespace is None or not namespace["metadata"].get("deletionTimestamp"):
            return
        resources = [one for one in self._backend.registry.stored() if one.namespaced]
        # Pods first, and the rest when they are gone: a pod that runs must not lose, say, the
        # network policy that shields it.
        left = await self._empty(key, [one for one in resources if one.group_resource == PODS])
        if not left:
            left = await self._empty(key, [one for one in resources if one.group_resource != PODS])
        if left:
            self._report(key, left)
            objects = (obj for found in left.values() for obj in found)
            if not all(obj["metadata"].get("deletionTimestamp") for obj in objects):
                raise NotYetError  # a deletion was refused; marked objects would be waited for
        else:
            await self._finalize(namespace)

    async def _empty(self, namespace: str, resources: list[Resource]) -> dict[str, list[Obj]]:
        """Delete the objects of *resources*; returns those that are still there."""
        left: dict[str, list[Obj]] = {}
        for resource in resources:
            collection = self._backend.store.collection(resource.group_resource)
            if not collection.list(namespace):
                continue
            path = self._loopback.path(resource.group_resource, namespace)
            if path is None:  # a resource without a served version is invisible
                continue
            if "deletecollection" in resource.verbs:
                await self._loopback.ask("DELETE", path)
            else:
                await self._delete_each(resource.group_resource, namespace)
            if remaining := [stored.decode() for stored in collection.list(namespace)]:
                left[str(resource.group_resource)] = remaining
        return left

    def _report(self, name: str, left: dict[str, list[Obj]]) -> None:
        """Say in the conditions of a namespace what still holds it."""
        store = self._backend.store
        namespace = store.find_object(NAMESPACES, "", name)
        if namespace is None:
            return
        status = namespace.setdefault("status", {})
        conditions = conditions_of(left, status.get("conditions") or [], self._backend.now())
        if conditions != status.get("conditions"):
            status["conditions"] = conditions
            store.put(NAMESPACES, namespace)

    async def _delete_each(self, resource: GroupResource, namespace: str) -> None:
        for stored in self._backend.store.collection(resource).list(namespace):
            name = stored.key.rpartition("/")[2]
            path = self._loopback.path(resource, namespace, name)
            if path is not None:
                await self._loopback.ask("DELETE", path)

    async def _finalize(self, namespace: Obj) -> None:
        spec = namespace.get("spec", {})
        kept = [name for name in spec.get("finalizers", ()) if name != FINALIZER]
        if kept == spec.get("finalizers", []):
            return
        namespace["spec"] = {**spec, "finalizers": kept}
        name = namespace["metadata"]["name"]
        await self._loopback.ask("PUT", f"/api/v1/namespaces/{name}/finalize", namespace)


def conditions_of(left: dict[str, list[Obj]], before: list[Obj], now: str) -> list[Obj]:
    """Return the conditions of a namespace in which *left* is left; times move with the status."""
    times = {(one["type"], one["status"]): one["lastTransitionTime"] for one in before}
    rows = (
        (
            "NamespaceDeletionDiscoveryFailure",
            "False",
            "ResourcesDiscovered",
            "All resources successfully discovered",
        ),
        (
            "NamespaceDeletionGroupVersionParsingFailure",
            "False",
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed",
        ),
        (
            "NamespaceDeletionContentFailure",
            "False",
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ),
        _content(left),
        _finalizers(left),
    )
    return [
        {
            "type": kind,
            "status": status,
            "lastTransitionTime": times.get((kind, status), now),
            "reason": reason,
            "message": message,
        }
        for kind, status, reason, message in rows
    ]


def _content(left: dict[str, list[Obj]]) -> tuple[str, str, str, str]:
    parts = [f"{name} has {len(found)} resource instances" for name, found in sorted(left.items())]
    text = f"Some resources are remaining: {', '.join(parts)}"
    return "NamespaceContentRemaining", "True", "SomeResourcesRemain", text


def _finalizers(left: dict[str, list[Obj]]) -> tuple[str, str, str, str]:
    kind = "NamespaceFinalizersRemaining"
    count = Counter(
        name
        for found in left.values()
        for obj in found
        for name in obj["metadata"].get("finalizers", ())
    )
    if not count:
        text = "All content-preserving finalizers finished"
        return kind, "False", "ContentHasNoFinalizers", text
    parts = [f"{name} in {times} resource instances" for name, times in sorted(count.items())]
    text = f"Some content in the namespace has finalizers remaining: {', '.join(parts)}"
    return kind, "True", "SomeFinalizersRemain", text
