"""Client-side flow control: a bucket of tokens, refilled at a steady rate."""

from kubewright._aio import Clock


class TokenBucket:
    """Lets *burst* requests through at once and *qps* a second after that.

    The bucket starts full. Waiters are served in the order they came: each reserves its token when
    it arrives, so a late one cannot overtake.
    """

    def __init__(self, qps: float, burst: int, *, clock: Clock | None = None) -> None:
        if qps <= 0 or burst < 1:
            raise ValueError(f"a rate limit needs qps > 0 and burst >= 1, not {qps} and {burst}")
        self._qps = qps
        self._burst = float(burst)
        self._tokens = self._burst
        self._clock = clock or Clock()
        self._refilled = self._clock.monotonic()

    async def wait(self) -> float:
        """Take a token, waiting for it if need be; return the seconds waited."""
        delay = self._reserve()
        if delay > 0:
            try:
                await self._clock.sleep(delay)
            except BaseException:
                self._tokens += 1  # not used after all: whoever comes next may have it
                raise
        return delay

    def _reserve(self) -> float:
        now = self._clock.monotonic()
        earned = (now - self._refilled) * self._qps
        self._tokens = min(self._burst, self._tokens + earned) - 1
        self._refilled = now
        return max(0.0, -self._tokens / self._qps)
