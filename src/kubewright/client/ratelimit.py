"""Client-side flow control: a bucket of tokens, refilled at a steady rate."""

import asyncio

from kubewright._aio import Clock


class TokenBucket:
    """Lets *burst* requests through at once and *qps* a second after that.

    The bucket starts full. Waiters are served in the order they came, and one that gives up makes
    the others move up: only the first in line waits for the next token.
    """

    def __init__(self, qps: float, burst: int, *, clock: Clock | None = None) -> None:
        if qps <= 0 or burst < 1:
            raise ValueError(f"a rate limit needs qps > 0 and burst >= 1, not {qps} and {burst}")
        self._qps = qps
        self._burst = float(burst)
        self._tokens = self._burst
        self._clock = clock or Clock()
        self._refilled = self._clock.monotonic()
        self._turn = asyncio.Lock()

    async def wait(self) -> float:
        """Take a token, waiting for it if need be; return the seconds waited."""
        came = self._clock.monotonic()
        async with self._turn:
            self._refill()
            if self._tokens < 1:
                await self._clock.sleep((1 - self._tokens) / self._qps)
                self._refill()
            self._tokens -= 1
        return self._clock.monotonic() - came

    def _refill(self) -> None:
        now = self._clock.monotonic()
        earned = (now - self._refilled) * self._qps
        self._tokens = min(self._burst, self._tokens + earned)
        self._refilled = now
