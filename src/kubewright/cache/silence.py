"""`Silence`: notices that a stream is dead, though nothing reports an error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kubewright._aio import Clock, Timer

_LOOK_EVERY = 30.0  # seconds; the deadline may move closer while we wait for it


class Silence:
    """Ends a block with `TimeoutError` when nothing arrives before a deadline.

    The deadline moves with each byte. One timer checks it from time to time: a new timer for each
    chunk would cost more than the chunk.

    Args:
        clock: Where time comes from.
        deadline: Returns the current deadline, in monotonic time.
    """

    def __init__(self, clock: Clock, deadline: Callable[[], float]) -> None:
        self._clock = clock
        self._deadline = deadline
        self._timeout = clock.timeout(None)
        self._timer: Timer | None = None
        self._suspended = False

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()
        self._arm()

    async def __aexit__(self, *exc: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        await self._timeout.__aexit__(*exc)  # type: ignore[arg-type]  # passed on unchanged

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Ignore the deadline during this block, in which we do not read."""
        self._suspended = True
        try:
            yield
        finally:
            self._suspended = False

    def rearm(self) -> None:
        """Check the deadline now: it may be much closer than before."""
        if self._timer is not None:
            self._timer.cancel()
        self._arm()

    def _arm(self) -> None:
        wait = self._deadline() - self._clock.monotonic()
        self._timer = self._clock.call_later(min(wait, _LOOK_EVERY), self._look)

    def _look(self) -> None:
        if self._suspended:
            self._timer = self._clock.call_later(_LOOK_EVERY, self._look)
        elif self._deadline() <= self._clock.monotonic():
            self._timeout.expire()
        else:
            self._arm()
