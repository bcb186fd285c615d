"""Gives every namespace the service account that pods run as by default."""

from typing import TYPE_CHECKING

from kubewright.apiserver.backend import Backend
from kubewright.apiserver.controllers.loopback import Handle, Loopback
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.storage import Event

if TYPE_CHECKING:
    from kubewright.apiserver.controllers.worker import Worker

NAMESPACES = GroupResource("", "namespaces")
ACCOUNTS = GroupResource("", "serviceaccounts")
DEFAULT: str = "default"


class AccountController:
    """Makes the account ``default`` of each namespace, and makes it again if it is deleted."""

    def __init__(self, backend: Backend, handle: Handle) -> None:
        self._backend = backend
        self._loopback = Loopback(handle, backend.registry, "account-controller")
        self._worker: Worker

    def start(self, worker: "Worker") -> None:
        """Look at every namespace, and at every change from now on."""
        self._worker = worker
        store = self._backend.store
        store.listen(self._handle_event)
        for stored in store.collection(NAMESPACES).list():
            worker.add(stored.key)

    def _handle_event(self, resource: GroupResource, event: Event) -> None:
        if resource == NAMESPACES and event.type == "ADDED":
            self._worker.add(event.current.key)
        elif resource == ACCOUNTS and event.type == "DELETED":
            namespace, _, name = event.current.key.rpartition("/")
            if name == DEFAULT:
                self._worker.add(namespace)

    async def work(self, key: object) -> None:
        """Make the account of a namespace, unless it is there or the namespace is ending."""
        assert isinstance(key, str)
        store = self._backend.store
        namespace = store.find_object(NAMESPACES, "", key)
        if namespace is None or namespace["metadata"].get("deletionTimestamp"):
            return
        if store.find(ACCOUNTS, key, DEFAULT) is None:
            path = f"/api/v1/namespaces/{key}/serviceaccounts"
            await self._loopback.ask("POST", path, {"metadata": {"name": DEFAULT}})
