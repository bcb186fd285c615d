"""`RESTClient`: sends requests with patience, and turns failures into errors that help.

Between the verbs above and the transport below: the rate limit, the retries that are safe, the
server's warnings, and the mapping of every failure ``Status`` to an exception.
"""

import re
from collections.abc import AsyncIterable, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from kubewright import _json
from kubewright._aio import Clock
from kubewright._aio.delays import patience
from kubewright.api.requests import Request
from kubewright.client.ratelimit import TokenBucket
from kubewright.client.transport import Duplex, Response, Stream, Transport
from kubewright.errors import (
    APIError,
    DecodeError,
    Status,
    TransportError,
    TransportTimeoutError,
    api_error,
)
from kubewright.log import get_logger
from kubewright.metrics import Counter, CounterValue
from kubewright.runs.current import NOTES

if TYPE_CHECKING:
    from kubewright.runs.notes import Notes

_log = get_logger(__name__)

REQUESTS: Counter = Counter(
    "rest_client_requests_total",
    "Number of HTTP requests, partitioned by status code, method, and host.",
    ("code", "method", "host"),
)
"""Every try counts; where no answer came, the code is ``<error>``, as in client-go."""

WarningHandler = Callable[[str], None]
WriteObserver = Callable[[Request, Response], None]
"""Called after a successful write, before the caller gets the answer."""
Knowledge = Callable[[Request], bytes | None]
"""Returns the object that a request is about, as it is known here; ``None`` if it is not."""

MAX_RETRIES = 10
_RETRY_AFTER_LOST = 1.0  # seconds, for a GET whose connection broke
_SWITCHING = 101
_SUCCESS = range(200, 300)
_REDIRECT = range(300, 400)
_FIRST_SERVER_ERROR = 500
_TOO_MANY_REQUESTS = 429
_LONGEST_EXCERPT = 256  # of a body that we do not understand
_LONGEST_ERROR = 64 * 1024  # of an error body on a stream

_WARNING = r'\s*299 \S+ "((?:[^"\\]|\\.)*)"'


def log_warning(text: str) -> None:
    """Log a warning that the server sent, such as for a deprecated version."""
    _log.warning("the server warns", warning=text)


class RESTClient:
    """Sends requests over a transport until they are answered for good.

    Args:
        transport: Where requests go.
        limiter: The rate limit, or ``None`` to leave it to the server's priority and fairness.
        on_warning: Called with the text of each ``Warning`` header.
        timeout: Seconds within which each try must be answered, or ``None``.
        host: The name of the server in metrics.
        clock: The source of time.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        limiter: TokenBucket | None = None,
        on_warning: WarningHandler = log_warning,
        timeout: float | None = None,
        host: str = "",
        clock: Clock | None = None,
    ) -> None:
        self.transport = transport
        self._limiter = limiter
        self._on_warning = on_warning
        self._timeout = timeout
        self._clock = clock or Clock()
        self._host = host
        self._counts: dict[tuple[int, str], CounterValue] = {}
        self.observers: list[WriteObserver] = []
        """Called for each write that the server carried out and stored: dry runs are left out.

        That is before `send` returns, so the caller of the write finds everything that an observer
        has stored. Observers must be quick; if one fails, the error is logged.
        """
        self.knowledge: list[Knowledge] = []
        """Asked for the state before a write, if that is made in a run that is recorded."""

    @property
    def clock(self) -> Clock:
        """Where time comes from."""
        return self._clock

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send *request* and return its answer; a run that is recorded notes both.

        A 429 or 5xx with ``Retry-After`` is retried, at most ten times, and so is a GET whose
        connection broke. A write is not: the server may have executed it.

        Raises:
            APIError: The server refused; the subclass says why.
            TransportError: No answer came.
        """
        notes = NOTES.get()
        if notes is None or not notes.is_open:
            return await self._send(request, timeout)
        return await self._send_noted(notes, request, timeout)

    async def _send(self, request: Request, timeout: float | None) -> Response:
        timeout = self._timeout if timeout is None else timeout
        previous: Exception | None = None
        for attempt in range(MAX_RETRIES + 1):
            if self._limiter is not None:
                await self._limiter.wait()
            try:
                response = await self.transport.send(request, timeout=timeout)
            except TransportError as error:
                self._count(0, request.method)
                failure, delay = self._after_loss(request, error)
            else:
                self._count(response.status, request.method)
                if _is_success(response.status):
                    self._warn(response.headers)
                    if self.observers and request.method != "GET":
                        self._call_observers(request, response)
                    return response
                failure, delay = self._after_refusal(request, response)
            if delay is None or attempt == MAX_RETRIES:
                raise _with_previous(failure, previous)
            previous = failure
            await self._clock.sleep(patience(delay))
        raise AssertionError("unreachable")

    async def _send_noted(
        self, notes: "Notes", request: Request, timeout: float | None
    ) -> Response:
        began = self._clock.monotonic()
        before = self._find_known(request) if request.method != "GET" else None
        try:
            response = await self._send(request, timeout)
        except BaseException as error:
            took = self._clock.monotonic() - began
            status = error.status.code or 0 if isinstance(error, APIError) else 0
            notes.hear_failure(request, took=took, status=status, error=_described(error))
            raise
        took = self._clock.monotonic() - began
        notes.hear_answer(
            request, took=took, status=response.status, body=response.body, before=before,
            server=id(self),
        )  # fmt: skip
        return response

    def _find_known(self, request: Request) -> bytes | None:
        for know in self.knowledge:
            if (found := know(request)) is not None:
                return found
        return None

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[Stream]:
        """Open *request* as a stream. Streams are neither rate limited nor tried again.

        Raises:
            APIError: The server refused.
            TransportError: No answer came, or the stream broke.
        """
        async with self.transport.stream(request, timeout=self._timeout) as stream:
            self._count(stream.status, request.method)
            if not _is_success(stream.status):
                body = await _beginning_of(stream)
                raise _refusal(request, Response(stream.status, stream.headers, body))
            self._warn(stream.headers)
            yield stream

    @asynccontextmanager
    async def upgrade(self, request: Request) -> AsyncIterator[Duplex]:
        """Switch protocols with *request*; like a stream, it is tried only once.

        Raises:
            APIError: The server refused.
            TransportError: No answer came, or one that is neither a switch nor a refusal.
        """
        async with self.transport.upgrade(request, timeout=self._timeout) as duplex:
            if duplex.status != _SWITCHING:
                body = await _beginning_of(_chunks(duplex))
                raise _not_switched(request, Response(duplex.status, duplex.headers, body))
            self._warn(duplex.headers)
            yield duplex

    def _count(self, status: int, method: str) -> None:
        """Count a try; *status* is 0 if no answer came."""
        counter = self._counts.get((status, method))
        if counter is None:
            code = str(status) if status else "<error>"
            counter = self._counts[status, method] = REQUESTS.labels(code, method, self._host)
        counter.value += 1

    def _call_observers(self, request: Request, response: Response) -> None:
        """Call the observers; their errors are logged, since the write has succeeded."""
        if _is_dry_run(request):
            return
        for observer in tuple(self.observers):
            try:
                observer(request, response)
            except Exception as error:  # noqa: BLE001  # the write itself went well
                _log.exception("observer of writes failed", error=repr(error))

    def _after_loss(
        self, request: Request, error: TransportError
    ) -> tuple[Exception, float | None]:
        failure = type(error)(f"cannot {request.attempt}: {error}", error.lost)
        failure.__cause__ = error
        lost = error.lost and not isinstance(error, TransportTimeoutError)
        return failure, _RETRY_AFTER_LOST if lost and request.method == "GET" else None

    def _after_refusal(
        self, request: Request, response: Response
    ) -> tuple[Exception, float | None]:
        self._warn(response.headers)
        may_retry = response.status == _TOO_MANY_REQUESTS or response.status >= _FIRST_SERVER_ERROR
        return _refusal(request, response), _retry_after(response) if may_retry else None

    def _warn(self, headers: tuple[tuple[str, str], ...]) -> None:
        for name, value in headers:
            if name == "warning":
                for text in re.findall(_WARNING, value):
                    self._on_warning(re.sub(r"\\(.)", r"\1", text))


def decode_error(request: Request, response: Response, error: DecodeError) -> DecodeError:
    """Return *error* with the text that the server sent, if it was not JSON at all."""
    kind = response.header("content-type") or "no content type"
    if "json" in kind:
        return DecodeError(f"cannot {request.attempt}: {error}")
    return DecodeError(
        f"cannot {request.attempt}: the server answered with {kind}, not JSON. Is it a Kubernetes"
        f" API server, or a proxy in between? It said: {_excerpt(response.body)}"
    )


def _described(error: BaseException) -> str:
    return str(error) or type(error).__name__


async def _chunks(duplex: Duplex) -> AsyncIterator[bytes]:
    while chunk := await duplex.read():
        yield chunk


async def _beginning_of(stream: AsyncIterable[bytes]) -> bytes:
    body = b""
    async for chunk in stream:
        body += chunk
        if len(body) >= _LONGEST_ERROR:
            break
    return body


def _not_switched(request: Request, response: Response) -> Exception:
    if not _is_success(response.status):
        return _refusal(request, response)
    return TransportError(
        f"cannot {request.attempt}: the server answered HTTP {response.status} where it should"
        " have switched protocols. Does a proxy on the way let websockets through?"
    )


def _is_success(status: int) -> bool:
    # A redirect is none: it comes from a proxy or a login page, and is not followed, since our
    # token belongs to the server that it was given for.
    return status in _SUCCESS


def _refusal(request: Request, response: Response) -> APIError:
    return api_error(request.attempt, _status_of(response), _retry_after(response))


def _status_of(response: Response) -> Status:
    """Return the Status in the body, or one made up from whatever else a proxy may have sent."""
    if "json" in (response.header("content-type") or ""):
        try:
            status = _json.decode(response.body, Status)
        except DecodeError:
            pass
        else:
            if status.message or status.reason:
                return status if status.code else _coded(status, response.status)
    text = _excerpt(response.body)
    message = f"the server answered HTTP {response.status}" + (f": {text}" if text else "")
    if response.status in _REDIRECT:
        place = (response.header("location") or "")[:_LONGEST_EXCERPT]
        message = (
            f"the server answered HTTP {response.status}, a redirect to {place!r}, which is not"
            " followed. Is it an API server, or a proxy that wants a log-in?"
        )
    return Status(status="Failure", message=message, code=response.status)


def _coded(status: Status, code: int) -> Status:
    return msgspec.structs.replace(status, code=code)


def _excerpt(body: bytes) -> str:
    text = body[: _LONGEST_EXCERPT * 4].decode("utf-8", "replace").strip()
    return text if len(text) <= _LONGEST_EXCERPT else f"{text[:_LONGEST_EXCERPT]}…"


def _retry_after(response: Response) -> float | None:
    value = response.header("retry-after")
    return float(value) if value and value.isascii() and value.isdigit() else None


class _Options(msgspec.Struct, rename="camel"):
    dry_run: list[str] | None = None


def _is_dry_run(request: Request) -> bool:
    _, _, query = request.target.partition("?")
    if "dryRun=" in query:
        return any(part.startswith("dryRun=") for part in query.split("&"))
    # A deletion says it in its body.
    if request.method != "DELETE" or b'"dryRun"' not in request.body:
        return False
    return bool(_json.decode(request.body, _Options).dry_run)


def _with_previous(failure: Exception, previous: Exception | None) -> Exception:
    if previous is not None:
        failure.add_note(f"error from a previous attempt: {previous}")
    return failure
