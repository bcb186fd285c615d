"""`Reflector`: mirrors one collection of a server until it is cancelled."""

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
from kubewright.client.watcher import Habits, RawEvent, Watcher
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
    """What a reflector fills."""

    def entry(self, raw: bytes) -> Entry[R]:
        """Return the entry for an object.

        Raises:
            DecodeError: It cannot be read.
        """
        ...

    def owns(self, entry: Entry[R]) -> bool:
        """Say whether the object is to be mirrored."""
        ...

    async def replace(self, entries: list[Entry[R]], version: str) -> None:
        """Replace all objects with *entries* at once; handlers are called in slices."""
        ...

    def put(self, entry: Entry[R]) -> None:
        """Put *entry* into the mirror."""
        ...

    def remove(self, entry: Entry[R]) -> None:
        """Remove the object of *entry*."""
        ...

    def settle(self, version: str) -> None:
        """Note that everything up to *version* has been seen."""
        ...

    @property
    def full(self) -> bool:
        """Whether to call `wait_for_room` before reading more."""
        ...

    async def wait_for_room(self) -> None:
        """Wait until the handlers can take more."""
        ...


class Reflector(Generic[R]):
    """Mirrors one collection until it is cancelled; no error ends it.

    Cancellation may arrive at every ``await``. The mirror changes only between two of them, so a
    stopped reflector leaves the last complete state behind, never half of a list.

    Its `Watcher` decides what to do next, also after a failure. The reflector sends the requests,
    waits, and passes what arrives to the mirror.

    Args:
        collection: What is mirrored.
        mirror: What is filled.
        name: Its name in the log, such as ``pods``.
        habits: What is known about the server already.
        counts: The metrics to count in.
        on_change: Called after each change of its state.
        clock: Where time comes from.

    Attributes:
        lists: How many lists it has started.
        watches: How many watches it has started.
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
        self._told = ("", 0.0)  # the last failure in the log, and when it began

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
        """When the last byte arrived, in monotonic time."""
        return self._watcher.last_heard

    @property
    def known_to_fail(self) -> bool:
        """Whether waiting is pointless for now: the kind is missing, or access is refused."""
        return self._watcher.known_to_fail

    @property
    def missing(self) -> bool:
        """Whether the server does not have the kind."""
        return self._watcher.missing

    @property
    def vanished(self) -> bool:
        """Whether the server answered 404 for a kind that its discovery lists, or listed."""
        return isinstance(self._watcher.error, NotFoundError)

    @property
    def problem(self) -> str | None:
        """What is wrong and what to do, or ``None``; a short interruption does not count."""
        return self._watcher.problem(self._clock.monotonic())

    async def run(self) -> None:
        """Mirror until cancelled, also if the server goes away for a while.

        Raises:
            LifecycleError: It runs, or has run.
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
        self._on_change()  # waiters run only after the next line has filled the mirror
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
        """Collect the initial events of a stream; an incomplete list is thrown away."""
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
            self._apply(watcher.take_held_back(now()))

    def _collect(self, gathered: dict[ObjectKey, Entry[R]], events: list[RawEvent]) -> None:
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
        """Await our own *work*, during which the server does not count as silent."""
        with silence.suspended():
            await work
            self._watcher.listening(self._clock.monotonic())

    def _apply(self, events: list[RawEvent]) -> None:
        """Apply events one by one; there is no await in between."""
        if not events:
            return
        mirror = self._mirror
        read, owns, put = self._read, mirror.owns, mirror.put
        version = ""
        for kind, raw in events:
            if kind == "BOOKMARK":
                version = ""  # the watcher knows its version already
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

        One bad object must not hide all others.
        """
        try:
            return self._mirror.entry(raw)
        except DecodeError as error:
            self.skipped += 1
            if self._counts:
                self._counts.skipped.value += 1
            _log.error("object cannot be read, skipped", kind=self._name, error=str(error))
            return None

    # --- Log ---

    def _tell(self, state: State) -> None:
        """Log the error that led to a new state, and call ``on_change``."""
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
        # Not for every attempt: a kind may be missing for weeks.
        if (told := (str(error), self._watcher.since)) != self._told:
            self._told = told
            self._reminder.begin()
            _log.warning("list or watch failed, will retry", kind=self._name, **_log_fields(error))
        elif self._reminder.is_due():
            self._remind(error)
        else:
            _log.debug("list or watch failed, will retry", kind=self._name, error=str(error))

    def _remind(self, error: Exception) -> None:
        """Log again what is still wrong: the first line is far up in the log by now."""
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
    """Return the log fields for *error*; for a missing kind, with a hint how to install it."""
    if isinstance(error, NoMatchError):
        return {"error": str(error).partition("\n")[0], "hint": _INSTALL}
    if isinstance(error, NotFoundError) and (general := error.hint()):
        return {"error": str(error).removesuffix(general), "hint": _INSTALL}
    return {"error": str(error)}
