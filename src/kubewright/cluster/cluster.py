"""`Cluster`: one API server as a program sees it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from kubewright._aio import Clock, TaskSet
from kubewright.api.kind import GroupVersionKind, RESTMapping
from kubewright.api.kind_reference import Kind, KindLike, gvk_in
from kubewright.cache.cache import Cache
from kubewright.cache.packing import Compress
from kubewright.cache.shard import Shard
from kubewright.client.client import Client
from kubewright.client.config import Config
from kubewright.client.target import resolve
from kubewright.cluster.cached_client import CachedClient
from kubewright.errors import LifecycleError, NoMatchError
from kubewright.runnable import Problem, Stage

if TYPE_CHECKING:
    from kubewright.client.events import EventRecorder


class Cluster:
    """One API server as a program sees it: a client, a cache of declared kinds, and events.

    While it runs, the informers of its cache follow the server and its recorders deliver events.
    A manager can run several. Without informers and recorders it does nothing.

    Args:
        client: A client, or the configuration to make one from.
        name: Its name in messages, if there are several.
        field_owner: The field owner of writes through its client; ``apply`` needs one. By default
            that of the client.
        namespaces: Where its informers look unless they say otherwise; by default everywhere.
        shard: Keep only this part of each kind in the cache.
        compress: Whether to keep objects compressed; ``"auto"`` does so where it pays off.
        clock: The source of time; by default the client's.

    Example:
        >>> cluster = Cluster(Config.load(), field_owner="shops")  # doctest: +SKIP
        >>> cluster.cache.informer(Pod)  # doctest: +SKIP
        >>> await cluster.client.get(Pod, "web-0")  # doctest: +SKIP
    """

    stage: ClassVar[Stage] = Stage.CACHES
    """When a manager starts it: before its readers."""

    def __init__(  # noqa: PLR0913  # all but the first are for a special need
        self,
        client: Client | Config,
        *,
        name: str = "",
        field_owner: str = "",
        namespaces: Iterable[str] | None = None,
        shard: Shard | None = None,
        compress: Compress = "auto",
        clock: Clock | None = None,
    ) -> None:
        self._owned = isinstance(client, Config)
        live = (
            Client(client, field_owner=field_owner, clock=clock)
            if isinstance(client, Config)
            else client
        )
        if isinstance(live, CachedClient):
            live = live.live
        self.name: str = name
        self.clock: Clock = clock or live.clock
        """The source of time."""
        self.cache: Cache = Cache(
            live, namespaces=namespaces, shard=shard, compress=compress, clock=self.clock
        )
        """The cache; declare kinds with its `informer`."""
        self.client: CachedClient = CachedClient(live, self.cache, field_owner=field_owner)
        """Reads declared kinds from the cache, and everything else from the server."""
        self._recorders: dict[str, EventRecorder] = {}
        self._kept_recorders: set[str] = set()
        self._recorder_holders: Counter[str] = Counter()
        self._tasks: TaskSet | None = None
        self._context = copy_context()
        self._phase: Literal["new", "running", "stopped"] = "new"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections, unless the client was given to the constructor."""
        if self._owned:
            await self.client.close()

    @property
    def live(self) -> Client:
        """The client without the cache."""
        return self.client.live

    def recorder(self, component: str, *, kept: bool = True) -> "EventRecorder":
        """Return the event recorder of *component*; it sends events while the cluster runs.

        Args:
            component: The reporting component.
            kept: Whether it stays until the cluster ends; otherwise it ends with its last holder,
                see `hold_recorder`.
        """
        if kept:
            self._kept_recorders.add(component)
        found = self._recorders.get(component)
        if found is None:
            from kubewright.client.events import EventRecorder

            found = EventRecorder(self.live, component, clock=self.clock)
            self._recorders[component] = found
            if self._tasks is not None:
                self._start(found, component, self._tasks)
        return found

    def hold_recorder(self, component: str) -> None:
        """Add a holder to the recorder of *component*, who will `release_recorder` it later."""
        self._recorder_holders[component] += 1

    def release_recorder(self, component: str) -> None:
        """Remove a holder; after the last one, the recorder sends what is left and ends."""
        self._recorder_holders[component] -= 1
        if self._recorder_holders[component] > 0:
            return
        del self._recorder_holders[component]
        if component not in self._kept_recorders:
            recorder = self._recorders.pop(component, None)
            if recorder is not None:
                recorder.stop()

    def _start(self, recorder: "EventRecorder", component: str, tasks: TaskSet) -> None:
        # Not in the context of the first caller: the recorder serves all later ones, too.
        context = self._context.copy()
        tasks.start(recorder.run(), name=f"events of {component}", context=context)

    async def run(self) -> None:
        """Follow the server and deliver events until cancelled.

        Raises:
            LifecycleError: It runs, or has run.
        """
        if self._phase != "new":
            raise LifecycleError(f"cannot run {self}: it is {self._phase}. Make a new one.")
        self._phase = "running"
        try:
            async with TaskSet() as tasks:
                self._tasks, self._context = tasks, copy_context()
                for component, recorder in self._recorders.items():
                    self._start(recorder, component, tasks)
                try:
                    await self.cache.run()
                finally:
                    self._tasks = None
        finally:
            self._phase = "stopped"

    async def wait_ready(self) -> None:
        """Return once each informer has its first list, or cannot get it for now."""
        await self.cache.wait_ready()

    def health(self) -> Iterator[Problem]:
        """Yield the problems: each informer that is not up to date, and why."""
        for problem in self.cache.health():
            check = f"{self.name}/{problem.check}" if self.name else problem.check
            yield Problem(check, problem.text, problem.fatal, problem.logged)

    def busy(self) -> Iterator[str]:
        """Yield what its cache has under way: lists, writes that have not come back, handlers."""
        for what in self.cache.busy():
            yield f"{self.name}/{what}" if self.name else what

    async def wait_idle(self) -> None:
        """Wait for what `busy` names; there may be something else by then."""
        await self.cache.wait_idle()

    async def available(self, kind: KindLike[Any] | GroupVersionKind | RESTMapping) -> bool:
        """Say whether the server serves *kind* at the moment.

        For a watched kind the answer is known. For other kinds, discovery is asked, or its cached
        answer is used.
        """
        asked = _asked(kind)
        watched = self.cache.is_served(asked)
        if watched is not None:
            return watched
        try:
            await resolve(asked, self.client.mapper)
        except NoMatchError:
            return False
        return True

    def set_namespaces(self, namespaces: Iterable[str] | None) -> None:
        """Watch other namespaces from now on, with every informer that was declared without any."""
        self.cache.set_namespaces(namespaces)

    def __repr__(self) -> str:
        return f"<Cluster {self.name or self.client.config.url}>"


def _asked(kind: KindLike[Any] | GroupVersionKind | RESTMapping) -> GroupVersionKind | Kind:
    """Return the group, version and kind of *kind*; a `Kind` by resource name stays as it is."""
    if isinstance(kind, GroupVersionKind):
        return kind
    gvk = kind.gvk if isinstance(kind, RESTMapping) else gvk_in(kind)
    if gvk is not None:
        return gvk
    assert isinstance(kind, Kind)
    return kind
