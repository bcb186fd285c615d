"""`Fence`: a time after which nothing that runs behind it may leave the process.

A leader starts its work inside `fenced`. The tasks, callbacks and threads that this work starts
with a copy of the context are behind the same fence. The fence is checked at the last moment, right
before bytes go to the kernel: a task that is about to be cancelled, or a process that was paused
and resumes, gets no further than that.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from kubewright._aio.clock import Clock, sleepless_stopwatch
from kubewright.errors import NotLeadingError

__all__ = ["FENCE", "Fence", "check_fence", "fenced"]


class Fence:
    """Lets requests pass `until` a moment; it starts closed.

    One thread moves it, and any thread may check it: there is a single number to read.

    Args:
        name: What the process must hold to pass, such as ``lease default/shops``.
        clock: The source of time; the time that the machine sleeps counts, too.
    """

    __slots__ = ("name", "now", "until")

    def __init__(self, name: str, *, clock: Clock) -> None:
        self.name: str = name
        self.now: Callable[[], float] = sleepless_stopwatch(clock)
        """The time that `until` is compared with."""
        self.until: float = -math.inf
        """Nothing passes from this moment on; see `Clock.sleepless`."""

    def close(self) -> None:
        """Let nothing pass any more."""
        self.until = -math.inf

    def check(self) -> None:
        """Raise if nothing may pass.

        Raises:
            NotLeadingError: The time is over.
        """
        if self.now() >= self.until:
            raise self.refusal()

    def refusal(self) -> NotLeadingError:
        """Return the error for a caller that may not pass."""
        return NotLeadingError(
            f"not sent: this process does not hold {self.name} any longer, and another one may"
            " work on the same objects by now. Let the error pass: this process is about to end."
        )


FENCE: ContextVar[Fence | None] = ContextVar("kubewright_fence", default=None)
"""The fence that the running code is behind; ``None`` if it needs no leadership."""


@contextmanager
def fenced(fence: Fence | None) -> Iterator[None]:
    """Put the block, and everything it starts, behind *fence*."""
    token = FENCE.set(fence)
    try:
        yield
    finally:
        FENCE.reset(token)


def check_fence() -> None:
    """Raise if the caller is behind a fence that is closed; for transports without a socket.

    Raises:
        NotLeadingError: The fence is closed.
    """
    fence = FENCE.get()
    if fence is not None:
        fence.check()
