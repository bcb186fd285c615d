"""Lets the mutating webhooks change the object of a write, one after the other."""

from typing import Any

import msgspec

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.configuration import (
    MUTATING,
    ConfigurationCache,
    Webhook,
    webhooks_of,
)
from kubewright.apiserver.admission.plugin import AdmissionPlugin, PluginContext
from kubewright.apiserver.admission.review import Verdict
from kubewright.apiserver.admission.rules import Match, is_exempt
from kubewright.apiserver.admission.webhooks import Caller, WebhookFailureError, failed, tolerate
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.field import quoted
from kubewright.apiserver.registry.strategy import Obj


class MutatingAdmissionWebhook(AdmissionPlugin):
    """Asks the mutating webhooks, one after the other, and some of them twice."""

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._caller = Caller(context)
        self._hooks = ConfigurationCache(context.reader, MUTATING, webhooks_of)

    async def admit(self, attributes: Attributes) -> None:
        """Let the webhooks change the object; in the second round, those that want to see it.

        Raises:
            StatusError: One of them refused, or failed.
        """
        if is_exempt(attributes):
            return
        turn = attributes.begin_turn(type(self).__name__)
        again = attributes.reinvocation
        assert again is not None
        for hook in self._hooks.get():
            if again.skips(turn, hook.key):
                continue
            match = await self._caller.find(hook, attributes)
            if match is None:
                continue
            if await self._apply(hook, match, attributes):
                again.note_change(turn)
            if hook.reinvoked:
                turn.add(hook.key)
        turn.output = attributes.object

    async def _apply(self, hook: Webhook, match: Match, attributes: Attributes) -> bool:
        """Call *hook* and do what it says; return whether the object has changed."""
        try:
            verdict, shown = await self._caller.ask(hook, match, attributes, mutating=True)
            operations = _operations(hook, verdict)
        except WebhookFailureError as error:
            tolerate(hook, error)
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
        raise failed(hook, f"unsupported patch type {quoted(verdict.patch_type)}")
    try:
        found = msgspec.json.decode(verdict.patch)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        cut = "truncated" in str(error)
        said = "unexpected end of JSON input" if cut else str(error)
        raise failed(hook, f"received undecodable patch in webhook response: {said}") from error
    if found is None:  # what Go encodes for no operations; Knative's library sends it
        return []
    if not isinstance(found, list):
        said = "json: cannot unmarshal object into Go value of type jsonpatch.Patch"
        raise failed(hook, f"received undecodable patch in webhook response: {said}")
    return found
