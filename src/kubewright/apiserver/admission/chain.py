"""The admission chain, as the pipeline uses it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from kubewright.apiserver.admission.attributes import Attributes, Objects
from kubewright.apiserver.admission.lifecycle import NamespaceLifecycle
from kubewright.apiserver.admission.policies import FindKind, ValidatingPolicies
from kubewright.apiserver.admission.webhooks import Caller, MutatingWebhooks, ValidatingWebhooks
from kubewright.apiserver.authorization.attributes import AlwaysAllow, Authorizer
from kubewright.apiserver.strategy import Reader

if TYPE_CHECKING:
    from kubewright.apiserver.admission.call import WebhookClient


class Admission:
    """All that must agree before an object is stored.

    Args:
        reader: What is stored, the configurations of webhooks among it.
        objects: How objects are converted, patched and put in order.
        client: Returns what calls webhooks; asked only when there is one to call.
        authorizer: Answers what expressions ask about rights; everything is allowed by default.
        find_kind: Finds the resource of a kind, for the parameters of policies.
    """

    def __init__(
        self,
        reader: Reader,
        objects: Objects,
        client: "Callable[[], WebhookClient]",
        *,
        authorizer: Authorizer | None = None,
        find_kind: FindKind | None = None,
    ) -> None:
        authorizer = authorizer or AlwaysAllow()
        caller = Caller(reader, objects, client, authorizer=authorizer)
        self._lifecycle = NamespaceLifecycle(reader)
        self._mutating = MutatingWebhooks(caller)
        self._policies = ValidatingPolicies(
            reader, objects, authorizer=authorizer, find_kind=find_kind
        )
        self._validating = ValidatingWebhooks(caller)

    async def mutate(self, attributes: Attributes) -> None:
        """Check the namespace, and let webhooks change ``attributes.object``.

        Raises:
            StatusError: The write is refused.
        """
        self._lifecycle.check(attributes)
        await self._mutating.mutate(attributes)

    async def validate(self, attributes: Attributes) -> None:
        """Ask policies and webhooks about the object as it would be stored.

        Raises:
            StatusError: The write is refused.
        """
        await self._policies.validate(attributes)
        await self._validating.validate(attributes)
