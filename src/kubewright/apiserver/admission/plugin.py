"""What an admission plugin is, and what plugins are made with."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from msgspec import Struct, field

from kubewright._aio import Clock
from kubewright.apiserver.admission.attributes import Attributes, Objects
from kubewright.apiserver.authorization.attributes import AlwaysAllow, Authorizer
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj, Reader

if TYPE_CHECKING:
    from kubewright.apiserver.admission.webhook_client import WebhookClient

FindKind = Callable[[str, str], tuple[GroupResource, bool] | None]
"""Returns the resource of an apiVersion and kind, and whether its objects live in namespaces."""


Charged = tuple[GroupResource, Obj]
"""An object to store in the same step as a write, and where."""


class PluginContext(Struct):
    """What the server gives its plugins; each takes what it needs.

    Attributes:
        reader: What is stored, the configurations of webhooks and policies among it.
        objects: Converts, patches and merges objects.
        client: Returns the client for webhooks; called only when there is a webhook to call.
        authorizer: Answers what expressions ask about rights; allows everything by default.
        find_kind: Finds the resource of a policy's parameters; without it no kind is found.
        clock: Where time comes from.
    """

    reader: Reader
    objects: Objects
    client: "Callable[[], WebhookClient]"
    authorizer: Authorizer = field(default_factory=AlwaysAllow)
    find_kind: FindKind | None = None
    clock: Clock = field(default_factory=Clock)


class AdmissionPlugin:
    """One check in the admission chain; a plugin overrides the phases that it takes part in.

    The chain (`admission.chain.PLUGINS`) says for which writes a plugin is called and in which
    phases. A phase that has to wait returns an awaitable; most do not.
    """

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._reader = context.reader

    def admit(self, attributes: Attributes) -> Awaitable[None] | None:
        """Change ``attributes.object``, before it is validated.

        Called again after a webhook or policy has changed the object, so a second call must only
        complete what the first one did.

        Raises:
            StatusError: The write is refused.
        """

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Check the object as it will be stored; it has passed the validation of its kind.

        Raises:
            StatusError: The write is refused.
        """

    def charge(self, attributes: Attributes) -> list[Charged]:
        """Return what to store in the same step as the write, such as charged quotas.

        Called right before the write; nothing may wait in between.

        Raises:
            StatusError: The write is refused.
        """
        return []
