"""Asks a webhook whose token one is that this server does not know."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from kubewright._aio import Clock
from kubewright.apiserver.admission.webhook_client import WebhookError
from kubewright.apiserver.authentication.serviceaccount import Verified
from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.webhook.asking import recall
from kubewright.apiserver.webhook.cache import ExpiringCache
from kubewright.apiserver.webhook.options import AuthenticationWebhook
from kubewright.log import Logger, get_logger
from kubewright.log.sparing import Sparing

if TYPE_CHECKING:
    from kubewright.apiserver.webhook.client import ReviewClient

log: Logger = get_logger(__name__)

_GROUP = "authentication.k8s.io"
_KIND = "TokenReview"
_KEPT = 4096


class TokenAnswer(Struct, frozen=True):
    """What the webhook said about a token.

    Attributes:
        verified: Whose it is; ``None`` if it is not valid.
        error: Why nothing could be found out, or what is wrong with the token.
    """

    verified: Verified | None = None
    error: str = ""


class _User(Struct):
    username: str | None = None
    uid: str | None = None
    groups: list[str] | None = None
    extra: dict[str, list[str] | None] | None = None


class _Status(Struct):
    authenticated: bool | None = None
    user: _User | None = None
    audiences: list[str] | None = None
    error: str | None = None


class _Review(Struct):
    """What is read of an answer; Go takes null for what is absent."""

    kind: str
    apiVersion: str  # noqa: N815  # as in the document
    status: _Status | None = None


class WebhookTokens:
    """Knows tokens by asking a webhook.

    It must be called by `settle`, which asks the webhook.

    Args:
        client: Posts to the webhook.
        options: How it is asked.
        clock: How long answers are remembered.
    """

    def __init__(
        self, client: "ReviewClient", *, options: AuthenticationWebhook, clock: Clock
    ) -> None:
        self._client = client
        self._options = options
        self._answers: ExpiringCache[TokenAnswer] = ExpiringCache(_KEPT, clock)
        self._failures = Sparing(clock)

    def verify(
        self, token: str, audiences: Sequence[str], *, own: Sequence[str] = ()
    ) -> TokenAnswer:
        """Return what the webhook says about *token*.

        Args:
            token: Of the request.
            audiences: For which it must be good.
            own: The audiences of a token for which the webhook names none.

        Raises:
            UnansweredError: The webhook must be asked first.
        """
        # Tokens are not kept, so that they are not in a dump of the memory.
        key = (sha256(token.encode("utf-8", "surrogateescape")).digest(), tuple(audiences))
        return self._answers.find(key) or recall(
            (_KIND, key), lambda: self._ask(token, key, own=own)
        )

    async def _ask(
        self, token: str, key: tuple[bytes, tuple[str, ...]], *, own: Sequence[str]
    ) -> TokenAnswer:
        version, audiences = f"{_GROUP}/{self._options.version}", key[1]
        spec: Obj = {"token": token}
        if audiences:
            spec["audiences"] = list(audiences)
        review = {"kind": _KIND, "apiVersion": version, "metadata": {}, "spec": spec}
        try:
            answer = await self._client.post({**review, "status": {"user": {}}})
            found = _answer(answer, version, audiences=audiences, own=own)
        except WebhookError as error:
            if (dropped := self._failures.admit()) is not None:
                log.warning("authentication webhook failed", error=str(error), **dropped)
            return TokenAnswer(error=str(error))
        if not found.error:
            self._answers.put(key, found, seconds=self._options.cache_ttl)
        return found


def _answer(
    answer: Obj, version: str, *, audiences: Sequence[str], own: Sequence[str]
) -> TokenAnswer:
    try:
        review = msgspec.convert(answer, _Review)
    except msgspec.ValidationError as error:
        raise WebhookError(f"the webhook answered no {_KIND}: {error}") from None
    if (review.kind, review.apiVersion) != (_KIND, version):
        said = f"{review.apiVersion} {review.kind}"
        raise WebhookError(f"the webhook answered a {said} instead of a {version} {_KIND}")
    status = review.status or _Status()
    if not status.authenticated:
        return TokenAnswer(error=status.error or "")
    good_for = status.audiences or own
    accepted = tuple(one for one in audiences if one in good_for)
    if audiences and not accepted:
        return TokenAnswer()
    return TokenAnswer(Verified(_user(status.user or _User()), accepted))


def _user(found: _User) -> UserInfo:
    extra = {key: tuple(values or ()) for key, values in (found.extra or {}).items()}
    return UserInfo(found.username or "", found.uid or "", tuple(found.groups or ()), extra)
