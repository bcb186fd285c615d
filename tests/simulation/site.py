"""The API server of a simulation: it can go away and come back, and it watches who writes."""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from kubewright._aio import Clock
from kubewright.apiserver.audit import AuditLog
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire import problem
from kubewright.apiserver.wire.request import Answer, Request

LEASES = GroupResource("coordination.k8s.io", "leases")
LEASE_SECONDS = 15.0
_KEPT = 100
"""How many calls the server remembers; more would look like a leak for some hours."""


class Site:
    """A place where an API server is, most of the time.

    It is also the referee: a write that needs leadership counts as wrong unless the one who sends
    it holds the lease, and renewed it less than its time ago.

    Args:
        clock: Where the server's time comes from.
        folder: Where it keeps its objects across restarts; without, in memory.
        lease: The name of the Lease by which leaders are elected.

    Attributes:
        served: How many requests were answered.
        wrongs: What must never happen, and did.
        writes: The latest writes that need leadership: when, who, method and path.
    """

    def __init__(self, clock: Clock, *, folder: Path | None = None, lease: str = "") -> None:
        self.served: int = 0
        self.wrongs: list[str] = []
        self.writes: list[tuple[float, str, str]] = []
        self.before_request: dict[int, Callable[[], Awaitable[None]]] = {}
        """What to do before the request of some number is looked at."""
        self.after_request: dict[int, Callable[[], Awaitable[None]]] = {}
        """What to do before the answer to the request of some number is sent."""
        self.elected: set[str] = set()
        """Those who need the lease in order to write, by their user agent."""
        self._clock = clock
        self._folder = folder
        self._lease = lease
        self._renewed: dict[str, float] = {}
        self._api: APIServer | None = None

    @property
    def api(self) -> APIServer:
        """The server that runs at the moment."""
        assert self._api is not None, "the server is away"
        return self._api

    @property
    def away(self) -> bool:
        """Whether nobody is there to answer."""
        return self._api is None

    async def start(self) -> None:
        """Start a new server."""
        api = APIServer(data_dir=self._folder, clock=self._clock)
        api.audit = AuditLog(limit=_KEPT)
        await api.start()
        self._api = api

    async def stop(self) -> None:
        """Stop the server: all watches end."""
        api, self._api = self.api, None
        await api.stop()

    async def restart(self) -> None:
        """Stop the server, and start another one with the same objects."""
        await self.stop()
        await self.start()

    async def forget(self) -> None:
        """Forget all history, and end all watches, so that nobody can go on where he was."""
        for collection in self.api.store._collections.values():
            collection.end_watches()
        self.api.store.compact()

    async def handle(self, request: Request) -> Answer:
        """Answer *request*."""
        number, self.served = self.served, self.served + 1
        if (act := self.before_request.get(number)) is not None:
            await act()
        if self.away:
            return problem.response(StatusError(503, "ServiceUnavailable", "it restarts"))
        who = request.headers["user-agent"]
        writes = request.method != "GET" and who in self.elected
        if writes and "/leases" not in request.path and "/events" not in request.path:
            self._judge(who, request)
        answer = await self.api.handle(request)
        if writes and "/leases" in request.path and self._holder == who:
            self._renewed[who] = self._clock.monotonic()
        if (act := self.after_request.get(number)) is not None:
            await act()
        return answer

    def objects(self, resource: str, group: str = "") -> list[dict[str, Any]]:
        """Return everything of a kind."""
        return list(self.api.store.list(GroupResource(group, resource)))

    def cool(self) -> None:
        """Drop what the server keeps ready, up to some megabytes: it would look like a leak."""
        for collection in self.api.store._collections.values():
            collection._hot.clear()
            collection._hot_bytes = 0

    @property
    def watchers(self) -> int:
        """How many watches are open, those of the server itself included."""
        collections = self.api.store._collections.values()
        return sum(len(collection._watchers) for collection in collections)

    @property
    def _holder(self) -> str:
        lease = self.api.store.find_object(LEASES, "default", self._lease) or {}
        return (lease.get("spec") or {}).get("holderIdentity") or ""

    def _judge(self, who: str, request: Request) -> None:
        now = self._clock.monotonic()
        what = f"{request.method} {request.path}"
        self.writes.append((now, who, what))
        del self.writes[:-1000]
        for objection in self._objections(who, now):
            self.wrongs.append(f"at {now:.3f} {who} sends {what}, but {objection}")

    def _objections(self, who: str, now: float) -> Iterator[str]:
        if self._holder != who:
            yield f"{self._holder or 'nobody'} holds the lease"
        elif (age := now - self._renewed.get(who, -LEASE_SECONDS)) >= LEASE_SECONDS:
            yield f"it renewed its lease {age:.3f} s ago"
