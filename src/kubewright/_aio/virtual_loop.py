"""An event loop in virtual time: every wait in it is a wait on the clock.

Users write ``await asyncio.sleep(30)`` and ``asyncio.timeout(5)``, and so do the libraries that
they call. All of these get the time and their timers from the event loop, so that is where virtual
time starts. Work in threads stays in real time: the clock waits for it instead.
"""

import asyncio
import contextvars
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from kubewright.errors import LifecycleError

if TYPE_CHECKING:
    from kubewright._aio.virtual import VirtualClock

__all__ = ["Outside", "VirtualLoop", "outside_of"]

SLOW: float = 1.0
"""Real seconds after which work in a thread is named in a warning."""

STUCK: float = 30.0
"""Real seconds after which a test that waits for a thread fails."""


class _TimerHandle(asyncio.TimerHandle):
    """A timer of the event loop that rings on the clock."""

    alarm: Any

    def cancel(self) -> None:
        self.alarm.cancel()
        asyncio.Handle.cancel(self)  # not TimerHandle.cancel: the loop has not counted this timer


class Outside:
    """Counts the work that runs in threads; used in the event loop only."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._busy = 0
        self._expected = 0
        self._changed: asyncio.Future[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether any thread works, for a time that nobody knows."""
        return self._busy > 0

    def begin(self) -> None:
        """Note that a thread has started to work."""
        self._busy += 1

    def end(self) -> None:
        """Note that it has ended, or waits for the event loop."""
        self._busy -= 1
        if self._changed is not None and not self._changed.done():
            self._changed.set_result(None)

    @contextmanager
    def expected(self) -> Iterator[None]:
        """Do not warn of a thread while the block lasts: it computes, and waits for nothing."""
        self._expected += 1
        try:
            yield
        finally:
            self._expected -= 1

    async def wait(self) -> None:
        """Return when a thread ends or needs the event loop. This takes real time.

        Raises:
            RuntimeError: The thread takes far too long.
        """
        self._changed = self._loop.create_future()
        timers = [
            threading.Timer(SLOW, self._loop.call_soon_threadsafe, (self._complain,)),
            threading.Timer(STUCK, self._loop.call_soon_threadsafe, (self._give_up,)),
        ]
        for timer in timers:
            timer.daemon = True
            timer.start()
        try:
            await self._changed
        finally:
            for timer in timers:
                timer.cancel()

    def _complain(self) -> None:
        if self._busy <= self._expected:
            return
        try:
            warnings.warn(
                f"a thread takes real time while virtual time stands still. {_HINT}{_places()}",
                RuntimeWarning,
                stacklevel=2,
            )
        except RuntimeWarning as error:  # where warnings are errors, the test has failed
            self._fail(error)

    def _give_up(self) -> None:
        self._fail(
            RuntimeError(
                f"a thread has worked for {STUCK:.0f} real seconds while virtual time stood still."
                f" {_HINT}{_places()}"
            )
        )

    def _fail(self, error: Exception) -> None:
        if self._changed is not None and not self._changed.done():
            self._changed.set_exception(error)


_HINT = (
    "Threads live in real time: time.sleep() and sockets take as long as they take. Make it an"
    " `async def` that awaits asyncio.sleep(), which takes none."
)
_loops: "WeakKeyDictionary[asyncio.AbstractEventLoop, VirtualLoop]" = WeakKeyDictionary()


def outside_of(loop: asyncio.AbstractEventLoop) -> Outside | None:
    """Return the counter of work in threads for *loop*; ``None`` if it runs in real time."""
    found = _loops.get(loop)
    return found.outside if found is not None and found.clock.wait_for_threads else None


class VirtualLoop:
    """Gives *loop* the time of *clock*, from `begin` to `end`; both may be nested.

    Raises:
        LifecycleError: The loop has the time of another clock.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, clock: "VirtualClock") -> None:
        self.outside: Outside = Outside(loop)
        self.clock: VirtualClock = clock
        self._loop: Any = loop
        self._base = loop.time() - clock.monotonic()
        self._depth = 0

    @classmethod
    def of(cls, loop: asyncio.AbstractEventLoop, clock: "VirtualClock") -> "VirtualLoop":
        """Return the `VirtualLoop` of *loop* and *clock*; an active one is reused."""
        found = _loops.get(loop)
        if found is None:
            return cls(loop, clock)
        if found.clock is not clock:
            raise LifecycleError(
                "this event loop has the time of another virtual clock: give all parts of a test"
                " the same one"
            )
        return found

    def begin(self) -> None:
        """Switch to virtual time."""
        self._depth += 1
        if self._depth > 1:
            return
        self._loop.time = self._time
        self._loop.call_at = self._call_at
        self._loop.call_later = self._call_later  # asyncio's own calls the two above
        self._run_in_executor = self._loop.run_in_executor
        self._loop.run_in_executor = self._run_outside
        _loops[self._loop] = self

    def end(self) -> None:
        """Go back to real time; timers that have not rung ring only on the clock."""
        self._depth -= 1
        if self._depth == 0:
            for name in ("time", "call_at", "call_later", "run_in_executor"):
                delattr(self._loop, name)
            _loops.pop(self._loop, None)

    def _time(self) -> float:
        return self._base + self.clock.monotonic()

    def _call_later(
        self, delay: float, callback: Callable[..., object], *args: Any, **more: Any
    ) -> asyncio.TimerHandle:
        return self._call_at(self._time() + delay, callback, *args, **more)

    def _call_at(
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        handle = _TimerHandle(when, callback, args, self._loop, context)
        context = context or contextvars.copy_context()

        def ring() -> None:
            self._loop.call_soon(callback, *args, context=context)

        handle.alarm = self.clock.call_later(when - self._time(), ring)
        return handle

    def _run_outside(self, executor: Any, function: Callable[..., Any], *args: Any) -> Any:
        future = self._run_in_executor(executor, function, *args)
        self.outside.begin()
        future.add_done_callback(lambda _: self.outside.end())
        return future


def _places() -> str:
    """Return where the threads are that may be the slow ones."""
    here = {threading.get_ident(), threading.main_thread().ident}
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    found = []
    for ident, frame in sys._current_frames().items():  # noqa: SLF001  # the only way there is
        name = names.get(ident, "")
        if ident in here or not name.startswith(("reconcile", "asyncio")):
            continue
        last = traceback.extract_stack(frame)[-1]
        found.append(f"\n  {name}: {last.filename}:{last.lineno}, in {last.name}: {last.line}")
    return "".join(found)
