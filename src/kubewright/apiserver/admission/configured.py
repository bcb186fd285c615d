"""The part of the chain that users configure: webhooks and policies."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from kubewright.apiserver.admission.attributes import Attributes, Objects
from kubewright.apiserver.admission.plugins.mutatingadmissionpolicy import MutatingPolicies
from kubewright.apiserver.admission.plugins.validatingadmissionpolicy import (
    FindKind,
    ValidatingPolicies,
)
from kubewright.apiserver.admission.webhooks import Caller, MutatingWebhooks, ValidatingWebhooks
from kubewright.apiserver.authorization.attributes import Authorizer
from kubewright.apiserver.registry.strategy import Reader

if TYPE_CHECKING:
    from kubewright.apiserver.admission.webhook_client import WebhookClient


class ConfiguredAdmission:
    """Asks the webhooks and policies that are stored; see `chain.Admission` for the arguments."""

    def __init__(
        self,
        reader: Reader,
        objects: Objects,
        client: "Callable[[], WebhookClient]",
        *,
        authorizer: Authorizer,
        find_kind: FindKind | None = None,
    ) -> None:
        caller = Caller(reader, objects, client, authorizer=authorizer)
        self._mutating = MutatingWebhooks(caller)
        self._mutating_policies = MutatingPolicies(
            reader, objects, authorizer=authorizer, find_kind=find_kind
        )
        self._policies = ValidatingPolicies(
            reader, objects, authorizer=authorizer, find_kind=find_kind
        )
        self._validating = ValidatingWebhooks(caller)

    async def mutate(self, attributes: Attributes) -> None:
        """Let policies and webhooks change ``attributes.object``, and look at it again.

        Raises:
            StatusError: The write is refused.
        """
        policies = self._mutating_policies
        first = await policies.mutate(attributes)
        await self._mutating.mutate(attributes, lambda: policies.mutate(attributes, first))

    async def validate(self, attributes: Attributes) -> None:
        """Ask policies and webhooks about the object as it would be stored.

        Raises:
            StatusError: The write is refused.
        """
        await self._policies.validate(attributes)
        await self._validating.validate(attributes)
