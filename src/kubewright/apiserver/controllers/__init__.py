"""What keeps a cluster tidy beside the API: owned objects, namespaces, their accounts."""

from typing import TYPE_CHECKING

from kubewright.apiserver.controllers.accounts import AccountController
from kubewright.apiserver.controllers.garbage import GarbageCollector
from kubewright.apiserver.controllers.namespaces import NamespaceController
from kubewright.apiserver.controllers.protection import ProtectionController
from kubewright.apiserver.controllers.quotas import QuotaController
from kubewright.apiserver.controllers.tokens import TokenController
from kubewright.apiserver.controllers.worker import Worker

if TYPE_CHECKING:
    from kubewright.apiserver.server import APIServer


class Controllers:
    """All of them, started and stopped together."""

    def __init__(self, server: "APIServer") -> None:
        controllers = (
            GarbageCollector(server),
            NamespaceController(server),
            ProtectionController(server),
            AccountController(server),
            TokenController(server),
            QuotaController(server),
        )
        self._workers = [Worker(controller, clock=server.clock) for controller in controllers]

    async def start(self) -> None:
        """Begin to watch and work."""
        for worker in self._workers:
            worker.start()

    async def stop(self) -> None:
        """Stop, and wait until all is still."""
        for worker in self._workers:
            await worker.stop()
