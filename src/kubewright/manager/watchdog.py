"""`Watchdog`: notices from outside that the event loop does not turn, and says who holds it."""

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Self

from kubewright.log import get_logger
from kubewright.metrics import Counter, CounterValue

_log = get_logger(__name__)

BLOCKED: Counter = Counter(
    "kubewright_loop_blocked_seconds_total",
    "Seconds for which the event loop did not turn, in blocks of more than 2 seconds.",
)

_BEAT = 0.5  # seconds between two signs of life, and between two looks
_LONGEST = 2.0  # seconds without one that are still nothing to speak of
_JOIN = 1.0  # seconds to wait for the thread at the end; it wakes at once
_STANDARD_LIBRARY = Path(os.__file__).parent  # sysconfig would load all of the build's settings
_OURS = Path(__file__).parent.parent
_INSTALLED = {"site-packages", "dist-packages"}  # they lie inside of the standard library

Frames = Callable[[], Mapping[int, FrameType]]


class Watchdog:
    """Warns while the event loop is blocked, as by ``time.sleep`` in an ``async def``.

    Nothing else can: deadlines, probes and leases all wait for the loop. So a thread looks whether
    the loop has called back of late, and where it is if not. There is one warning for each time.

    Args:
        monotonic: Where time comes from; it is real in any case, as that of a thread is.
        frames: Returns what each thread is executing.
        wait: Waits for so many seconds; returns whether it shall end.

    Example:
        with Watchdog():
            await work()
    """

    def __init__(
        self,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        frames: Frames = sys._current_frames,  # noqa: SLF001  # documented, in spite of its name
        wait: Callable[[float], bool] | None = None,
    ) -> None:
        self._monotonic = monotonic
        self._frames = frames
        self._ended = threading.Event()
        self._wait = wait or self._ended.wait
        self._blocked: CounterValue = BLOCKED.labels()
        self._warned = False
        self._heard = self._looked = monotonic()
        self._watched = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._watched = threading.get_ident()
        self._heard = self._looked = self._monotonic()
        self._timer = self._loop.call_later(_BEAT, self.beat)
        self._thread = threading.Thread(target=self._run, name="kubewright-watchdog", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._timer is not None:
            self._timer.cancel()
        if self._thread is not None:
            self._thread.join(_JOIN)

    def beat(self) -> None:
        """Give a sign of life; called by the loop itself."""
        now = self._monotonic()
        late = now - self._heard - _BEAT
        if late > _LONGEST:
            self._blocked.inc(late)
            if not self._warned:  # it was short, or the thread could not run either
                _log.warning("the event loop was blocked", duration=round(late, 1))
        self._warned = False
        self._heard = now
        if self._loop is not None:
            self._timer = self._loop.call_later(_BEAT, self.beat)

    def look(self) -> None:
        """Warn if the loop has given no sign of life for too long; called by the thread."""
        now = self._monotonic()
        slept, self._looked = now - self._looked, now
        late = now - self._heard - _BEAT
        # If this thread did not run either, the whole process was stopped: give the loop a moment.
        if self._warned or late <= _LONGEST or slept > _LONGEST:
            return
        self._warned = True
        place = place_of(self._frames().get(self._watched))
        _log.warning(
            "the event loop was blocked",
            age=round(late, 1),
            place=place or "unknown",
            hint="use await and an async library, asyncio.to_thread, or a reconciler with def",
        )

    def _run(self) -> None:
        while not self._wait(_BEAT):
            self.look()


def place_of(frame: FrameType | None) -> str:
    """Return the innermost place that is the user's, such as ``shop.py:42 in reconcile``.

    If there is none, as in a large list that we decode, the innermost of all.
    """
    inner = frame
    while frame is not None and not _is_theirs(frame):
        frame = frame.f_back
    found = frame or inner
    if found is None:
        return ""
    return f"{found.f_code.co_filename}:{found.f_lineno} in {found.f_code.co_name}"


def _is_theirs(frame: FrameType) -> bool:
    name = frame.f_code.co_filename
    path = Path(name)
    if name.startswith("<") or path.is_relative_to(_OURS):
        return False
    if not path.is_relative_to(_STANDARD_LIBRARY):
        return True
    return bool(_INSTALLED & set(path.relative_to(_STANDARD_LIBRARY).parts))
