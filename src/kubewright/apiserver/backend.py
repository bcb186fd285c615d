"""`Backend`, the state behind the endpoints, and `Call`, one request to a resource."""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

from msgspec import Struct, field

from kubewright._aio import Clock, outside_of
from kubewright.api.times import format_time
from kubewright.apiserver.admission.chain import AdmissionChain
from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.authorization.attributes import Authorizer
from kubewright.apiserver.authorization.escalation import Escalation
from kubewright.apiserver.effort import OUT_OF_BUDGET, Effort, TooMuchError
from kubewright.apiserver.fieldmanager.manager import manager_name
from kubewright.apiserver.meta.field import Errors, invalid, metered
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.network import DEFAULT, Network
from kubewright.apiserver.registry.registry import Registry
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Strategy, Write
from kubewright.apiserver.schema.validate import NO_PATH
from kubewright.apiserver.storage import Collection, Store
from kubewright.apiserver.wire.request import Request
from kubewright.apiserver.wire.route import Query, Route

MOST_WARNINGS: int = 1024
LARGE: int = 64 * 1024
"""Bytes of a document from which on reading, merging or checking it is done in a thread."""
ROOM: int = 4
"""How many threads do such work at a time: each makes the loop wait a little longer."""

T = TypeVar("T")


class SlowLane:
    """Runs functions at once or in a thread. They must not touch state that the loop changes.

    A thread that computes gives way every few milliseconds, so others are still served; the event
    loop would not. Small work is done at once: going to a thread and back takes longer than most
    requests.
    """

    def __init__(self) -> None:
        self._room = asyncio.Semaphore(ROOM)

    async def run(self, size: int, work: Callable[[], T]) -> T:
        """Return what *work* returns; *size* is how many bytes it works on."""
        if size < LARGE:
            return work()
        return await self.run_in_thread(work)

    async def judge(self, size: int, check: Callable[[Effort], T]) -> T:
        """Return what *check* returns; if it takes too many steps, repeat it in a thread."""
        if size < LARGE:
            try:
                return check(Effort(light=True))
            except TooMuchError:
                pass
        return await self.run_in_thread(lambda: check(Effort()))

    async def run_in_thread(self, work: Callable[[], T]) -> T:
        """Return what *work* returns."""
        outside = outside_of(asyncio.get_running_loop())
        async with self._room:
            # In virtual time, a test is warned of threads that take long, but not of ours.
            with outside.expected() if outside is not None else nullcontext():
                return await asyncio.to_thread(work)


class Backend(Struct):
    """The state behind the endpoints.

    Attributes:
        escalation: Refuses roles that would give away rights; ``None`` where rights do not matter.
        authorizer: Decides whether an update may create; ``None`` where rights do not matter.
        network: Which addresses the server assigns and accepts.
        slow_lane: Runs work that would hold up others in threads.
    """

    store: Store
    registry: Registry
    clock: Clock
    admission: AdmissionChain
    escalation: Escalation | None = None
    authorizer: Authorizer | None = None
    network: Network = DEFAULT
    slow_lane: SlowLane = field(default_factory=SlowLane)

    def now(self) -> str:
        """Return the time as objects carry it."""
        return format_time(self.clock.now())


class Call(Struct):
    """One authorized request to a resource; the argument of every endpoint.

    Attributes:
        resource: The resource in the version of the URL.
        work: The resource in the version that the server works in: the stored one for
            built-in kinds, the one of the URL for custom resources.
        warnings: Sent as Warning headers with the answer.
    """

    backend: Backend
    request: Request
    route: Route
    query: Query
    user: UserInfo
    resource: Resource
    work: Resource
    warnings: list[str] = []

    @property
    def group_resource(self) -> GroupResource:
        """What errors call the resource."""
        return self.resource.group_resource

    @property
    def storage(self) -> GroupResource:
        """The name under which its objects are stored."""
        return self.resource.storage

    @property
    def strategy(self) -> Strategy:
        """How the kind behaves; events of events.k8s.io have rules of their own."""
        return (self.resource if self.resource.shared else self.work).strategy

    @property
    def collection(self) -> Collection:
        """Where its objects are."""
        return self.backend.store.collection(self.resource.storage)

    @property
    def namespace(self) -> str:
        """The namespace of the object; empty for cluster-wide kinds, namespaces included."""
        return self.route.namespace if self.resource.namespaced else ""

    @property
    def name(self) -> str:
        """The name in the URL; empty for a collection."""
        return self.route.name

    @property
    def subresource(self) -> str:
        """Such as ``status``; empty for the object itself."""
        return self.route.subresource

    def warn(self, text: str) -> None:
        """Add a Warning header, unless it is there already, or there are too many."""
        if text and len(self.warnings) < MOST_WARNINGS and text not in self.warnings:
            self.warnings.append(text)

    async def run(self, work: Callable[[], T], *, size: int = 0) -> T:
        """Return what *work* returns; run it in a thread if the body, or *size*, is large."""
        return await self.backend.slow_lane.run(max(size, len(self.request.body)), work)

    async def judge(
        self, write: Write, check: Callable[[Write], Errors], *, size: int = 0
    ) -> Errors:
        """Return the errors that *check* finds; in a thread if that takes long."""
        if not self.strategy.is_pure:
            return check(write)
        size = max(size, len(self.request.body))

        def judged(effort: Effort) -> Errors:
            write.effort = effort
            with metered():
                return check(write)

        try:
            return await self.backend.slow_lane.judge(size, judged)
        except TooMuchError:
            return [invalid(NO_PATH, None, OUT_OF_BUDGET)]

    def write(self, *, dry_run: bool = False) -> Write:
        """Return the circumstances of the write, for strategies."""
        backend = self.backend
        return Write(backend.store, self.user, backend.now(), dry_run, self.warn, backend.network)

    def manager(self, asked: str) -> str:
        """Return the field manager of this request."""
        return manager_name(asked, self.request.headers.get("user-agent", ""))

    def details(self, **more: Any) -> dict[str, Any]:
        """Return the details of a Status about the object of this call."""
        resource = self.resource
        found = {"name": self.name, "group": resource.group, "kind": resource.plural, **more}
        return {key: value for key, value in found.items() if value}
