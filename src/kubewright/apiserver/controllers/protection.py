"""Keeps claims and volumes that are in use, and lets the others go when they are deleted.

The admission plugin StorageObjectInUseProtection gives every claim and volume a finalizer. Unless
somebody takes it off, `kubectl delete pvc` and the deletion of a namespace never end.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kubewright.apiserver.admission.plugins.storageobjectinuseprotection import (
    CLAIM_FINALIZER,
    VOLUME_FINALIZER,
)
from kubewright.apiserver.backend import Backend
from kubewright.apiserver.builtin.core.persistentvolumeclaims import CLAIMS
from kubewright.apiserver.builtin.core.persistentvolumes import VOLUMES
from kubewright.apiserver.controllers.loopback import Handle, Loopback
from kubewright.apiserver.controllers.worker import NotYetError
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.storage import Event, Stored

if TYPE_CHECKING:
    from kubewright.apiserver.controllers.worker import Worker

PODS: GroupResource = GroupResource("", "pods")
FINALIZERS: dict[GroupResource, str] = {CLAIMS: CLAIM_FINALIZER, VOLUMES: VOLUME_FINALIZER}
"""What protects the objects of each resource."""

_DELETED = b'"deletionTimestamp"'
_SHUT_DOWN = b'"deletionGracePeriodSeconds":0'
_NOT_FOUND, _REFUSED = 404, 400


class ProtectionController:
    """Takes the finalizer off claims and volumes that are deleted and that nobody uses.

    A claim is in use while there is a pod on a node that names it, whether that has ended or not.
    A volume is in use while it is bound to a claim that exists.
    """

    def __init__(self, backend: Backend, handle: Handle) -> None:
        self._backend = backend
        self._loopback = Loopback(handle, backend.registry, "pvc-protection-controller")
        # Deleted objects that are in use. They are few, and not for long.
        self._held: set[tuple[GroupResource, str]] = set()
        self._worker: Worker

    def start(self, worker: "Worker") -> None:
        """Look at what was deleted before, and at every change from now on."""
        self._worker = worker
        store = self._backend.store
        store.listen(self._handle_event)
        for resource in FINALIZERS:
            for stored in store.collection(resource).list():
                self._note(resource, stored)

    def _note(self, resource: GroupResource, stored: Stored) -> None:
        if _DELETED in stored.data:
            self._worker.add((resource, stored.key))

    def _handle_event(self, resource: GroupResource, event: Event) -> None:
        if resource in FINALIZERS and event.type != "DELETED":
            self._note(resource, event.current)
        elif resource == CLAIMS:
            for key in self._held:
                if key[0] == VOLUMES:
                    self._worker.add(key)
        elif resource == PODS and self._held and _is_over(event):
            for claim in claims_of(event.current.decode()):
                if (key := (CLAIMS, claim)) in self._held:
                    self._worker.add(key)

    async def work(self, key: object) -> None:
        """Let one object go, unless it is in use."""
        assert isinstance(key, tuple)
        self._held.discard(key)
        resource, (namespace, _, name) = key[0], key[1].rpartition("/")
        obj = self._backend.store.find_object(resource, namespace, name)
        if obj is None or not obj["metadata"].get("deletionTimestamp"):
            return
        finalizers = obj["metadata"].get("finalizers") or []
        if FINALIZERS[resource] not in finalizers:
            return
        if self._is_used(resource, obj):
            self._held.add(key)
            return
        obj["metadata"]["finalizers"] = [one for one in finalizers if one != FINALIZERS[resource]]
        path = self._loopback.path(resource, namespace, name)
        assert path is not None
        answer = await self._loopback.ask("PUT", path, obj)
        if answer.status >= _REFUSED and answer.status != _NOT_FOUND:
            raise NotYetError  # somebody was faster, or a webhook refuses

    def _is_used(self, resource: GroupResource, obj: Obj) -> bool:
        store = self._backend.store
        if resource == CLAIMS:
            pods = store.collection(PODS).list(obj["metadata"]["namespace"])
            return any(uses(pod.decode(), obj) for pod in pods if _may_use(pod, obj))
        claim = (obj.get("spec") or {}).get("claimRef") or {}
        if (obj.get("status") or {}).get("phase") != "Bound":
            return False
        found = store.find_object(CLAIMS, claim.get("namespace", ""), claim.get("name", ""))
        return found is not None and claim.get("uid") in (None, "", found["metadata"]["uid"])


def _is_over(event: Event) -> bool:
    """Say whether a pod can no longer use its claims."""
    return event.type == "DELETED" or _SHUT_DOWN in event.current.data


def _may_use(pod: Stored, claim: Obj) -> bool:
    """Say whether *pod* is worth a look: most are not, and to decode them all takes long."""
    return claim["metadata"]["name"].encode() in pod.data or b'"ephemeral"' in pod.data


def claims_of(pod: Obj) -> Iterator[str]:
    """Yield the keys of the claims that the volumes of *pod* name, or are made for."""
    meta = pod["metadata"]
    for volume in pod["spec"].get("volumes") or ():
        if (claim := volume.get("persistentVolumeClaim")) is not None:
            yield f"{meta['namespace']}/{claim['claimName']}"
        elif "ephemeral" in volume:
            yield f"{meta['namespace']}/{meta['name']}-{volume['name']}"


def uses(pod: Obj, claim: Obj) -> bool:
    """Say whether *pod* stands in the way of the deletion of *claim*.

    A pod without a node does not: it has not begun, and would wait for the claim.
    """
    if not pod["spec"].get("nodeName"):
        return False
    meta, volumes = pod["metadata"], pod["spec"].get("volumes") or ()
    name = claim["metadata"]["name"]
    if any((one.get("persistentVolumeClaim") or {}).get("claimName") == name for one in volumes):
        return True
    made = [
        one for one in volumes if "ephemeral" in one and f"{meta['name']}-{one['name']}" == name
    ]
    return bool(made) and _is_made_for(claim, pod) and not _is_shut_down(pod)


def _is_made_for(claim: Obj, pod: Obj) -> bool:
    owners = claim["metadata"].get("ownerReferences") or ()
    return any(one.get("controller") and one["uid"] == pod["metadata"]["uid"] for one in owners)


def _is_shut_down(pod: Obj) -> bool:
    """Say whether only finalizers keep a pod; one of them may wait for the claim in turn."""
    return bool(pod["metadata"].get("deletionGracePeriodSeconds") == 0)
