"""Sources of requests for a controller, in addition to the kinds that it watches."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol, TypeAlias, runtime_checkable

import msgspec

from kubewright._aio import Clock
from kubewright.controller.mapping import Target, request_for, requests_for
from kubewright.controller.request import Reason, Request
from kubewright.errors import LifecycleError
from kubewright.log import get_logger
from kubewright.workqueue import LOW

__all__ = ["Channel", "Interval", "Sink", "Source", "Targets"]

Targets: TypeAlias = Iterable[Target] | Callable[[], Iterable[Target] | Awaitable[Iterable[Target]]]
"""What to reconcile, or a function that says it each time."""

_log = get_logger(__name__)


class Sink(Protocol):
    """Where a source puts its requests: the controller that runs it."""

    @property
    def clock(self) -> Clock:
        """Where time comes from."""
        ...

    def add(
        self,
        request: Request,
        reason: Reason,
        *,
        priority: int = 0,
        after: float = 0.0,
        mark: str = "",
    ) -> None:
        """Queue *request*, in *after* seconds; nothing happens if it is queued already.

        *mark* is the version of the object that changed, or the uid of one that is gone. The
        controller recognizes its own writes by it.
        """
        ...

    def known(self) -> Iterable[Request]:
        """Return a request for every known object of the reconciled kind."""
        ...


@runtime_checkable
class Source(Protocol):
    """Something that asks for reconciles.

    Any object with these two members will do. When ``run`` fails, it is called again after a
    while; when it returns, the source is done. A source may also have ``async def wait_ready()``,
    and workers start when it returns; and ``busy()`` with ``async def wait_idle()``, like
    `Channel`.
    """

    @property
    def name(self) -> str:
        """What a reconcile names as its reason."""
        ...

    async def run(self, sink: Sink) -> None:
        """Put requests into *sink* until cancelled."""
        ...


class _Sent(msgspec.Struct, frozen=True):
    request: Request
    priority: int
    reason: str = ""


class Channel:
    """A source that other code feeds: a web hook, a message queue, another controller.

    It holds up to *size* requests until a controller takes them, also before it runs. One
    controller reads it.

    Example:
        channel = Channel("payments")
        Controller("shop", reconcile, cluster=cluster, for_=Shop, sources=[channel])
        await channel.send("default/corner")
    """

    def __init__(self, name: str = "channel", *, size: int = 1024) -> None:
        if size < 1:
            raise ValueError(f"a channel has room for at least 1 request, not {size}")
        self._name = name
        self._sent: asyncio.Queue[_Sent] = asyncio.Queue(size)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_read = False

    @property
    def name(self) -> str:
        """What a reconcile names as its reason."""
        return self._name

    def __len__(self) -> int:
        return self._sent.qsize()

    def busy(self) -> str:
        """Return what is under way, in words; empty if nothing is."""
        return f"{len(self)} requests wait in the channel {self._name!r}" if len(self) else ""

    async def wait_idle(self) -> None:
        """Return once a controller has taken all that was sent."""
        await self._sent.join()

    async def send(self, target: Target, *, priority: int = 0, reason: str = "") -> None:
        """Let *target* be reconciled; waits while the channel is full.

        Args:
            target: What to reconcile.
            priority: In which order among others.
            reason: What the reconcile names as its reason, besides the channel.
        """
        request = request_for(target)
        self._join_loop()
        await self._sent.put(_Sent(request, priority, reason))

    def send_nowait(self, target: Target, *, priority: int = 0, reason: str = "") -> bool:
        """Let *target* be reconciled; return whether there was room. For use in the event loop."""
        request = request_for(target)
        if self._sent.full():
            return False
        self._sent.put_nowait(_Sent(request, priority, reason))
        return True

    async def run(self, sink: Sink) -> None:
        """Pass on what is sent, until cancelled."""
        if self._is_read:
            raise LifecycleError(
                f"the channel {self._name!r} is read by a controller already: make one for each"
            )
        self._is_read = True
        self._join_loop()
        try:
            while True:
                sent = await self._sent.get()
                reason = Reason(self._name, detail=sent.reason)
                sink.add(sent.request, reason, priority=sent.priority)
                self._sent.task_done()
        finally:
            self._is_read = False

    def _join_loop(self) -> None:
        """Belong to the running event loop; in tests, a module outlives that of the last one."""
        loop = asyncio.get_running_loop()
        if self._loop is not None and self._loop is not loop:
            before, self._sent = self._sent, asyncio.Queue(self._sent.maxsize)
            while not before.empty():
                self._sent.put_nowait(before.get_nowait())
        self._loop = loop


class Interval:
    """A source that asks for reconciles every so many seconds.

    It asks for all, also for those that were given up: an object whose reconcile raised a
    `TerminalError`, or used up the limit of its `Retry`, is tried again.

    Args:
        seconds: How long to wait in between.
        requests: What to reconcile, or a function, maybe ``async``, that says it each time;
            every object of the reconciled kind unless given.
        name: What a reconcile names as its reason.
        at_start: Whether to ask at the start, too.
        priority: In which order among others; behind live changes unless given.
    """

    def __init__(
        self,
        seconds: float,
        requests: Targets | None = None,
        *,
        name: str = "interval",
        at_start: bool = False,
        priority: int = LOW,
    ) -> None:
        if not isinstance(seconds, int | float):
            raise TypeError(
                f"an interval is a number of seconds, not {seconds!r:.80}: write Interval(300) for"
                " five minutes"
            )
        if not seconds > 0:
            raise ValueError(f"an interval must be longer than 0 seconds, not {seconds}")
        if not callable(requests):
            requests = None if requests is None else requests_for(requests)
        self._seconds, self._requests = seconds, requests
        self._name, self._at_start, self._priority = name, at_start, priority
        self._is_asking = False
        self._asked = asyncio.Event()

    @property
    def name(self) -> str:
        """What a reconcile names as its reason."""
        return self._name

    def busy(self) -> str:
        """Return what is under way, in words; empty if nothing is."""
        return f"{self._name} finds out what to reconcile" if self._is_asking else ""

    async def wait_idle(self) -> None:
        """Return once it is known what to reconcile this time."""
        while self._is_asking:
            self._asked.clear()
            await self._asked.wait()

    async def run(self, sink: Sink) -> None:
        """Ask again and again, until cancelled."""
        if self._at_start:
            await self._ask(sink)
        while True:
            await sink.clock.sleep(self._seconds)
            await self._ask(sink)

    async def _ask(self, sink: Sink) -> None:
        reason = Reason(self._name)
        self._is_asking = True
        try:
            requests = await self._wanted(sink)
        except Exception as error:  # noqa: BLE001  # theirs may fail in any way; the next may not
            _log.warning(
                "interval could not tell what to reconcile", source=self._name, error=str(error)
            )
            return
        finally:
            self._is_asking = False
            self._asked.set()
        for request in requests:
            sink.add(request, reason, priority=self._priority)

    async def _wanted(self, sink: Sink) -> Iterable[Request]:
        if self._requests is None:
            return list(sink.known())
        if not callable(self._requests):
            return self._requests
        answer = self._requests()
        return requests_for(await answer if isinstance(answer, Awaitable) else answer)
