"""Controllers inside of the server: garbage, namespaces, accounts, tokens, quotas, definitions."""

from kubewright.apiserver.authentication.serviceaccount import ServiceAccountTokens
from kubewright.apiserver.backend import Backend
from kubewright.apiserver.controllers.accounts import AccountController
from kubewright.apiserver.controllers.garbage import GarbageCollector
from kubewright.apiserver.controllers.loopback import Handle
from kubewright.apiserver.controllers.namespaces import NamespaceController
from kubewright.apiserver.controllers.protection import ProtectionController
from kubewright.apiserver.controllers.quotas import QuotaController
from kubewright.apiserver.controllers.tokens import TokenController
from kubewright.apiserver.controllers.worker import Worker


class Controllers:
    """All of them, started and stopped together."""

    def __init__(self, backend: Backend, handle: Handle, accounts: ServiceAccountTokens) -> None:
        controllers = (
            GarbageCollector(backend, handle),
            NamespaceController(backend, handle),
            ProtectionController(backend, handle),
            AccountController(backend, handle),
            TokenController(backend, handle, accounts),
            QuotaController(backend),
        )
        self._workers = [Worker(controller, clock=backend.clock) for controller in controllers]

    async def start(self) -> None:
        """Begin to watch and work."""
        for worker in self._workers:
            worker.start()

    async def stop(self) -> None:
        """Stop, and wait until all of them have ended."""
        for worker in self._workers:
            await worker.stop()
