"""Calls webhooks: the mutating ones in turn, the validating ones at once."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

from kubewright.apiserver.admission import review
from kubewright.apiserver.admission.attributes import Attributes, GroupVersionKind, Objects
from kubewright.apiserver.admission.conditions import ConditionError, all_met
from kubewright.apiserver.admission.configuration import (
    MUTATING,
    VALIDATING,
    Stored,
    Webhook,
    webhooks_of,
)
from kubewright.apiserver.admission.expression import values
from kubewright.apiserver.admission.review import Verdict
from kubewright.apiserver.admission.rules import Match, is_exempt
from kubewright.apiserver.authorization.attributes import Authorizer
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.field import quoted
from kubewright.apiserver.registry.strategy import Obj, Reader
from kubewright.log import Logger, get_logger

if TYPE_CHECKING:
    from kubewright.apiserver.admission.webhook_client import WebhookClient

log: Logger = get_logger(__name__)


class _CallError(Exception):
    """A webhook failed, which its failure policy may let pass."""


class Caller:
    """Asks one webhook about one write."""

    def __init__(
        self,
        reader: Reader,
        objects: Objects,
        client: "Callable[[], WebhookClient]",
        *,
        authorizer: Authorizer,
    ) -> None:
        self.reader = reader
        self.objects = objects
        self._client = client
        self._authorizer = authorizer

    async def find(self, hook: Webhook, attributes: Attributes) -> Match | None:
        """Return how *hook* wants to see the write, or ``None`` if it does not."""
        match = hook.criteria.find(attributes, self.reader, self.objects)
        if match is None or not hook.conditions:
            return match
        obj, old = await self.converted(attributes, match.kind)
        asked = review.request(attributes, match, uid="", obj=obj, old=old)
        seen = values(asked, attributes, self._authorizer)
        try:
            met = all_met(hook.conditions, seen, tolerated=hook.tolerated)
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
            _CallError: It failed.
        """
        if attributes.dry_run and not hook.dry:
            said = f"admission webhook {quoted(hook.name)} does not support dry run"
            raise status.bad_request(said)
        version = next((one for one in hook.versions if one in review.VERSIONS), None)
        if version is None:
            raise _failed(
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
            raise _failed(hook, f"received invalid webhook response: {error}") from error
        for key, value in found.annotations.items():
            attributes.annotations[f"{hook.name}/{key}"] = value
        for warning in found.warnings:
            attributes.warn(warning)
        if not found.allowed:
            raise review.refusal(hook.name, found.result)
        return found, obj

    async def _call(self, hook: Webhook, body: Obj, version: str) -> Obj:
        from kubewright.apiserver.admission.webhook_client import (  # noqa: PLC0415  # ssl, for who needs it
            WebhookError,
        )

        try:
            answer = await self._client().call(hook.client_config, body, timeout=hook.timeout)
            review.check_decodable(answer, version)
        except (WebhookError, ValueError) as error:
            raise _failed(hook, f"failed to call webhook: {error}") from error
        return answer


def _failed(hook: Webhook, reason: str) -> _CallError:
    return _CallError(f"failed calling webhook {quoted(hook.name)}: {reason}")


def _tolerate(hook: Webhook, error: _CallError) -> None:
    """Let a failure pass if the webhook's policy says so."""
    if not hook.tolerated:
        raise status.internal_error(str(error)) from error
    log.warning("webhook failed and is ignored", name=hook.name, error=str(error))


class ValidatingWebhooks:
    """Asks the validating webhooks, all at once."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._hooks = Stored(caller.reader, VALIDATING, webhooks_of)

    async def validate(self, attributes: Attributes) -> None:
        """Ask about a write.

        Raises:
            StatusError: One of them refused, or failed.
        """
        if is_exempt(attributes):
            return
        hooks = self._hooks.get()
        if not hooks:
            return
        found = [(hook, await self._caller.find(hook, attributes)) for hook in hooks]
        calls = [self._ask(hook, match, attributes) for hook, match in found if match is not None]
        if len(calls) == 1:
            await calls[0]
        elif calls:
            await _all(calls)

    async def _ask(self, hook: Webhook, match: Match, attributes: Attributes) -> None:
        try:
            await self._caller.ask(hook, match, attributes, mutating=False)
        except _CallError as error:
            _tolerate(hook, error)


async def _all(calls: list[Any]) -> None:
    """Wait for every call, and raise the first error in the order of the webhooks."""
    for result in await asyncio.gather(*calls, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result


class MutatingWebhooks:
    """Asks the mutating webhooks, one after the other, and some of them twice."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._hooks = Stored(caller.reader, MUTATING, webhooks_of)

    async def mutate(
        self, attributes: Attributes, between: Callable[[], Awaitable[object]] | None = None
    ) -> None:
        """Let the webhooks change the object of a write.

        Args:
            attributes: The write.
            between: Called between the two rounds; what it changes is a reason for the second.

        Raises:
            StatusError: One of them refused, or failed.
        """
        if is_exempt(attributes):
            return
        hooks = self._hooks.get()
        again: set[str] = set()  # those to be called once more, since the object has changed
        called: list[str] = []
        for hook in hooks:
            match = await self._caller.find(hook, attributes)
            if match is None:
                continue
            if await self._apply(hook, match, attributes):
                again.update(called)
            if hook.reinvoked:
                called.append(hook.key)
        if between is not None:
            before = attributes.object
            await between()
            if attributes.object != before:
                again.update(called)
        for hook in hooks if again else ():
            match = await self._caller.find(hook, attributes) if hook.key in again else None
            if match is not None:
                await self._apply(hook, match, attributes)

    async def _apply(self, hook: Webhook, match: Match, attributes: Attributes) -> bool:
        """Call *hook* and do what it says; return whether the object is another one now."""
        try:
            verdict, shown = await self._caller.ask(hook, match, attributes, mutating=True)
            operations = _operations(hook, verdict)
        except _CallError as error:
            _tolerate(hook, error)
            return False
        if not operations:
            return False
        changed = await self._patched(hook, match, attributes, shown=shown, operations=operations)
        if changed == attributes.object:
            return False
        attributes.object = changed
        return True

    async def _patched(
        self,
        hook: Webhook,
        match: Match,
        attributes: Attributes,
        *,
        shown: Obj | None,
        operations: list[Any],
    ) -> Obj:
        if shown is None:
            raise status.internal_error(
                f"admission webhook {quoted(hook.name)} attempted to modify the object, which is"
                " not supported for this operation"
            )
        objects = self._caller.objects
        try:
            changed = objects.patch(shown, operations)
        except ValueError as error:
            raise status.internal_error(str(error)) from error
        changed = objects.normalize(changed, match.kind)
        if match.kind == attributes.kind:
            return changed
        return await objects.convert(changed, attributes.kind)


def _operations(hook: Webhook, verdict: Verdict) -> list[Any]:
    if not verdict.patch:
        return []
    if verdict.patch_type != "JSONPatch":
        raise _failed(hook, f"unsupported patch type {quoted(verdict.patch_type)}")
    try:
        found = msgspec.json.decode(verdict.patch)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        cut = "truncated" in str(error)
        said = "unexpected end of JSON input" if cut else str(error)
        raise _failed(hook, f"received undecodable patch in webhook response: {said}") from error
    if found is None:  # what Go makes of no operations at all, and everybody who uses Knative
        return []
    if not isinstance(found, list):
        said = "json: cannot unmarshal object into Go value of type jsonpatch.Patch"
        raise _failed(hook, f"received undecodable patch in webhook response: {said}")
    return found
