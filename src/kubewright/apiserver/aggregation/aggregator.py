"""`Aggregator`: which versions other servers answer. Costs nothing while there are none."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from kubewright.apiserver.aggregation.remote import API_SERVICES, Remote, Remotes, read_remote
from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.backend import Backend
from kubewright.apiserver.controllers.loopback import Handle
from kubewright.apiserver.controllers.worker import Worker
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.serving import Serving
from kubewright.apiserver.storage import Event
from kubewright.apiserver.wire.request import Answer, Request
from kubewright.apiserver.wire.route import Route

if TYPE_CHECKING:
    from kubewright.apiserver.admission.webhook_client import Resolver
    from kubewright.apiserver.aggregation.availability import Availability
    from kubewright.apiserver.aggregation.relay import Relay

_VERSION = 3  # how many parts apis/<group>/<version> has
_SCHEMAS = "/openapi/v3/"


class Aggregator:
    """Knows the API services of other servers, and passes requests on to them.

    Args:
        backend: Where API services are stored and what this server serves itself.
        handle: Answers requests of this server to itself.
        resolver: Returns what finds the services of other servers.
        serving: Knows the certificate with which this server speaks for users.

    Attributes:
        remotes: The versions that other servers answer.
    """

    def __init__(
        self,
        backend: Backend,
        handle: Handle,
        *,
        resolver: "Callable[[], Resolver]",
        serving: Serving,
    ) -> None:
        self.remotes: Remotes = Remotes()
        self._backend = backend
        self._handle = handle
        self._resolver = resolver
        self._serving = serving
        self._names: dict[str, Remote] = {}
        self._worker: Worker | None = None

    def begin(self) -> None:
        """Look at what is there, and at every change from now on."""
        store = self._backend.store
        store.listen(self._handle_event)
        for obj in store.list(API_SERVICES):
            self._note(obj["metadata"]["name"], read_remote(obj))

    async def stop(self) -> None:
        """Close every connection."""
        if self._worker is not None:
            await self._worker.stop()
            self._availability.close()
            await self._relay.close()

    def find(self, route: Route) -> Remote | None:
        """Return the server to which *route* belongs, if it is not this one."""
        found = self.remotes.found
        if not found:
            return None
        if route.is_resource:
            return found.get((route.group, route.version))
        parts = route.path.removeprefix(_SCHEMAS).strip("/").split("/")
        if len(parts) == _VERSION and parts[0] == "apis":
            return found.get((parts[1], parts[2]))
        return None

    async def answer(self, remote: Remote, request: Request, user: UserInfo) -> Answer:
        """Pass *request* on for *user*."""
        return await self._relay.answer(remote, request, user)

    def _handle_event(self, resource: GroupResource, event: Event) -> None:
        if resource == API_SERVICES:
            is_gone = event.type == "DELETED"
            remote = None if is_gone else read_remote(event.current.decode())
            self._note(event.current.key, remote)

    def _note(self, name: str, remote: Remote | None) -> None:
        before = self._names.pop(name, None)
        if before is not None:
            del self.remotes.found[before.group, before.version]
        if remote is not None and not self._is_builtin(remote):
            self._names[name] = remote
            self.remotes.found[remote.group, remote.version] = remote
            if self._worker is None:
                self._worker = Worker(self._availability, clock=self._backend.clock)
                self._worker.start()
        if before != remote:
            self._backend.registry.generation += 1

    def _is_builtin(self, remote: Remote) -> bool:
        versions = self._backend.registry.groups.get(remote.group, {}).get(remote.version, {})
        return any(not resource.custom for resource in versions.values())

    @cached_property
    def _relay(self) -> "Relay":
        from kubewright.apiserver.aggregation.relay import Relay

        pair = self._serving.find_front_proxy()
        return Relay(self._resolver(), clock=self._backend.clock, pair=pair)

    @cached_property
    def _availability(self) -> "Availability":
        from kubewright.apiserver.aggregation.availability import Availability

        return Availability(self._backend, self._handle, self._relay, self.remotes.offers)
