"""Asks the validating webhooks about a write, all at once."""

import asyncio
from typing import Any

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.configuration import (
    VALIDATING,
    ConfigurationCache,
    Webhook,
    webhooks_of,
)
from kubewright.apiserver.admission.plugin import AdmissionPlugin, PluginContext
from kubewright.apiserver.admission.rules import Match, is_exempt
from kubewright.apiserver.admission.webhooks import Caller, WebhookFailureError, tolerate


class ValidatingAdmissionWebhook(AdmissionPlugin):
    """Asks the validating webhooks, all at once."""

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._caller = Caller(context)
        self._hooks = ConfigurationCache(context.reader, VALIDATING, webhooks_of)

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
            await _wait_for_all(calls)

    async def _ask(self, hook: Webhook, match: Match, attributes: Attributes) -> None:
        try:
            await self._caller.ask(hook, match, attributes, mutating=False)
        except WebhookFailureError as error:
            tolerate(hook, error)


async def _wait_for_all(calls: list[Any]) -> None:
    """Wait for every call, and raise the first error in the order of the webhooks."""
    for result in await asyncio.gather(*calls, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result
