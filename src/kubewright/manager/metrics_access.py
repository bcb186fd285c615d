"""`MetricsAccess`: lets only those read a page whom the API server knows and allows to.

It asks with TokenReview and SubjectAccessReview, as controller-runtime does, and keeps the answers
for the same times. Whenever it cannot be sure, the page is not shown.
"""

import asyncio
import hashlib
import re
import secrets
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from kubewright._aio import Clock
from kubewright._serve.messages import Answer, Handler, Request, Response
from kubewright.kinds.authentication.v1 import TokenReview, TokenReviewSpec, UserInfo
from kubewright.kinds.authorization.v1 import (
    NonResourceAttributes,
    SubjectAccessReview,
    SubjectAccessReviewSpec,
)
from kubewright.log import get_logger
from kubewright.log.sparing import Sparing
from kubewright.manager.answers import Answers
from kubewright.manager.health import TEXT

if TYPE_CHECKING:
    from kubewright.client.client import Client

__all__ = ["MetricsAccess"]

_log = get_logger(__name__)

_PATH = "/metrics"
_KNOWN_FOR = 60.0
_UNKNOWN_FOR = 10.0
"""Shorter, since a server may know a new token a moment later, and its own troubles pass."""
_ALLOWED_FOR, _DENIED_FOR = 300.0, 30.0
_ANSWER_WITHIN = 10.0
_AT_ONCE = 8
"""Reviews under way: whoever sends made-up tokens must not use up the operator's requests."""
_BEARER = re.compile(r"bearer +([A-Za-z0-9._~+/-]+=*)", re.IGNORECASE)
_LONGEST_TOKEN = 64 * 1024

_UNAUTHORIZED = Response(
    401,
    b"401 unauthorized: send the token of a service account, as in 'Authorization: Bearer ...'\n",
    TEXT,
    (("WWW-Authenticate", "Bearer"),),
)
_BROKEN = Response(500, b"500 internal server error\n", TEXT)


class _Decision(NamedTuple):
    allowed: bool


class MetricsAccess:
    """Stands before *pages*, and passes on only requests of callers who may see them; a `Handler`.

    A caller needs a bearer token, and the right to the verb of its method, such as ``get``, on the
    nonResourceURL ``/metrics``, whatever path of the port it asks for.

    Args:
        pages: What is guarded.
        client: Creates the reviews; its user needs the right to.
        clock: Measures how long an answer may take and is good for.

    Example:
        guarded = MetricsAccess(Pages({"metrics": metrics_page}), client, clock=clock)
    """

    def __init__(self, pages: Handler, client: "Client", *, clock: Clock) -> None:
        self._pages = pages
        self._client = client
        self._clock = clock
        self._secret = secrets.token_bytes(32)
        self._users = Answers[UserInfo | None](
            clock, keep_for=lambda user: _KNOWN_FOR if user else _UNKNOWN_FOR
        )
        self._decisions = Answers[_Decision](
            clock, keep_for=lambda one: _ALLOWED_FOR if one.allowed else _DENIED_FOR
        )
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._failures = Sparing(clock, most=1)

    async def handle(self, request: Request) -> Answer:
        """Answer *request*: 401, 403 or 500 if the caller may not see more."""
        token = _token_of(request)
        if token is None:
            return _UNAUTHORIZED
        try:
            user = await self._find_user(token)
            if user is None:
                return _UNAUTHORIZED
            verb = request.method.lower()
            if not await self._is_allowed(user, verb):
                return _forbidden(user, verb)
        except Exception as error:  # noqa: BLE001  # whatever it is, the page stays closed
            self._tell(error, token)
            return _BROKEN
        return await self._pages.handle(request)

    async def _find_user(self, token: str) -> UserInfo | None:
        async def ask() -> UserInfo | None:
            review = TokenReview(spec=TokenReviewSpec(token=token))
            async with self._turns:
                status = (await self._client.create(review)).status
            user = status.user if status.authenticated else None
            return user if user and user.username else None  # without a name there are no rights

        async with self._clock.timeout(_ANSWER_WITHIN):
            return await self._users.get(self._digest(token.encode()), ask)

    async def _is_allowed(self, user: UserInfo, verb: str) -> bool:
        spec = SubjectAccessReviewSpec(
            user=user.username, uid=user.uid, groups=user.groups, extra=user.extra,
            non_resource_attributes=NonResourceAttributes(path=_PATH, verb=verb),
        )  # fmt: skip

        async def ask() -> _Decision:
            async with self._turns:
                status = (await self._client.create(SubjectAccessReview(spec=spec))).status
            return _Decision(status.allowed and not status.denied)

        async with self._clock.timeout(_ANSWER_WITHIN):
            return (await self._decisions.get(self._digest(msgspec.json.encode(spec)), ask)).allowed

    def _digest(self, text: bytes) -> bytes:
        """Return a key that says nothing of *text*, also to whoever reads our memory."""
        return hashlib.blake2b(text, key=self._secret, digest_size=32).digest()

    def _tell(self, error: Exception, token: str) -> None:
        fields = self._failures.admit()
        if fields is None:
            return
        text = f"{type(error).__name__}: {error}".replace(token, "[token]")
        _log.error(
            "cannot check who asks for the metrics, and so shows them to nobody",
            error=text,
            hint="the operator must be allowed to create tokenreviews.authentication.k8s.io and"
            " subjectaccessreviews.authorization.k8s.io, and reach the API server",
            **fields,
        )


def _token_of(request: Request) -> str | None:
    found = _BEARER.fullmatch(request.headers.get("authorization", "").strip())
    return found[1] if found and len(found[1]) <= _LONGEST_TOKEN else None


def _forbidden(user: UserInfo, verb: str) -> Response:
    said = f"403 forbidden: {user.username} may not {verb} the nonResourceURL {_PATH}\n"
    return Response(403, said.encode(), TEXT)
