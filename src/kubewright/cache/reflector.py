"""`Reflector`: mirrors one collection of a server, from now until it is cancelled."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, Protocol, TypeVar

from kubewright._aio import Clock
from kubewright.api.kind import ObjectKey
from kubewright.cache.collection import Collection
from kubewright.cache.entry import Entry
from kubewright.cache.metrics import Counts
from kubewright.cache.reminder import Reminder
from kubewright.cache.silence import Silence
from kubewright.client.transport import chunks_of
from kubewright.client.watcher import Event, Habits, Watcher
from kubewright.client.watcher.lines import version_of
from kubewright.client.watcher.states import (
    Failing,
    Forget,
    Idle,
    Listing,
    ListPages,
    Missing,
    OpenStream,
    Pause,
    State,
    Step,
    Waiting,
)
from kubewright.errors import (
    DecodeError,
    GoneError,
    KubewrightError,
    LifecycleError,
    NoMatchError,
    NotFoundError,
    TransportError,
)
from kubewright.log import get_logger

R = TypeVar("R")
Read = Callable[[], Awaitable[Sequence[bytes]]]

_log = get_logger(__name__)

_INSTALL = (
    "install its CustomResourceDefinition: `kubectl apply -f` it, or start the operator with"
    " `kubewright run --install-crds`"
)


class Mirror(Protocol[R]):
    """What a reflector fills. All but `replace` and `wait_for_room` are done when they return."""

    def entry(self, raw: bytes) -> Entry[R]:
        """Return the entry for an object.

        Raises:
            DecodeError: It cannot be read.
        """
        ...

    def owns(self, entry: Entry[R]) -> bool:
        """Say whether the object is one of those that are mirrored."""
        ...

    async def replace(self, entries: list[Entry[R]], version: str) -> None:
        """Hold exactly *entries*; at once, though those who listen are told in slices."""
        ...

    def put(self, entry: Entry[R]) -> None:
        """Hold *entry*."""
        ...

    def remove(self, entry: Entry[R]) -> None:
        """Hold the object of *entry* no more."""
        ...

    def settle(self, version: str) -> None:
        """Note that everything up to *version* has been seen."""
        ...

    @property
    def full(self) -> bool:
        """Whether to wait for `wait_for_room` before more is brought."""
        ...

    async def wait_for_room(self) -> None:
        """Wait until those who listen can take more."""
        ...


class Reflector(Generic[R]):
    """Mirrors one collection, from `run` until it is cancelled; nothing else ends it.

    Cancellation may arrive at every ``await``. The mirror changes only between two of them, so a
    stopped reflector leaves the last complete state behind, never half of a list.

    What to do next, after a break or otherwise, is decided by its `Watcher`; this sends the
    requests, waits, and carries what arrives to the mirror.

    Args:
        collection: What is mirrored.
        mirror: What is filled.
        name: What it is called in the log, such as ``pods``.
        habits: What is known of the server already.
        counts: Where to count for the page of metrics.
        on_change: Called after each change of state.
        clock: Where time comes from.

    Attributes:
        lists: How many lists were begun.
        watches: How many watches were begun.
        skipped: How many objects could not be read.
    """

    def __init__(  # noqa: PLR0913  # made by informers only
        self,
        collection: Collection,
        mirror: Mirror[R],
        *,
        name: str = "",
        habits: Habits | None = None,
        counts: Counts | None = None,
        on_change: Callable[[], object] = lambda: None,
        clock: Clock | None = None,
    ) -> None:
        self.lists: int = 0
        self.watches: int = 0
        self.skipped: int = 0
        self._collection = collection
        self._mirror = mirror
        self._name = name
        self._counts = counts
        self._on_change = on_change
        self._clock = clock or Clock()
        self._watcher = Watcher(
            Listing(), lists_again=True, habits=habits, now=self._clock.monotonic()
        )
        self._reminder = Reminder(self._clock)
        self._told = ("", 0.0)  # the last failure in the log, and when the trouble began

    @property
    def state(self) -> State:
        """What it is doing."""
        return self._watcher.state

    @property
    def version(self) -> str:
        """The version up to which everything has been seen; empty before the first list."""
        return self._watcher.version

    @property
    def synced(self) -> bool:
        """Whether the first list is complete."""
        return self._watcher.synced

    @property
    def last_heard(self) -> float:
        """When the last byte arrived, on the clock."""
        return self._watcher.last_heard

    @property
    def known_to_fail(self) -> bool:
        """Whether there is no use in waiting: the kind is missing, or the server refuses."""
        return self._watcher.known_to_fail

    @property
    def missing(self) -> bool:
        """Whether the server does not have the kind."""
        return self._watcher.missing

    @property
    def vanished(self) -> bool:
        """Whether the server does not have the kind although its discovery has, or had."""
        return isinstance(self._watcher.error, NotFoundError)

    @property
    def problem(self) -> str | None:
        """What is wrong and what to do, or ``None``; a short break is nothing."""
        return self._watcher.problem(self._clock.monotonic())

    async def run(self) -> None:
        """Mirror until cancelled; losing the server is not the end of it.

        Raises:
            LifecycleError: It ran before.
        """
        watcher = self._watcher
        if not isinstance(watcher.state, Idle):
            raise LifecycleError(f"cannot run: {watcher.state}. Make a new reflector instead.")
        watcher.start()
        try:
            while True:
                self._tell(watcher.state)
                try:
                    await self._do(watcher.next(self._clock.monotonic()))
                except KubewrightError as error:
                    watcher.failed(error, self._clock.monotonic())
        finally:
            watcher.stop()
            self._on_change()

    async def _do(self, step: Step) -> None:
        match step:
            case OpenStream():
                await self._follow(step)
            case ListPages():
                await self._list(step)
            case Pause(seconds):
                await self._clock.sleep(seconds)
                self._watcher.waited(self._clock.monotonic())
            case Forget(version):
                self._watcher.forgot()
                await self._mirror.replace([], version)

    # --- Lists ---

    async def _list(self, step: ListPages) -> None:
        self._count_list()
        await self._collection.locate()
        entries: list[Entry[R]] = []
        version = ""
        async for page in self._collection.pages(page_size=step.page_size, sharded=step.sharded):
            self._watcher.heard(self._clock.monotonic())
            version = page.version
            for item in page.items:
                entry = self._read(bytes(item))
                if entry is not None and self._mirror.owns(entry):
                    entries.append(entry)
        self._watcher.listed(version)
        await self._replace(entries)

    async def _replace(self, entries: list[Entry[R]]) -> None:
        self._on_change()  # whoever waits for it runs after the next line has filled the mirror
        await self._mirror.replace(entries, self._watcher.version)

    def _count_list(self) -> None:
        self.lists += 1
        if self._counts:
            self._counts.lists.value += 1

    # --- Watches ---

    async def _follow(self, step: OpenStream) -> None:
        """Follow one stream to its end."""
        if step.initial:
            self._count_list()
            await self._collection.locate()
        request, opening = self._collection.watch(
            step.version, seconds=step.seconds, initial=step.initial, sharded=step.sharded
        )
        self.watches += 1
        if self._counts and self.watches > 1:
            self._counts.restarts.value += 1
        watcher, now = self._watcher, self._clock.monotonic
        watcher.sent(request.attempt, now())
        silence = Silence(self._clock, watcher.deadline)
        try:
            async with silence, opening as body:
                watcher.opened(now())
                self._on_change()
                silence.rearm()
                read = chunks_of(body)
                if step.initial:
                    await self._gather(read, silence)
                while watcher.streaming and (arrived := await read()):
                    self._apply(watcher.receive(arrived, now()))
                    if self._mirror.full:
                        await self._do_own_work(silence, self._mirror.wait_for_room())
        except TimeoutError as error:
            if isinstance(error, TransportError):
                raise
            if watcher.fell_silent(now()):
                _log.warning("watch fell silent, will resume", kind=self._name)
        else:
            watcher.ended(now())

    async def _gather(self, read: Read, silence: Silence) -> None:
        """Collect the initial events of a stream, up to their end; half a list is thrown away."""
        watcher, now = self._watcher, self._clock.monotonic
        gathered: dict[ObjectKey, Entry[R]] = {}
        while isinstance(watcher.state, Listing) and watcher.streaming:
            if not (arrived := await read()):
                watcher.ended(now())
                return
            self._collect(gathered, watcher.receive(arrived, now()))
        if watcher.streaming:
            await self._do_own_work(silence, self._replace(list(gathered.values())))
            self._tell(watcher.state)
            self._apply(watcher.rest(now()))

    def _collect(self, gathered: dict[ObjectKey, Entry[R]], events: list[Event]) -> None:
        for kind, raw in events:
            if kind == "BOOKMARK":
                continue
            entry = self._read(raw)
            if entry is None or not self._mirror.owns(entry):
                continue
            if kind == "DELETED":
                gathered.pop(entry.key, None)
            else:
                gathered[entry.key] = entry

    async def _do_own_work(self, silence: Silence, work: Awaitable[None]) -> None:
        """Await something of ours; while it lasts, it is not the server who is silent."""
        with silence.suspended():
            await work
            self._watcher.listening(self._clock.monotonic())

    def _apply(self, events: list[Event]) -> None:
        """Apply events one after the other, without letting anybody see a state in between."""
        if not events:
            return
        mirror = self._mirror
        read, owns, put = self._read, mirror.owns, mirror.put
        version = ""
        for kind, raw in events:
            if kind == "BOOKMARK":
                version = ""  # its version is the watcher's already
                continue
            entry = read(raw)
            if entry is None:
                version = version_of(raw) or version
                continue
            version = entry.resource_version or version
            if not owns(entry):
                continue
            if kind == "DELETED":
                mirror.remove(entry)
            else:
                put(entry)
        if version:
            self._watcher.seen(version)
        mirror.settle(self._watcher.version)

    def _read(self, raw: bytes) -> Entry[R] | None:
        """Return the entry for an object, or ``None`` for one that cannot be read.

        One odd object must not keep all others from being seen.
        """
        try:
            return self._mirror.entry(raw)
        except DecodeError as error:
            self.skipped += 1
            if self._counts:
                self._counts.skipped.value += 1
            _log.error("object cannot be read, skipped", kind=self._name, error=str(error))
            return None

    # --- What it tells of itself ---

    def _tell(self, state: State) -> None:
        """Let everybody know of a new state; the log, of what led to it."""
        match state:
            case Waiting(error=GoneError() as error) if error is not self._watcher.error:
                _log.info("history is gone, listing again", kind=self._name, error=str(error))
            case Waiting(error=KubewrightError() as error):
                self._tell_of(error)
            case Missing(error=error) | Failing(error):
                self._tell_of(error)
            case Listing(error=Exception() as error):
                _log.debug("listing in another way", kind=self._name, error=str(error))
        self._on_change()

    def _tell_of(self, error: Exception) -> None:
        # Not with every try: a kind may be missing for weeks.
        if (told := (str(error), self._watcher.since)) != self._told:
            self._told = told
            self._reminder.begin()
            _log.warning("list or watch failed, will retry", kind=self._name, **_log_fields(error))
        elif self._reminder.is_due():
            self._remind(error)
        else:
            _log.debug("list or watch failed, will retry", kind=self._name, error=str(error))

    def _remind(self, error: Exception) -> None:
        """Say again what is still so: the first line is far up in the log by now."""
        age = round(self._clock.monotonic() - self._watcher.since)
        if isinstance(error, NotFoundError | NoMatchError):
            _log.warning(
                "kind is still missing, its controllers do nothing until it is there",
                kind=self._name,
                age=age,
                hint=_INSTALL,
            )
        else:
            _log.warning(
                "list or watch still fails, its controllers see nothing new until it works",
                kind=self._name,
                age=age,
                error=str(error),
            )


def _log_fields(error: Exception) -> dict[str, str]:
    """Return what the log says of it; of a missing kind, how an operator gets it."""
    if isinstance(error, NoMatchError):
        return {"error": str(error).partition("\n")[0], "hint": _INSTALL}
    if isinstance(error, NotFoundError) and (general := error.hint()):
        return {"error": str(error).removesuffix(general), "hint": _INSTALL}
    return {"error": str(error)}
