"""Posts reviews to one webhook, and tries again as Kubernetes does."""

from typing import Any

from kubewright._aio import Backoff, Clock
from kubewright._http.endpoint import Limits, Route
from kubewright._http.pool import Pool
from kubewright._json import encode
from kubewright.apiserver.admission.webhook_client import WebhookError, decoded, go_error
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.webhook.config import WebhookConfig
from kubewright.errors import TransportError, TransportTimeoutError

TIMEOUT: float = 30.0
"""Seconds for one question, with all that is tried for it."""
RETRIES: int = 4

_BODY_LIMIT = 4 << 20
_TOO_MANY = 429
_UNAVAILABLE = 503
_FIRST_FAILURE = 500


class _TransientError(Exception):
    """Another try may succeed; *said* is the error if there is none."""

    def __init__(self, said: WebhookError) -> None:
        super().__init__()
        self.said = said


class ReviewClient:
    """Posts JSON to the webhook of a config file, and keeps the connections; close it.

    It belongs to the event loop in which it is first used.

    Args:
        config: Where the webhook is.
        clock: On which time-outs and delays run.
    """

    def __init__(self, config: WebhookConfig, *, clock: Clock) -> None:
        self._config = config
        self._clock = clock
        self._pool: Pool | None = None

    async def post(self, review: Obj) -> Obj:
        """Post *review* and return the answer, a JSON object.

        Raises:
            WebhookError: No answer came in time, or the answer is not valid.
        """
        deadline = self._clock.monotonic() + TIMEOUT
        backoff = Backoff(
            base=0.5, factor=1.5, jitter=0.2, steps=RETRIES, reset_after=None, clock=self._clock
        )
        content = encode(review)
        while True:
            try:
                return await self._try(content, deadline)
            except _TransientError as error:
                if backoff.exhausted:
                    raise error.said from error
                delay = backoff.next_delay()
                if self._clock.monotonic() + delay >= deadline:
                    raise error.said from error
                await self._clock.sleep(delay)

    async def close(self) -> None:
        """Close every connection; questions under way fail."""
        if self._pool is not None:
            await self._pool.close()

    async def _try(self, content: bytes, deadline: float) -> Obj:
        try:
            answer = await self._post(content, deadline)
        except TransportError as error:
            target = f"{self._config.endpoint}{self._config.path}?timeout={TIMEOUT:g}s"
            said = WebhookError(f'Post "{target}": {go_error(error, self._config.endpoint)}')
            if _is_end(error):
                raise _TransientError(said) from error
            raise said from error
        status, headers, body = answer
        try:
            return decoded(status, headers, body)
        except WebhookError as error:
            if _is_transient(status, headers):
                raise _TransientError(error) from error
            raise

    async def _post(self, content: bytes, deadline: float) -> tuple[int, dict[str, str], bytes]:
        head, pool = self._head(len(content)), self._pool or self._open()
        kept = pool.idle > 0
        try:
            found: Any = await pool.request("POST", head, content, deadline=deadline)
        except TransportError as error:
            # The webhook may have closed a kept connection while our request was on its way.
            if not (kept and _is_end(error)) and not await self._learn(error, deadline):
                raise
            found = await pool.request("POST", head, content, deadline=deadline)
        status, headers, body = found
        return status, dict(headers), body

    async def _learn(self, error: TransportError, deadline: float) -> bool:
        config = self._config
        try:
            async with self._clock.timeout(deadline - self._clock.monotonic()):
                return await config.trust.learn(
                    error.__cause__,
                    config.endpoint.host,
                    config.endpoint.port,
                    name=config.server_name,
                )
        except TimeoutError:
            return False

    def _open(self) -> Pool:
        config = self._config
        route = Route(config.endpoint, lambda: config.trust.context, config.server_name)
        limits = Limits(body=_BODY_LIMIT, connections=None)
        self._pool = Pool(route, limits=limits, clock=self._clock)
        return self._pool

    def _head(self, size: int) -> bytes:
        config = self._config
        login = f"Authorization: {config.authorization}\r\n" if config.authorization else ""
        return (
            f"POST {config.path}?timeout={TIMEOUT:g}s HTTP/1.1\r\n"
            f"Host: {config.endpoint.authority}\r\n"
            f"User-Agent: kube-apiserver\r\nAccept: application/json, */*\r\n{login}"
            f"Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
        ).encode()


def _is_end(error: TransportError) -> bool:
    return error.lost and not isinstance(error, TransportTimeoutError)


def _is_transient(status: int, headers: dict[str, str]) -> bool:
    """Say whether to try again: a server that is not available asks for it by Retry-After."""
    if status == _UNAVAILABLE:
        return "retry-after" in headers
    return status == _TOO_MANY or status >= _FIRST_FAILURE
