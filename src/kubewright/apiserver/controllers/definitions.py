"""Custom resources come and go with their definitions, at once."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kubewright.apiserver.backend import Backend
from kubewright.apiserver.controllers.loopback import Handle, Loopback
from kubewright.apiserver.controllers.worker import NotYetError, Worker
from kubewright.apiserver.customresource.status import (
    FINALIZER,
    find_condition,
    settle,
)
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.storage import Event

if TYPE_CHECKING:
    from kubewright.apiserver.admission.webhook_client import WebhookClient

DEFINITIONS = GroupResource("apiextensions.k8s.io", "customresourcedefinitions")


class DefinitionController:
    """Serves what definitions define, and removes their objects when they are deleted."""

    def __init__(
        self, backend: Backend, handle: Handle, client: "Callable[[], WebhookClient]"
    ) -> None:
        self._backend = backend
        self._client = client
        self._loopback = Loopback(handle, backend.registry, "definition-controller")
        self._worker = Worker(self, clock=backend.clock)
        self._specs: dict[str, Any] = {}
        self._since: dict[str, int] = {}
        self._deleting: dict[GroupResource, str] = {}

    def begin(self) -> None:
        """Serve what is defined already, and follow every change."""
        self._worker.start()

    def start(self, worker: Worker) -> None:
        """Look at every definition, and at every change from now on."""
        store = self._backend.store
        for definition in store.list(DEFINITIONS):
            self._settle(definition)
        store.listen(self._handle_event)

    async def stop(self) -> None:
        """Stop removing objects."""
        await self._worker.stop()

    def _handle_event(self, resource: GroupResource, event: Event) -> None:
        if resource != DEFINITIONS:
            if event.type == "DELETED" and resource in self._deleting:
                self._worker.add(self._deleting[resource])
            return
        definition = event.current.decode()
        if event.type == "DELETED":
            self._remove(definition)
        else:
            self._settle(definition)

    def _settle(self, definition: Obj) -> None:
        """Decide about the names of a definition, and serve it if it got them."""
        store, name = self._backend.store, definition["metadata"]["name"]
        if definition["metadata"].get("deletionTimestamp"):
            self._terminate(definition)
            return
        others = [other for other in store.list(DEFINITIONS) if other["metadata"]["name"] != name]
        if settle(definition, others, now=self._backend.now()):
            # This write comes back as an event, and the definition is served then.
            store.put(DEFINITIONS, definition)
            return
        if (find_condition(definition, "Established") or {}).get("status") == "True":
            self._serve(definition)

    def _serve(self, definition: Obj) -> None:
        name, spec = definition["metadata"]["name"], definition["spec"]
        accepted = definition["status"].get("acceptedNames")
        ending = "deletionTimestamp" in definition["metadata"]
        if self._specs.get(name) == (spec, accepted, ending):
            return
        known = name in self._specs
        self._specs[name] = (spec, accepted, ending)
        # Imported here: a server without custom resources needs neither schemas nor CEL.
        from kubewright.apiserver.customresource.resources import served_resources

        store = self._backend.store
        resources = served_resources(definition, self._client)
        for resource in resources:
            # What was stored before is read with care: it may lack what the schema says now.
            resource.since = (
                store.revision if known or len(store.collection(resource.group_resource)) else 0
            )
        served = [resource for resource in resources if resource.verbs]
        hub = next(resource for resource in resources if resource.version == resource.hub)
        self._backend.registry.set_custom(name, served, hub)
        if known and not ending and not self._backend.registry.is_builtin(hub.group_resource):
            store.collection(hub.group_resource).end_watches()

    def _terminate(self, definition: Obj) -> None:
        spec = definition["spec"]
        resource = GroupResource(spec["group"], spec["names"]["plural"])
        self._deleting[resource] = name = definition["metadata"]["name"]
        if name in self._specs:
            self._serve(definition)
        self._worker.add(name)

    def _remove(self, definition: Obj) -> None:
        name, spec = definition["metadata"]["name"], definition["spec"]
        resource = GroupResource(spec["group"], spec["names"]["plural"])
        self._specs.pop(name, None)
        self._deleting.pop(resource, None)
        self._backend.registry.remove_custom(name)
        if not self._backend.registry.is_builtin(resource):
            self._backend.store.collection(resource).end_watches()
        # Names that it held may be what another definition has been waiting for.
        for other in list(self._backend.store.list(DEFINITIONS)):
            self._settle(other)

    async def work(self, key: object) -> None:
        """Remove the objects of a definition that is being deleted, and then let it go."""
        assert isinstance(key, str)
        store = self._backend.store
        definition = store.find_object(DEFINITIONS, "", key)
        if definition is None or not definition["metadata"].get("deletionTimestamp"):
            return
        spec = definition["spec"]
        resource = GroupResource(spec["group"], spec["names"]["plural"])
        if self._backend.registry.is_builtin(resource):  # which owns the objects
            self._release(key)
            return
        hub = self._backend.registry.find_hub(resource)
        if hub is not None and len(store.collection(resource)):
            await self._delete_all(hub)
        if len(store.collection(resource)) == 0:
            self._release(key)
        elif not all(obj["metadata"].get("deletionTimestamp") for obj in store.list(resource)):
            raise NotYetError  # a deletion was refused; marked objects would be waited for

    async def _delete_all(self, hub: Resource) -> None:
        collection = self._backend.store.collection(hub.group_resource)
        namespaces = {stored.key.rpartition("/")[0] for stored in collection.list()}
        for namespace in sorted(namespaces):
            path = self._loopback.path(hub.group_resource, namespace)
            if path is not None:
                await self._loopback.ask("DELETE", path)
        if not self._backend.registry.versions_of(hub.group_resource):
            # No version is served, so no request could delete these objects.
            for obj in list(self._backend.store.list(hub.group_resource)):
                self._backend.store.remove(hub.group_resource, obj)

    def _release(self, name: str) -> None:
        store = self._backend.store
        definition = store.find_object(DEFINITIONS, "", name)
        if definition is None:
            return
        metadata = definition["metadata"]
        left = [one for one in metadata.get("finalizers", ()) if one != FINALIZER]
        if left:
            metadata["finalizers"] = left
            store.put(DEFINITIONS, definition)
        else:
            metadata.pop("finalizers", None)
            store.remove(DEFINITIONS, definition)
