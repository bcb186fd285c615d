"""`Routes`: answers what API servers post, by path; a handler for any server or for none."""

import asyncio
import inspect
from collections.abc import Awaitable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from kubewright._aio import Clock
from kubewright._serve.messages import Answer, Request, Response
from kubewright.api.times import parse_duration
from kubewright.log import get_logger
from kubewright.webhook.admission import Admission, RawAdmission, as_refusal
from kubewright.webhook.instruments import IN_FLIGHT, LATENCY, PANICS, REQUESTS
from kubewright.webhook.review import (
    AdmissionResponse,
    ReviewError,
    read_review,
    write_review,
)
from kubewright.webhook.serving import BODY_LIMIT
from kubewright.webhook.token_reviews import ReviewHandler
from kubewright.webhook.webhooks import CONVERT

if TYPE_CHECKING:
    from kubewright.cluster import Cluster

__all__ = ["Converter", "Routes"]

_log = get_logger(__name__)

TEXT: str = "text/plain; charset=utf-8"
_LONGEST = 30.0
_MARGIN = 0.1  # of the time that the server waits, so that our answer comes before it gives up
_LARGEST_MARGIN = 1.0


class Converter(Protocol):
    """Answers ConversionReviews."""

    async def review(self, body: bytes) -> bytes:
        """Answer the review in *body*.

        Raises:
            ReviewError: It cannot be answered.
        """
        ...


class Routes:
    """The webhooks of an operator, by path.

    It is called by an HTTPS server, or by an API server in the same process.

    Args:
        admissions: The defaulters, validators and raw handlers.
        reviews: The webhooks for authentication and authorization.
        converter: Converts between versions, if there is anything to convert.
        cluster: What the functions read from.
        clock: Measures deadlines.
    """

    def __init__(
        self,
        admissions: Iterable[Admission | RawAdmission] = (),
        *,
        reviews: Iterable[ReviewHandler] = (),
        converter: Converter | None = None,
        cluster: "Cluster | None" = None,
        clock: Clock | None = None,
    ) -> None:
        self._cluster = cluster
        self._clock = clock or (cluster.clock if cluster is not None else Clock())
        self._served: dict[str, _Served] = {}
        for admission in admissions:
            self._add(_ServedAdmission(admission, cluster))
        for review in reviews:
            self._add(_ServedReview(review, cluster))
        if converter is not None:
            self._add(_ServedConverter(converter))

    def _add(self, served: "_Served") -> None:
        if served.path in self._served:
            raise ValueError(
                f"two webhooks are served at {served.path}: give one of them another path"
            )
        self._served[served.path] = served
        IN_FLIGHT.labels(served.path)
        PANICS.labels()
        for status in ("200", "500"):
            REQUESTS.labels(served.path, status)

    @property
    def paths(self) -> list[str]:
        """Where webhooks are served."""
        return sorted(self._served)

    @property
    def limits(self) -> dict[str, int]:
        """How many bytes a review may have, by path."""
        return {path: served.limit for path, served in self._served.items()}

    async def handle(self, request: Request) -> Answer:
        """Answer *request*; never raises."""
        served = self._served.get(request.path)
        if served is None:
            known = ", ".join(self.paths) or "none"
            return Response(
                404, f"no webhook at {request.path:.200}; there are: {known}\n".encode(), TEXT
            )
        started = self._clock.monotonic()
        flying = IN_FLIGHT.labels(served.path)
        flying.inc()
        try:
            answer = await self._answer(served, request)
        finally:
            flying.dec()
            LATENCY.labels(served.path).observe(self._clock.monotonic() - started)
        REQUESTS.labels(served.path, str(answer.status)).inc()
        return answer

    async def _answer(self, served: "_Served", request: Request) -> Response:
        refused = _refusal(request, served.limit)
        if refused is not None:
            return refused
        limit = self._clock.timeout(_deadline(request.query))
        try:
            found = served.answer(request.body)
            if inspect.isawaitable(found):
                async with limit:
                    found = await found
        except ReviewError as error:
            return _bad(400, str(error))
        except asyncio.CancelledError as error:
            if _is_cancelled():
                raise
            why = _noted(error, served, request.body, expired=False)
        except Exception as error:  # noqa: BLE001  # the user's code may fail in any way
            why = _noted(error, served, request.body, expired=limit.expired)
        else:
            return Response(200, found)
        return served.failed(request.body, why)


class _Served(Protocol):
    path: str
    limit: int

    def answer(self, body: bytes) -> "bytes | Awaitable[bytes]": ...

    def about(self, body: bytes) -> dict[str, str]:
        """Return what the log says of a review that failed, by field."""
        ...

    def failed(self, body: bytes, why: str) -> Response: ...


class _ServedAdmission:
    """An admission webhook at its path."""

    limit: int = BODY_LIMIT

    def __init__(self, admission: Admission | RawAdmission, cluster: "Cluster | None") -> None:
        self.path: str = admission.path
        self._admission = admission
        self._cluster = cluster

    def answer(self, body: bytes) -> "bytes | Awaitable[bytes]":
        version, request = read_review(body)
        try:
            found = self._admission.answer(request, self._cluster)
        except ReviewError as error:
            return write_review(version, request.uid, as_refusal(error))
        if isinstance(found, AdmissionResponse):
            return write_review(version, request.uid, found)
        return self._answer_later(version, request.uid, found)

    async def _answer_later(
        self, version: str, uid: str, found: Awaitable[AdmissionResponse]
    ) -> bytes:
        return write_review(version, uid, await found)

    def about(self, body: bytes) -> dict[str, str]:
        _, request = read_review(body)
        return {
            "kind": request.kind.kind,
            "key": f"{request.namespace}/{request.name}" if request.namespace else request.name,
            "operation": request.operation.lower(),
            "user": request.user_info.username,
        }

    def failed(self, body: bytes, why: str) -> Response:
        """Refuse; or let the server do what it does when there is no answer, if it shall ignore."""
        said = f"the webhook {self._admission.webhook.name} {why}"
        if self._admission.webhook.failure_policy == "Ignore":
            return _bad(500, said)
        version, request = read_review(body)
        refused = AdmissionResponse.refused(said, code=500, reason="InternalError")
        return Response(200, write_review(version, request.uid, refused))


class _ServedReview:
    """A webhook for authentication or authorization at its path."""

    def __init__(self, review: ReviewHandler, cluster: "Cluster | None") -> None:
        self.path: str = review.path
        self.limit: int = review.limit
        self._review = review
        self._cluster = cluster

    def answer(self, body: bytes) -> "bytes | Awaitable[bytes]":
        return self._review.answer(body, self._cluster)

    def about(self, body: bytes) -> dict[str, str]:
        return {}

    def failed(self, body: bytes, why: str) -> Response:
        return _bad(500, f"the webhook at {self.path} {why}")


class _ServedConverter:
    """The conversion of all kinds."""

    path: str = CONVERT
    limit: int = 256 << 20  # a list of many objects comes in one review

    def __init__(self, converter: Converter) -> None:
        self._converter = converter

    def answer(self, body: bytes) -> "Awaitable[bytes]":
        return self._converter.review(body)

    def about(self, body: bytes) -> dict[str, str]:
        return {}

    def failed(self, body: bytes, why: str) -> Response:
        return _bad(500, f"the conversion {why}")


def _refusal(request: Request, limit: int) -> Response | None:
    """Return the answer to what cannot be a review; ``None`` if it may be one."""
    if request.method != "POST":
        allow = (("Allow", "POST"),)
        return Response(405, b"a webhook is called by POST\n", TEXT, allow)
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/json":
        return _bad(400, f"contentType={media or 'none'}, expected application/json")
    if not request.body:
        return _bad(400, "the request has no body: post a review")
    if len(request.body) > limit:
        return _bad(413, f"the review has {len(request.body)} bytes; at most {limit} are read")
    return None


def _bad(code: int, text: str) -> Response:
    return Response(code, f"{text}\n".encode(), TEXT)


def _is_cancelled() -> bool:
    """Tell whether this task is to end; if not, the user's code awaited one that was cancelled."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _noted(error: BaseException, served: _Served, body: bytes, *, expired: bool) -> str:
    """Log *error*; return it for somebody who must not see our code: no traceback, no paths."""
    about = {"path": served.path, **served.about(body)}
    if expired:  # the traceback says where it hangs
        _log.warning("webhook did not answer in time", exc_info=error, **about)
        return "did not answer in time; its log says which function hangs"
    PANICS.labels().inc()
    _log.exception("webhook failed", **about)
    return f"failed: {type(error).__name__}; its log says why"


@lru_cache(maxsize=64)  # there are few, and each is read again and again
def _deadline(query: str) -> float:
    """Return the seconds that a function may take: less than the server waits."""
    waits = _LONGEST
    for part in query.split("&"):
        name, _, value = part.partition("=")
        if name == "timeout" and value:
            try:
                waits = min(_LONGEST, parse_duration(value).total_seconds())
            except ValueError:
                continue
    return max(0.0, waits - min(_LARGEST_MARGIN, waits * _MARGIN))
