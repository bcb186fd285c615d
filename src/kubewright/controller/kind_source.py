"""`KindSource`: a kind that is watched, as a source of requests."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from kubewright._aio import Clock
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.cache.entry import Entry, Event
from kubewright.cache.informer import Informer
from kubewright.controller.mapper import Mapper
from kubewright.controller.mapping import owner_requests, versions
from kubewright.controller.predicates import PRIMARY, Filter
from kubewright.controller.request import Reason, Request
from kubewright.controller.sources import Sink
from kubewright.controller.watches import For, KindWatch, Owns, Watches
from kubewright.errors import LifecycleError
from kubewright.log import get_logger
from kubewright.metrics import CounterValue
from kubewright.workqueue import LOW

if TYPE_CHECKING:
    from kubewright.cache.handlers import Registration
    from kubewright.cluster import Cluster

__all__ = ["KindSource"]

R = TypeVar("R", bound=Resource | Unstructured)
Handle: TypeAlias = Callable[[Event[Any]], None]
Owners: TypeAlias = Callable[[Entry[Any]], Iterable[Request]]


class Add(Protocol):
    """`Sink.add`."""

    def __call__(
        self, request: Request, reason: Reason, *, priority: int = 0, mark: str = ""
    ) -> None: ...


_RETRY_AFTER: float = 1.0

_log = get_logger(__name__)


class KindSource(Generic[R]):
    """Queues a request in a controller for each relevant change of one kind.

    The informer is declared in the constructor, so that it fills while the process waits to become
    the leader. Changes are handled from `run` on, beginning with the objects that exist.

    Args:
        watch: The kind to watch, and what a change of it means.
        cluster: The cluster to watch it in.
        primary: The informer of the reconciled kind, to recognize its objects among owners.
        errors: Counts failures of the map function.
        concerns: Says whether a request from a map function belongs to the shard of this process.
        home: The cluster of the controller, if it is another one; map functions may read from it.
    """

    def __init__(
        self,
        watch: KindWatch[R],
        *,
        cluster: "Cluster",
        primary: Informer[Any] | None,
        errors: CounterValue,
        concerns: Callable[[Request], bool],
        home: "Cluster | None" = None,
    ) -> None:
        self.watch: KindWatch[R] = watch
        self.cluster: Cluster = cluster
        self.informer: Informer[R] = watch.informer(cluster)
        cluster.cache.hold(self.informer)
        self._home = home or cluster
        self._primary = primary
        self._concerns = concerns
        self._errors = errors
        self._registration: Registration[R] | None = None
        self.mapper: Mapper[R] | None = None
        """Calls the map function, if there is one."""

    def busy(self) -> str:
        """Return what is under way, in words; empty if nothing is."""
        if not self.informer.is_settled:
            return f"waits for the first list of {self.watch.mapping.plural}"
        if self.mapper is not None and self.mapper.backlog:
            return f"{self.mapper.backlog} objects wait for the map function of {self.watch}"
        return ""

    async def wait_idle(self) -> None:
        """Wait for what `busy` names."""
        with suppress(LifecycleError):  # nobody watches it any more
            await self.informer.wait_settled()
        if self.mapper is not None:
            await self.mapper.wait_idle()

    @property
    def name(self) -> str:
        """The kind, as a reconcile names it among its reasons."""
        return self.watch.mapping.kind

    @property
    def is_primary(self) -> bool:
        """Whether this is the kind that is reconciled."""
        return isinstance(self.watch, For)

    @property
    def waits_for(self) -> str:
        """What workers must wait for before they start; empty if nothing."""
        if self._may_start():
            return ""
        check = "/".join(filter(None, (self.cluster.name, f"informer/{self.informer.selection}")))
        state = f"see {check}" if self.informer.problem else "under way"
        return f"the first list of {self.watch.mapping.plural}: {state}"

    def has(self, request: Request) -> bool:
        """Say whether the object of *request* is in the store."""
        return request.cluster == self.cluster.name and request.key in self.informer.store

    def keys(self) -> Iterator[Request]:
        """Yield a request for every object in the store."""
        for key in self.informer.store.keys():  # noqa: SIM118  # a store is not a mapping
            yield Request(key.namespace, key.name, self.cluster.name)

    async def run(self, sink: Sink) -> None:
        """Handle changes until cancelled."""
        mapper = self.mapper = self._make_mapper(sink)
        self._registration = self.informer.add_handler(self._handler(sink, mapper))
        try:
            if mapper is not None:
                await mapper.run()
            await asyncio.Event().wait()
        finally:
            self.stop()

    def stop(self) -> None:
        """Stop handling changes at once."""
        registration, self._registration = self._registration, None
        if registration is not None:
            registration.remove()

    def release(self) -> None:
        """Stop, and release the informer; it ends unless something else uses it."""
        self.stop()
        self.cluster.cache.release(self.informer)

    async def wait_ready(self) -> None:
        """Return once all existing objects were handled, or the server does not have the kind.

        A secondary kind whose CRD is missing does not hold up the start: it has no objects. A kind
        that we may not list does: a reconcile would take objects that it cannot see for absent.
        """
        await self.informer.wait_settled()
        while not self._may_start():
            await self._next_state()

    def _may_start(self) -> bool:
        registration = self._registration
        if registration is not None and registration.synced:
            return True
        return self.informer.missing and not self.is_primary

    async def _next_state(self) -> None:
        registration, clock = self._registration, self.cluster.clock
        if registration is None:
            await clock.sleep(_RETRY_AFTER)
            return
        with suppress(TimeoutError):
            async with clock.timeout(_RETRY_AFTER):
                await registration.wait_synced()

    def _make_mapper(self, sink: Sink) -> Mapper[R] | None:
        if not isinstance(self.watch, Watches):
            return None
        sink = _Chosen(sink, self._concerns) if self.cluster.cache.shard else sink
        return Mapper(
            self.watch,
            sink,
            cluster=self.cluster.name,
            errors=self._errors,
            home=self._home,
        )

    def _handler(self, sink: Sink, mapper: Mapper[R] | None) -> Handle:
        passes = _guarded(self.watch)
        if mapper is not None:
            return _mapped(self.name, mapper, passes)
        if isinstance(self.watch, Owns):
            primary, watch = self._primary, self.watch
            assert primary is not None
            asked = partial(
                owner_requests,
                every_owner=watch.every_owner,
                cluster=self.cluster.name,
                shard=self.cluster.cache.shard,
            )

            def owners(entry: Entry[Any]) -> Iterable[Request]:
                return asked(entry, primary.selection.mapping)  # a `Kind` may get its mapping late

            return _owned(self.name, owners, passes, sink.add)
        return _own(self.name, self.cluster.name, passes, sink.add)


class _Chosen:
    """A sink that drops requests for objects of other shards."""

    def __init__(self, sink: Sink, chosen: Callable[[Request], bool]) -> None:
        self.clock: Clock = sink.clock
        self.known = sink.known
        self._sink = sink
        self._chosen = chosen

    def add(
        self,
        request: Request,
        reason: Reason,
        *,
        priority: int = 0,
        after: float = 0.0,
        mark: str = "",
    ) -> None:
        if self._chosen(request):
            self._sink.add(request, reason, priority=priority, after=after, mark=mark)


def _own(source: str, cluster: str, passes: Filter[Any] | None, add: Add) -> Handle:
    """Return the handler for the kind that is reconciled."""

    def handle(event: Event[Any]) -> None:
        if passes is None or passes(event):
            entry = event.new or event.old
            assert entry is not None
            key = entry.key
            reason = Reason(source, event.type, key)
            request = Request(key.namespace, key.name, cluster)
            mark = entry.uid if event.new is None else entry.resource_version
            add(request, reason, priority=LOW if event.initial else 0, mark=mark)

    return handle


def _owned(source: str, owners: Owners, passes: Filter[Any] | None, add: Add) -> Handle:
    """Return the handler for a kind whose owners are reconciled."""

    def handle(event: Event[Any]) -> None:
        if passes is None or passes(event):
            found = dict.fromkeys(chain.from_iterable(map(owners, versions(event))))
            reason = Reason(source, event.type, event.key)
            entry = event.entry
            mark = entry.uid if event.new is None else entry.resource_version
            for request in found:
                add(request, reason, priority=LOW if event.initial else 0, mark=mark)

    return handle


def _mapped(source: str, mapper: Mapper[Any], passes: Filter[Any] | None) -> Handle:
    """Return the handler for a kind with a map function."""

    def handle(event: Event[Any]) -> None:
        if passes is None or passes(event):
            mapper.hear(event, Reason(source, event.type, event.key))

    return handle


def _guarded(watch: KindWatch[Any]) -> Filter[Any] | None:
    """Return the predicate of *watch*; an event for which it raises passes."""
    test = watch.predicate
    if test is None:
        return PRIMARY.test if isinstance(watch, For) else None

    def passes(event: Event[Any]) -> bool:
        try:
            return bool(test(event))
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException:  # noqa: BLE001  # user code may raise anything
            # One reconcile too many does no harm; one too few may.
            _log.exception("predicate failed, event let through", key=str(event.key))
            return True

    return passes
