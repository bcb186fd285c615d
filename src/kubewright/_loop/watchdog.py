"""`Watchdog`: notices from a thread that the event loop is blocked, and logs where."""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol, Self
from weakref import WeakKeyDictionary, WeakSet, ref

from kubewright._loop.places import place_of_thread
from kubewright.log import get_logger
from kubewright.metrics import Counter, CounterValue

__all__ = ["BEAT", "LIMIT", "LONGEST", "REST", "Watchdog", "Work", "watchdog_of"]

LIMIT: float = 0.1
"""Seconds that work may block the loop before a warning, as in asyncio's debug mode."""
LONGEST: float = 2.0
"""Seconds after which every block is logged and counted, whatever causes it."""
BEAT: float = 0.05
"""Seconds between two signs of life, and between two looks, while work is under way."""
REST: float = 0.5
"""The same while no work is under way."""
_JOIN = 1.0  # seconds to wait for the thread at the end; it wakes at once

BLOCKED: Counter = Counter(
    "kubewright_loop_blocked_seconds_total",
    "Seconds for which the event loop was blocked, in blocks of more than 2 seconds.",
)

_log = get_logger(__name__)


class Work(Protocol):
    """What can be under way in a loop, such as the reconciles of a controller."""

    @property
    def is_busy(self) -> bool:
        """Whether any of it is under way."""
        ...

    def fields_of(self, task: "asyncio.Task[Any]") -> Mapping[str, str]:
        """Return the log fields that say what *task* works on; empty if it is not known here.

        Called by another thread than the loop's.
        """
        ...


class Watchdog:
    """Checks from a thread whether an event loop is blocked, and warns if it is.

    Nothing else can: deadlines, probes and leases all wait for the loop. While work is under way it
    checks often, and warns once of each place in the user's code that blocks for more than `LIMIT`.
    Inside its ``with`` block (a manager's) it always checks, and warns every time something blocks
    for more than `LONGEST`. Each block gets one warning. The time is always real, since threads
    have no other. Without work and outside its ``with`` block, neither timer nor thread runs.

    Args:
        loop: The loop; it must be the loop of the current thread.
        monotonic: The source of time.
        wait: Waits for an event, for a number of seconds at most; returns whether it was set.

    Attributes:
        armed: Whether it checks often.

    Example:
        with watchdog_of(asyncio.get_running_loop()):
            await serve()
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        wait: Callable[[threading.Event, float], bool] = threading.Event.wait,
    ) -> None:
        self.armed: bool = False
        self._loop = ref(
            loop
        )  # the loop is the key of this object's cache, so it must not be kept alive
        self._monotonic = monotonic
        self._woken = threading.Event()
        self._wait = wait
        self._watched = threading.get_ident()
        self._works: WeakSet[Work] = WeakSet()
        self._blocks = 0  # `with` blocks that are open
        self._heard = self._due = self._looked = monotonic()
        self._beats = 0
        self._warned = False
        self._told: set[str] = set()
        self._blocked: CounterValue = BLOCKED.labels()
        self._lock = threading.Lock()  # guards the decision to start or end a thread
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._blocks += 1
        if not self.armed:
            self._begin()
        return self

    def __exit__(self, *_: object) -> None:
        self._blocks -= 1
        self.armed = self._is_busy
        if not self._pause and (thread := self._thread) is not None:
            self._woken.set()
            thread.join(_JOIN)

    @property
    def silence(self) -> float:
        """For how many seconds the loop has given no sign of life; any thread may ask."""
        return self._monotonic() - self._heard

    def observe(self, work: Work) -> None:
        """Check often while *work* is under way, once `arm` is called."""
        self._works.add(work)

    def arm(self) -> None:
        """Start to check often; called when work begins and this is not `armed`."""
        self.armed = True
        self._begin()

    def _begin(self) -> None:
        self._heard = self._looked = self._monotonic()
        self._await_beat()
        with self._lock:
            self._woken.set()
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="kubewright-watchdog", daemon=True
                )
                self._thread.start()

    # --- In the loop ---

    def _await_beat(self) -> None:
        pause = BEAT if self.armed else REST
        self._due = self._heard + pause
        self._beats += 1
        asyncio.get_running_loop().call_later(pause, self._beat, self._beats)

    def _beat(self, number: int) -> None:
        if number == self._beats:  # otherwise a newer beat was scheduled, and this one is late
            self.beat()

    def beat(self) -> None:
        """Give a sign of life; called by the loop itself."""
        now = self._monotonic()
        late = now - self._due
        if late > LONGEST:
            self._blocked.inc(late)
            if not self._warned:  # the thread could not run either, or not in time
                _log.warning("the event loop was blocked", duration=round(late, 1))
        self._warned = False
        self._heard = now
        self.armed = self._is_busy
        if self._pause:
            self._await_beat()

    @property
    def _is_busy(self) -> bool:
        return any(work.is_busy for work in self._works)

    @property
    def _pause(self) -> float:
        """The seconds between two checks; 0 for no checks."""
        if self.armed:
            return BEAT
        return REST if self._blocks else 0.0

    # --- In the thread ---

    def _run(self) -> None:
        while not self._is_over():
            if self._wait(self._woken, self._pause):
                self._woken.clear()
            else:
                self.look()

    def _is_over(self) -> bool:
        with self._lock:
            loop = self._loop()
            is_over = not self._pause or loop is None or not loop.is_running()
            if is_over:
                self._thread = None
        return is_over

    def look(self) -> None:
        """Log where the loop is if it has given no sign of life; called by the thread."""
        now = self._monotonic()
        slept, self._looked = now - self._looked, now
        late = now - self._due
        # If this thread could not run either, the machine is busy, or the whole process was
        # stopped: nobody is to blame.
        is_long = late > LONGEST and slept <= LONGEST
        is_short = late > LIMIT and slept <= BEAT + LIMIT and self.armed
        if not self._warned and (is_long or is_short):
            self._tell(late, anywhere=is_long)

    def _tell(self, late: float, *, anywhere: bool) -> None:
        """Warn of every long block, and of a short one once for each line of the user's code."""
        place = place_of_thread(self._watched, anywhere=anywhere)
        if not anywhere and (not place or place in self._told):
            return
        self._warned = True
        self._told.add(place)
        _log.warning(
            "the event loop is blocked",
            age=round(late, 2),
            place=place or "unknown",
            hint="use await and an async library, asyncio.to_thread, or a reconciler with def",
            **self._whose(),
        )

    def _whose(self) -> dict[str, str]:
        fields: dict[str, str] = {}
        loop = self._loop()
        task = asyncio.current_task(loop) if loop is not None else None
        if task is not None:
            with suppress(RuntimeError):  # the set of tasks has changed, so the loop runs again
                for work in self._works:
                    fields.update(work.fields_of(task))
        return fields


_all: "WeakKeyDictionary[asyncio.AbstractEventLoop, Watchdog]" = WeakKeyDictionary()


def watchdog_of(loop: asyncio.AbstractEventLoop) -> Watchdog:
    """Return the watchdog of *loop*, which must be the running loop."""
    found = _all.get(loop)
    if found is None:
        found = _all[loop] = Watchdog(loop)
    return found
