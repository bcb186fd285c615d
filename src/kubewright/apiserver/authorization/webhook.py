"""Asks a webhook what users may do, where the authorizer before it does not allow it."""

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from kubewright._aio import Clock
from kubewright.apiserver.admission.webhook_client import WebhookError
from kubewright.apiserver.authentication.user import MASTERS, UserInfo
from kubewright.apiserver.authorization.attributes import (
    AccessAttributes,
    Authorizer,
    Decision,
    Rule,
)
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.webhook.asking import recall
from kubewright.apiserver.webhook.cache import ExpiringCache
from kubewright.apiserver.webhook.options import AuthorizationWebhook
from kubewright.log import Logger, get_logger
from kubewright.log.sparing import Sparing

if TYPE_CHECKING:
    from kubewright.apiserver.webhook.client import ReviewClient

log: Logger = get_logger(__name__)

_GROUP = "authorization.k8s.io"
_KIND = "SubjectAccessReview"
_KEPT = 8192
_LONGEST_KEPT = 10_000  # characters: users choose names and paths, and must not fill the memory
_BOTH = "webhook subject access review returned both allow and deny response"
_NO_RULES = "webhook authorizer does not support user rule resolution"


class _Status(Struct):
    allowed: bool | None = None
    denied: bool | None = None
    reason: str | None = None


class _Review(Struct):
    """What is read of an answer; Go takes null for what is absent."""

    kind: str
    apiVersion: str  # noqa: N815  # as in the document
    status: _Status | None = None


class WebhookAuthorizer:
    """Decides as *first* does, and asks a webhook about what *first* does not allow.

    It must be called by `settle`, which asks the webhook.

    Args:
        first: Who is asked before, such as RBAC.
        client: Posts to the webhook.
        options: How it is asked.
        clock: How long answers are remembered.
    """

    knows_all_rules: bool = False

    def __init__(
        self,
        first: Authorizer,
        client: "ReviewClient",
        *,
        options: AuthorizationWebhook,
        clock: Clock,
    ) -> None:
        self._first = first
        self._client = client
        self._options = options
        self._answers: ExpiringCache[Decision] = ExpiringCache(_KEPT, clock)
        self._failures = Sparing(clock)

    def authorize(self, attributes: AccessAttributes) -> Decision:
        """Decide about one request.

        Raises:
            UnansweredError: The webhook must be asked first.
        """
        before = self._first.authorize(attributes)
        if before.allowed or before.denied or MASTERS in attributes.user.groups:
            return before
        spec = _spec(attributes, self._options.version)
        key = msgspec.json.encode(spec)
        kept = _length(attributes) < _LONGEST_KEPT
        answer = self._answers.find(key) or recall(
            (_KIND, key), lambda: self._ask(spec, key, kept=kept)
        )
        return _joined(before, answer)

    def rules_for(self, user: UserInfo, namespace: str) -> tuple[list[Rule], list[str]]:
        """Return the rules that are known; a webhook cannot list what it allows."""
        rules, errors = self._first.rules_for(user, namespace)
        return rules, [*errors, _NO_RULES]

    async def _ask(self, spec: Obj, key: bytes, *, kept: bool) -> Decision:
        version = f"{_GROUP}/{self._options.version}"
        review = {"kind": _KIND, "apiVersion": version, "metadata": {}, "spec": spec}
        try:
            answer = await self._client.post({**review, "status": {"allowed": False}})
            found = _decision(answer, version)
        except WebhookError as error:
            if (dropped := self._failures.admit()) is not None:
                log.warning("authorization webhook failed", error=str(error), **dropped)
            return Decision(allowed=False, error=str(error))
        if kept:
            options = self._options
            seconds = options.authorized_ttl if found.allowed else options.unauthorized_ttl
            self._answers.put(key, found, seconds=seconds)
        return found


def _joined(before: Decision, answer: Decision) -> Decision:
    """Return the decision of both; where nobody has decided, all reasons count."""
    if answer.allowed or answer.denied:
        return answer
    reason = "\n".join(filter(None, (before.reason, answer.reason)))
    return Decision(allowed=False, reason=reason, error=answer.error)


def _decision(answer: Obj, version: str) -> Decision:
    try:
        review = msgspec.convert(answer, _Review)
    except msgspec.ValidationError as error:
        raise WebhookError(f"the webhook answered no {_KIND}: {error}") from None
    if (review.kind, review.apiVersion) != (_KIND, version):
        said = f"{review.apiVersion} {review.kind}"
        raise WebhookError(f"the webhook answered a {said} instead of a {version} {_KIND}")
    found = review.status or _Status()
    allowed, denied = bool(found.allowed), bool(found.denied)
    both = _BOTH if allowed and denied else ""
    return Decision(allowed and not denied, found.reason or "", both, denied)


def _spec(attributes: AccessAttributes, version: str) -> Obj:
    user = attributes.user
    if attributes.is_resource:
        names = ("namespace", "verb", "group", "version", "resource", "subresource", "name")
        asked = {"resourceAttributes": _given(attributes, *names)}
    else:
        asked = {"nonResourceAttributes": _given(attributes, "path", "verb")}
    groups = "group" if version == "v1beta1" else "groups"
    subject: Obj = {
        "user": user.name,
        groups: list(user.groups),
        "extra": {key: list(values) for key, values in user.extra.items()},
        "uid": user.uid,
    }
    return {**asked, **{key: value for key, value in subject.items() if value}}


def _given(attributes: AccessAttributes, *names: str) -> Obj:
    return {name: value for name in names if (value := getattr(attributes, name))}


def _length(asked: AccessAttributes) -> int:
    parts = (asked.namespace, asked.verb, asked.group, asked.version, asked.resource)
    return sum(map(len, (*parts, asked.subresource, asked.name, asked.path)))
