"""Delays that grow while things go wrong."""

from kubewright._aio.clock import Clock
from kubewright._aio.delays import Delays, RandomSource
from kubewright.errors import LifecycleError


class Backoff:
    """`Delays` on a clock: it can wait, and may be limited to a number of steps.

    Example:
        >>> backoff = Backoff(base=1.0, factor=2.0, cap=3.0, jitter=0.0)
        >>> [backoff.next_delay() for _ in range(4)]
        [1.0, 2.0, 3.0, 3.0]
    """

    def __init__(  # noqa: PLR0913  # each is a number of the series, by keyword, with a default
        self,
        *,
        base: float = 0.8,
        factor: float = 2.0,
        cap: float = 30.0,
        jitter: float = 1.0,
        steps: int | None = None,
        reset_after: float | None = 120.0,
        clock: Clock | None = None,
        source: RandomSource | None = None,
    ) -> None:
        """Make a series; the numbers are those of `Delays`.

        Args:
            base: The first delay, in seconds.
            factor: How much longer each delay is than the one before it.
            cap: No delay is longer than this, jitter aside.
            jitter: The share of a delay that is added at random.
            steps: How many delays there are before `exhausted`; ``None`` for no end.
            reset_after: The seconds without a call after which the series starts over.
            clock: The source of time.
            source: Where jitter comes from.
        """
        self._clock = clock or Clock()
        self._steps = steps
        self._delays = Delays(
            base=base,
            factor=factor,
            cap=cap,
            jitter=jitter,
            reset_after=reset_after,
            source=source,
            now=self._clock.monotonic(),
        )

    @property
    def exhausted(self) -> bool:
        """Whether all steps are used up: give up instead of waiting again."""
        return self._steps is not None and self._delays.given >= self._steps

    def next_delay(self) -> float:
        """Return the seconds to wait now, and make the next delay longer.

        Raises:
            LifecycleError: The series is `exhausted`.
        """
        now = self._clock.monotonic()
        self._delays.reset_if_quiet(now)
        if self.exhausted:
            raise LifecycleError(f"all {self._steps} steps were taken; check `exhausted` first")
        return self._delays.next(now)

    async def wait(self) -> None:
        """Sleep for the next delay."""
        await self._clock.sleep(self.next_delay())

    def reset(self) -> None:
        """Start over with the first delay."""
        self._delays.reset()
