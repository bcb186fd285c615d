"""`WorkQueue`: which keys need work, each at most once and never by two workers at a time."""

import asyncio
from collections import deque
from typing import Generic, TypeVar

from kubewright._aio import Clock, stopwatch
from kubewright.errors import KubewrightError
from kubewright.metrics import NOTED_AT_MOST
from kubewright.workqueue.delays import Delays
from kubewright.workqueue.levels import Levels
from kubewright.workqueue.limiters import ExponentialBackoff, RateLimiter
from kubewright.workqueue.metrics import Numbers, hide, show

K = TypeVar("K")

LOW: int = -100
"""The priority of objects that were there when the program started."""


class QueueShutDown(KubewrightError):  # noqa: N818  # asyncio uses this name, too
    """The queue was shut down, and nothing is left in it: the worker can end."""


class WorkQueue(Generic[K]):
    """Keys that need work, in the order in which they were added.

    A key is in the queue once, however often it is added. While a worker has it, adding it only
    marks it, and `done` puts it back, so that no change is lost and two workers never have the
    same key. A higher priority goes first; a key gets the highest priority and the earliest time it
    was added with.

    Use it from one event loop only. State changes only between two awaits, so cancelling a `get`
    loses nothing.

    Example:
        >>> async def main():
        ...     queue = WorkQueue[str]()
        ...     for key in ("shop/a", "shop/b", "shop/a"):
        ...         queue.add(key)
        ...     return await queue.get(), await queue.get(), len(queue)
        >>> asyncio.run(main())
        ('shop/a', 'shop/b', 0)
    """

    __slots__ = (
        "__weakref__",
        "_adds",
        "_clock",
        "_closed",
        "_delays",
        "_dirty",
        "_drainers",
        "_getters",
        "_ghosts",
        "_levels",
        "_limiter",
        "_line",
        "_normal",
        "_others",
        "_priorities",
        "_processing",
        "_queued",
        "_retries",
        "_taken",
        "_time",
        "_timed",
        "_waited",
        "_waiting",
        "_waits",
        "_worked",
        "_works",
        "name",
    )

    def __init__(
        self, name: str = "", *, limiter: RateLimiter | None = None, clock: Clock | None = None
    ) -> None:
        """Make an empty queue.

        Args:
            name: Its name in metrics; without a name it measures nothing.
            limiter: Decides how long keys wait that are added by `add_rate_limited`.
            clock: The source of time.
        """
        self.name: str = name
        self._limiter: RateLimiter = limiter or ExponentialBackoff()
        self._clock = clock or Clock()
        self._time = stopwatch(self._clock)  # called three times per key
        self._timed = bool(name)
        numbers = Numbers(name)
        self._adds, self._retries = numbers.adds, numbers.retries
        self._waited, self._worked = numbers.waited, numbers.worked
        self._waits, self._works = self._waited.noted, self._worked.noted
        self._levels: Levels[K] = Levels()
        self._normal = self._levels.normal
        self._line, self._ghosts = self._normal.keys, self._normal.ghosts
        self._others = 0  # how many keys have a priority other than 0
        self._queued: dict[K, float] = {}  # ready or marked, with the time it was added
        self._priorities: dict[K, int] = {}  # of queued keys, where not 0
        self._processing: dict[K, float] = {}  # with the time it was taken
        self._taken: dict[K, int] = {}  # the priorities of keys in processing, where not 0
        self._dirty = 0  # how many are both queued and processing
        self._delays: Delays[K] = Delays(self._clock)
        self._waiting = self._delays.keys
        self._getters: deque[asyncio.Future[None]] = deque()
        self._drainers: list[asyncio.Future[None]] = []
        self._closed = False
        if name:
            show(self)

    def __len__(self) -> int:
        return len(self._queued) - self._dirty

    def __contains__(self, key: object) -> bool:
        return key in self._queued or key in self._waiting

    def __repr__(self) -> str:
        return (
            f"<WorkQueue {self.name!r}: {len(self)} ready, {self.waiting} waiting,"
            f" {self.processing} processing{', shut down' if self._closed else ''}>"
        )

    @property
    def waiting(self) -> int:
        """How many keys are delayed."""
        return len(self._waiting)

    @property
    def processing(self) -> int:
        """How many keys are being processed."""
        return len(self._processing)

    @property
    def is_shut_down(self) -> bool:
        """Whether the queue accepts no more keys."""
        return self._closed

    @property
    def oldest_age(self) -> float:
        """How many seconds the oldest key has been queued; 0 if none is, or without a name."""
        oldest = min(self._queued.values(), default=None)
        return 0.0 if oldest is None or not self._timed else self._time() - oldest

    @property
    def longest_running(self) -> float:
        """For how many seconds a worker has had the same key; 0 if there is none, or no name."""
        oldest = min(self._processing.values(), default=None)
        return 0.0 if oldest is None or not self._timed else self._time() - oldest

    @property
    def unfinished(self) -> float:
        """For how many seconds workers have had their keys, added up; 0 without a name."""
        now = self._time()
        return sum(now - since for since in self._processing.values()) if self._timed else 0.0

    @property
    def last_wait(self) -> float:
        """How many seconds the key had been queued that was taken last; 0 without a name.

        To be asked right after `get` or `get_nowait`.
        """
        return self._waits[-1] if self._waits else 0.0

    @property
    def is_idle(self) -> bool:
        """Whether no key is queued and no worker has one; keys that wait for their time may be."""
        return not self._queued and not self._processing

    def due_in(self, key: K) -> float | None:
        """Return in how many seconds *key* can be taken; ``None`` if nobody has asked for that.

        0 also for one that was added while a worker has it: it can be taken when that is done.
        """
        if key in self._queued:
            return 0.0
        delay = self._waiting.get(key) if self._waiting else None
        return None if delay is None else max(0.0, delay.at - self._clock.monotonic())

    def depths(self) -> dict[int, int]:
        """Return how many keys each priority has, including those marked while processing."""
        depths = self._levels.depths()
        for key in self._processing.keys() & self._queued.keys():
            priority = self._priorities.get(key, 0)
            depths[priority] = depths.get(priority, 0) + 1
        return depths

    def priority_of(self, key: K) -> int:
        """Return the priority at which *key* was taken, or is queued; 0 if it is unknown."""
        if key in self._processing:
            return self._taken.get(key, 0)
        delay = self._waiting.get(key)
        return self._priorities.get(key, 0) if delay is None else delay.priority

    def add(self, key: K, *, priority: int = 0) -> None:
        """Note that *key* needs work; it may not be ``None``.

        Once the queue is shut down, this does nothing.
        """
        if key in self._queued:
            if priority > 0 or self._priorities:
                self._raise(key, priority)
            return
        if self._closed:
            return
        # An empty dict is not searched: most of the time would go into hashing the key.
        if self._waiting and (delay := self._waiting.pop(key, None)):
            priority = max(priority, delay.priority)
        line = self._levels[priority].keys if priority else self._line  # may raise
        if self._timed:
            self._queued[key] = self._time()
            self._adds.value += 1
        else:
            self._queued[key] = 0.0
        if priority:
            self._priorities[key] = priority
        if self._processing and key in self._processing:
            # Not in a line yet, on purpose: a second worker would read the same state as the
            # first, and one of the two would lose with 409 after doing all its work.
            self._dirty += 1
            return
        line.append(key)
        if priority:
            self._others += 1
        if self._getters:
            self._wake()

    def add_after(self, key: K, seconds: float, *, priority: int = 0) -> None:
        """Note that *key* needs work in *seconds*, unless it is due earlier already."""
        if not seconds > 0:
            self.add(key, priority=priority)
            return
        if self._closed:
            return
        if priority:
            _ = self._levels[priority]  # raises if it is not a number: now, and not later
        self._retries.value += 1
        if key in self._queued:
            self._raise(key, priority)
        else:
            self._delays.add(key, seconds, priority=priority, ring=self._ring)

    def add_rate_limited(self, key: K, *, priority: int = 0) -> float:
        """Add *key* after a delay that grows with its failures, and return the delay."""
        seconds = self._limiter.when(key)
        self.add_after(key, seconds, priority=priority)
        return seconds

    def forget(self, key: K) -> None:
        """Count the failures of *key* from zero again."""
        self._limiter.forget(key)

    def failures(self, key: K) -> int:
        """Return how often *key* was added by `add_rate_limited` since it was last forgotten."""
        return self._limiter.failures(key)

    def get_nowait(self) -> K | None:
        """Take the next key, or return ``None``; call `done` with it afterwards."""
        if self._others or self._ghosts:
            return self._take()
        if not self._line:
            return None
        key = self._line.popleft()
        # Remove it before the work starts, not after: a change that arrives while the worker reads
        # must lead to another pass, since the worker may have read the old state.
        added = self._queued.pop(key)
        if self._timed:  # `_start`, inlined: most keys take this path
            self._processing[key] = now = self._time()
            self._waits.append(now - added)
        else:
            self._processing[key] = 0.0
        return key

    async def get(self) -> K:
        """Wait for a key and take it. Call `done` with it afterwards, whatever happens.

        Raises:
            QueueShutDown: The queue was shut down, and all its keys have been taken.
        """
        while (key := self.get_nowait()) is None:
            if self._closed:
                raise QueueShutDown(f"the queue {self.name!r} was shut down and is empty")
            await self._wait()
        return key

    def done(self, key: K) -> None:
        """End the work on *key*, whether it succeeded or failed; unknown keys are ignored."""
        since = self._processing.pop(key, None)
        if since is None:
            return
        if self._timed:
            self._works.append(self._time() - since)
            if len(self._works) >= NOTED_AT_MOST:
                self._waited.fold()
                self._worked.fold()
        if self._taken:
            self._taken.pop(key, None)
        if self._dirty and key in self._queued:
            self._dirty -= 1
            self._line_up(key)
        elif self._drainers and not self._processing and not self._queued:
            self._wake_drains()

    def shut_down(self) -> None:
        """Accept no more keys and drop delayed ones; queued keys can still be taken."""
        self._closed = True
        self._delays.clear()
        while self._getters:
            self._wake()

    def release(self) -> None:
        """Shut down, and leave the metrics page: the queue is not used any more."""
        self.shut_down()
        if self.name:
            hide(self)

    async def drain(self) -> None:
        """Shut down, and return once workers have processed all queued keys."""
        self.shut_down()
        await self.wait_idle()

    async def wait_idle(self) -> None:
        """Return once workers have taken and done all that is queued; see `is_idle`."""
        while not self.is_idle:
            drained: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._drainers.append(drained)
            try:
                await drained
            finally:
                if drained in self._drainers:
                    self._drainers.remove(drained)

    def _take(self) -> K | None:
        """Take the first key of the highest line."""
        level = self._levels.highest()
        if level is None:
            return None
        key = level.pop()
        if level is not self._normal:
            self._others -= 1
            self._taken[key] = self._priorities.pop(key)
        self._start(key)
        return key

    def _start(self, key: K) -> None:
        added = self._queued.pop(key)
        if not self._timed:
            self._processing[key] = 0.0
            return
        self._processing[key] = now = self._time()
        self._waits.append(now - added)

    def _line_up(self, key: K) -> None:
        """Put *key* at the end of the line of its priority."""
        priority = self._priorities.get(key, 0)
        self._levels[priority].keys.append(key)
        self._others += priority != 0
        self._wake()

    def _raise(self, key: K, priority: int) -> None:
        """Move the queued *key* to the end of a higher line; never to a lower one."""
        before = self._priorities.get(key, 0)
        if priority <= before:
            return
        if priority:
            self._priorities[key] = priority
        else:
            del self._priorities[key]
        if key in self._processing:
            return
        self._levels[before].leave(key)
        self._others -= before != 0
        self._line_up(key)

    def _ring(self) -> None:
        """Add the keys that are due."""
        self._delays.disarm()
        for key, priority in self._delays.pop_due():
            self.add(key, priority=priority)
        self._delays.arm(self._ring)

    def _wake(self) -> None:
        """Wake one getter."""
        while self._getters:
            getter = self._getters.popleft()
            if not getter.done():
                getter.set_result(None)
                return

    async def _wait(self) -> None:
        getter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._getters.append(getter)
        try:
            await getter
        except asyncio.CancelledError:
            if getter.cancelled():
                if getter in self._getters:  # _wake may have removed it already
                    self._getters.remove(getter)
            elif len(self):  # woken and cancelled at once: wake another getter for that key
                self._wake()
            raise

    def _wake_drains(self) -> None:
        for drainer in self._drainers:
            if not drainer.done():
                drainer.set_result(None)
        self._drainers.clear()
