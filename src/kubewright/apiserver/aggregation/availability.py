"""Keeps the condition ``Available`` of API services, and what they offer."""

from typing import TYPE_CHECKING, NamedTuple

from kubewright._aio.clock import Timer
from kubewright.apiserver.admission.webhook_client import WebhookError
from kubewright.apiserver.aggregation.offer import Offer, fetch
from kubewright.apiserver.aggregation.remote import API_SERVICES, AVAILABLE, Remote, read_remote
from kubewright.apiserver.backend import Backend
from kubewright.apiserver.controllers.loopback import Handle, Loopback
from kubewright.apiserver.controllers.worker import NotYetError
from kubewright.apiserver.meta.field import quoted
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.storage import Event

if TYPE_CHECKING:
    from kubewright.apiserver.aggregation.relay import Relay
    from kubewright.apiserver.controllers.worker import Worker

CHECK_AGAIN: float = 30.0
"""Seconds between two checks: a server that dies does not announce it."""

_SERVICES = GroupResource("", "services")
_SLICES = GroupResource("discovery.k8s.io", "endpointslices")
_SERVICE_NAME = "kubernetes.io/service-name"
_MERGE = "application/merge-patch+json"
_GOOD = range(200, 300)
_CONFLICT = 409


class CheckResult(NamedTuple):
    """How a check ended."""

    status: str
    reason: str
    message: str


PASSED = CheckResult("True", "Passed", "all checks passed")


class Availability:
    """Asks each aggregated API server whether it is up, and fills *offers*."""

    def __init__(
        self, backend: Backend, handle: Handle, relay: "Relay", offers: dict[str, Offer]
    ) -> None:
        self._offers = offers
        self._backend = backend
        self._relay = relay
        self._loopback = Loopback(handle, backend.registry, "aggregator")
        self._timers: dict[str, Timer] = {}
        self._worker: Worker

    def start(self, worker: "Worker") -> None:
        """Check every API service, and check one again when something changes for it."""
        self._worker = worker
        self._backend.store.listen(self._handle_event)
        self._add_all()

    def close(self) -> None:
        """Stop checking."""
        for timer in self._timers.values():
            timer.cancel()

    def _handle_event(self, resource: GroupResource, event: Event) -> None:
        if resource == API_SERVICES:
            self._worker.add(event.current.key)
        elif resource in (_SERVICES, _SLICES):
            self._add_all(event.current.key.rpartition("/")[0])

    def _add_all(self, namespace: str | None = None) -> None:
        for obj in self._backend.store.list(API_SERVICES):
            remote = read_remote(obj)
            if remote is not None and namespace in (None, remote.namespace):
                self._worker.add(remote.name)

    async def work(self, key: object) -> None:
        """Check one API service."""
        assert isinstance(key, str)
        if (timer := self._timers.pop(key, None)) is not None:
            timer.cancel()
        obj = self._backend.store.find_object(API_SERVICES, "", key)
        remote = read_remote(obj) if obj is not None else None
        if obj is None or remote is None:
            self._offer(key, None)
            return
        verdict = self._judge(remote) or await self._probe(remote)
        await self._write(obj, verdict)
        again = self._backend.clock.call_later(CHECK_AGAIN, lambda: self._worker.add(key))
        self._timers[key] = again
        if verdict.reason == "FailedDiscoveryCheck":
            raise NotYetError

    def _judge(self, remote: Remote) -> CheckResult | None:
        """Return what is missing before the server can be asked; ``None`` if nothing is."""
        store, where = (
            self._backend.store,
            f"service/{remote.service} in {quoted(remote.namespace)}",
        )
        service = store.find_object(_SERVICES, remote.namespace, remote.service)
        if service is None:
            return CheckResult("False", "ServiceNotFound", f"{where} is not present")
        spec = service.get("spec") or {}
        if (spec.get("type") or "ClusterIP") != "ClusterIP":
            return None
        ports = [one for one in spec.get("ports") or () if one.get("port") == remote.port]
        if not ports:
            text = f"{where} is not listening on port {remote.port}"
            return CheckResult("False", "ServicePortError", text)
        slices = [
            one
            for one in store.list(_SLICES, remote.namespace)
            if (one["metadata"].get("labels") or {}).get(_SERVICE_NAME) == remote.service
        ]
        if not slices:
            text = f"cannot find endpointslices for {where}"
            return CheckResult("False", "EndpointsNotFound", text)
        port = ports[0].get("name") or ""
        if not any(_is_ready(one, port) for one in slices):
            text = f"endpointslices for {where} have no addresses with port name {quoted(port)}"
            return CheckResult("False", "MissingEndpoints", text)
        return None

    async def _probe(self, remote: Remote) -> CheckResult:
        """Ask the server for a document that every API server has."""
        url = f"https://{remote.server_name}:{remote.port}{remote.root}"
        try:
            found = await self._relay.ask(remote, remote.root, accept="application/json")
            if found.status in _GOOD:
                self._offer(
                    remote.name,
                    await fetch(self._relay, remote, self._offers.get(remote.name)),
                )
                return PASSED
            why = f"bad status from {url}: {found.status}"
        except (WebhookError, LookupError) as error:
            why = str(error.args[0] if error.args else error)
        text = f"failing or missing response from {url}: {why}"
        return CheckResult("False", "FailedDiscoveryCheck", text)

    def _offer(self, name: str, offer: Offer | None) -> None:
        if offer == self._offers.get(name):
            return
        if offer is None:
            del self._offers[name]
        else:
            self._offers[name] = offer
        self._backend.registry.generation += 1  # documents that were made from it are stale now

    async def _write(self, obj: Obj, verdict: CheckResult) -> None:
        """Write the condition, if it has changed."""
        conditions = list((obj.get("status") or {}).get("conditions") or ())
        before = next((one for one in conditions if one.get("type") == AVAILABLE), None)
        if before is not None and CheckResult(*map(before.get, CheckResult._fields)) == verdict:
            return
        since = self._backend.now()
        if before is not None and before.get("status") == verdict.status:
            since = before.get("lastTransitionTime") or since
        new = {"type": AVAILABLE, "lastTransitionTime": since, **verdict._asdict()}
        others = [one for one in conditions if one is not before]
        meta = obj["metadata"]
        body = {
            "metadata": {"resourceVersion": meta["resourceVersion"], "uid": meta["uid"]},
            "status": {"conditions": [*others, new]},
        }
        path = self._loopback.path(API_SERVICES, "", meta["name"])
        answer = await self._loopback.ask("PATCH", f"{path}/status", body, media=_MERGE)
        if answer.status == _CONFLICT:
            raise NotYetError


def _is_ready(endpoints: Obj, port: str) -> bool:
    ready = any(
        (one.get("conditions") or {}).get("ready") is not False
        for one in endpoints.get("endpoints") or ()
    )
    named = any(
        (one.get("name") or "") == port and one.get("port") for one in endpoints.get("ports") or ()
    )
    return ready and named
