"""Asks one webhook about one write."""

from typing import TYPE_CHECKING
from uuid import uuid4

from kubewright.apiserver.admission import review
from kubewright.apiserver.admission.attributes import Attributes, GroupVersionKind, Objects
from kubewright.apiserver.admission.conditions import ConditionError, all_met
from kubewright.apiserver.admission.configuration import (
    Webhook,
)
from kubewright.apiserver.admission.expression import values
from kubewright.apiserver.admission.plugin import PluginContext
from kubewright.apiserver.admission.review import Verdict
from kubewright.apiserver.admission.rules import Match
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.field import quoted
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.webhook.asking import settle
from kubewright.log import Logger, get_logger

if TYPE_CHECKING:
    pass

log: Logger = get_logger(__name__)


class WebhookFailureError(Exception):
    """A webhook failed, which its failure policy may let pass."""


class Caller:
    """Asks one webhook about one write."""

    def __init__(self, context: PluginContext) -> None:
        self.objects: Objects = context.objects
        self._reader = context.reader
        self._client = context.client
        self._authorizer = context.authorizer

    async def find(self, hook: Webhook, attributes: Attributes) -> Match | None:
        """Return how *hook* wants to see the write, or ``None`` if it does not."""
        match = hook.criteria.find(attributes, self._reader, self.objects)
        if match is None or not hook.conditions:
            return match
        obj, old = await self.converted(attributes, match.kind)
        asked = review.request(attributes, match, uid="", obj=obj, old=old)
        seen = values(asked, attributes, self._authorizer)
        try:
            met = await settle(lambda: all_met(hook.conditions, seen, tolerated=hook.tolerated))
        except ConditionError as error:
            raise attributes.forbidden(str(error)) from error
        return match if met else None

    async def converted(
        self, attributes: Attributes, kind: GroupVersionKind
    ) -> tuple[Obj | None, Obj | None]:
        """Return the objects of the write in the version of *kind*."""
        obj, old = attributes.object, attributes.old_object
        if kind == attributes.kind:
            return obj, old
        return (
            obj and await self.objects.convert(obj, kind),
            old and await self.objects.convert(old, kind),
        )

    async def ask(
        self, hook: Webhook, match: Match, attributes: Attributes, *, mutating: bool
    ) -> tuple[Verdict, Obj | None]:
        """Call *hook*, and return its verdict with the object that it was shown.

        Raises:
            StatusError: It refused, or may not be called.
            WebhookFailureError: It failed.
        """
        if attributes.dry_run and not hook.dry:
            said = f"admission webhook {quoted(hook.name)} does not support dry run"
            raise status.bad_request(said)
        version = next((one for one in hook.versions if one in review.VERSIONS), None)
        if version is None:
            raise failed(
                hook,
                "could not create admission objects: webhook does not accept known"
                " AdmissionReview versions (v1, v1beta1)",
            )
        uid = str(uuid4())
        obj, old = await self.converted(attributes, match.kind)
        asked = review.request(attributes, match, uid=uid, obj=obj, old=old)
        answer = await self._call(hook, review.review(version, asked), version)
        try:
            found = review.verdict(answer, version=version, uid=uid, mutating=mutating)
        except ValueError as error:
            raise failed(hook, f"received invalid webhook response: {error}") from error
        for key, value in found.annotations.items():
            attributes.annotations[f"{hook.name}/{key}"] = value
        for warning in found.warnings:
            attributes.warn(warning)
        if not found.allowed:
            raise review.refusal(hook.name, found.result)
        return found, obj

    async def _call(self, hook: Webhook, body: Obj, version: str) -> Obj:
        from kubewright.apiserver.admission.webhook_client import WebhookError

        try:
            answer = await self._client().call(hook.client_config, body, timeout=hook.timeout)
            review.check_decodable(answer, version)
        except (WebhookError, ValueError) as error:
            raise failed(hook, f"failed to call webhook: {error}") from error
        return answer


def failed(hook: Webhook, reason: str) -> WebhookFailureError:
    """Return the error that says how *hook* failed."""
    return WebhookFailureError(f"failed calling webhook {quoted(hook.name)}: {reason}")


def tolerate(hook: Webhook, error: WebhookFailureError) -> None:
    """Let a failure pass if the webhook's policy says so."""
    if not hook.tolerated:
        raise status.internal_error(str(error)) from error
    log.warning("webhook failed and is ignored", name=hook.name, error=str(error))
