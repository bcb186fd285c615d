"""Counts what the objects of a namespace use of its ResourceQuotas.

Writes are charged when they happen (`admission.plugins.resourcequota`). This controller counts
again when something is given back, and when a quota is new or has changed.
"""

from typing import TYPE_CHECKING

from kubewright.apiserver.admission.plugins.resourcequota import QUOTAS, count
from kubewright.apiserver.backend import Backend
from kubewright.apiserver.builtin.core.quota_usage import CLAIMS, IGNORED, PODS, SERVICES, usage_of
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.storage import Event

if TYPE_CHECKING:
    from kubewright.apiserver.controllers.worker import Worker

_VARYING = frozenset({PODS, SERVICES, CLAIMS})


class QuotaController:
    """Keeps the status of quotas."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._quotas = backend.store.collection(QUOTAS)
        self._worker: Worker

    def start(self, worker: "Worker") -> None:
        """Count once for every quota, and after every change from now on."""
        self._worker = worker
        self._backend.store.listen(self._handle_event)
        for stored in self._quotas.list():
            worker.add(stored.key)

    def _handle_event(self, resource: GroupResource, event: Event) -> None:
        if resource == QUOTAS and event.type != "DELETED" and _is_stale(event.current.decode()):
            self._worker.add(event.current.key)
        if not len(self._quotas) or event.type == "ADDED" or "/" not in event.current.key:
            return
        found = self._quotas.list(event.current.key.partition("/")[0])
        if found and (event.type == "DELETED" or self._gives_back(resource, event)):
            for stored in found:
                self._worker.add(stored.key)

    def _gives_back(self, resource: GroupResource, event: Event) -> bool:
        """Whether a change of an object changes what it uses, as the end of a pod does."""
        if resource not in _VARYING or event.previous is None:
            return False
        now = self._backend.clock.now()
        before, after = event.previous.decode(), event.current.decode()
        return usage_of(resource, before, now) != usage_of(resource, after, now)

    async def work(self, key: object) -> None:
        """Count for one quota, in one step without an await."""
        assert isinstance(key, str)
        stored = self._quotas.find(key)
        if stored is None:
            return
        quota, backend = stored.decode(), self._backend
        resources = [one for one in backend.registry.stored() if one.namespaced]
        named = {one.storage for one in resources} - IGNORED
        state = count(backend.store, quota, named, backend.clock.now())
        if state != quota["status"]:
            quota["status"] = state
            backend.store.put(QUOTAS, quota)


def _is_stale(quota: Obj) -> bool:
    """Whether a quota was not counted, or has other limits since."""
    hard, state = quota["spec"].get("hard") or {}, quota.get("status") or {}
    return bool((state.get("hard") or {}) != hard or "used" not in state)
