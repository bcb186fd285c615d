"""What a node provides to its pods."""

import secrets
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Protocol

from msgspec import Struct

from kubewright._aio import Clock
from kubewright.api.kind import ObjectKey
from kubewright.client import Client
from kubewright.embedded.node.addresses import Addresses
from kubewright.embedded.node.runtime import Runtime
from kubewright.kinds.core.v1 import Pod, Service

__all__ = ["Host", "Report", "new_id"]


class Report(Protocol):
    """Writes an Event about a pod, or about one of its containers."""

    def __call__(
        self, pod: Pod, reason: str, message: str, *, container: str = "", warning: bool = False
    ) -> None:
        """Queue the Event, to be written later."""
        ...


class Host(Struct, frozen=True):
    """What a pod needs from its node.

    Attributes:
        runtime: What runs containers.
        client: Where ConfigMaps, Secrets and tokens are.
        addresses: Where addresses of pods come from.
        address: The address of the node.
        allocatable: The resources of the node.
        clock: Where time comes from.
        spawn: Starts a task that the node waits for.
        wake: Queues a pod for another sync.
        report: Writes an Event.
        services: Returns the services of a namespace.
    """

    runtime: Runtime
    client: Client
    addresses: Addresses
    address: str
    allocatable: dict[str, str]
    clock: Clock
    spawn: Callable[[Coroutine[Any, Any, None]], object]
    wake: Callable[[ObjectKey], None]
    report: Report
    services: Callable[[str], Iterable[Service]]


def new_id() -> str:
    """Return the id of a new container, as container runtimes make them."""
    return secrets.token_hex(32)
