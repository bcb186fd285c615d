"""The admission chain, as the pipeline uses it."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from kubewright.apiserver.admission.attributes import Attributes, Objects
from kubewright.apiserver.admission.plugins.namespacelifecycle import NamespaceLifecycle
from kubewright.apiserver.authorization.attributes import AlwaysAllow, Authorizer
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Reader

if TYPE_CHECKING:
    from kubewright.apiserver.admission.configured import ConfiguredAdmission
    from kubewright.apiserver.admission.plugins.validatingadmissionpolicy import FindKind
    from kubewright.apiserver.admission.webhook_client import WebhookClient

_GROUP = "admissionregistration.k8s.io"
MUTATING: tuple[GroupResource, ...] = (
    GroupResource(_GROUP, "mutatingwebhookconfigurations"),
    GroupResource(_GROUP, "mutatingadmissionpolicies"),
)
VALIDATING: tuple[GroupResource, ...] = (
    GroupResource(_GROUP, "validatingwebhookconfigurations"),
    GroupResource(_GROUP, "validatingadmissionpolicies"),
)


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
        find_kind: "FindKind | None" = None,
    ) -> None:
        self._reader = reader
        self._objects = objects
        self._client = client
        self._authorizer = authorizer or AlwaysAllow()
        self._find_kind = find_kind
        self._lifecycle = NamespaceLifecycle(reader)

    @cached_property
    def _configured(self) -> "ConfiguredAdmission":
        from kubewright.apiserver.admission.configured import (  # noqa: PLC0415  # for who has some
            ConfiguredAdmission,
        )

        return ConfiguredAdmission(
            self._reader,
            self._objects,
            self._client,
            authorizer=self._authorizer,
            find_kind=self._find_kind,
        )

    async def mutate(self, attributes: Attributes) -> None:
        """Check the namespace, and let policies and webhooks change ``attributes.object``.

        Raises:
            StatusError: The write is refused.
        """
        self._lifecycle.check(attributes)
        if any(map(self._reader.revision_of, MUTATING)):
            await self._configured.mutate(attributes)

    async def validate(self, attributes: Attributes) -> None:
        """Ask policies and webhooks about the object as it would be stored.

        Raises:
            StatusError: The write is refused.
        """
        if any(map(self._reader.revision_of, VALIDATING)):
            await self._configured.validate(attributes)
