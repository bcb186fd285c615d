"""`Reach`: how an API server, and the service proxy, reach the containers of all nodes."""

from typing import TYPE_CHECKING

from kubewright._aio import Clock
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.wire.request import Answer
from kubewright.embedded.node.access import AccessError, ContainerAccess, PodConnection

if TYPE_CHECKING:
    from kubewright.apiserver.backend import Call
    from kubewright.embedded.kubelet import Kubelets

__all__ = ["Reach"]

_NOT_FOUND = 404


class Reach:
    """Passes requests for a container to the node that runs it; the ``node=`` of an `APIServer`.

    The code for kubectl's protocols is loaded with the first request: few clusters in tests need
    it.

    Args:
        clock: Where time comes from, for time-outs.
    """

    def __init__(self, *, clock: Clock) -> None:
        self._nodes: dict[str, ContainerAccess] = {}
        self._clock = clock
        self._kubelets: Kubelets | None = None

    def add(self, node: str, access: ContainerAccess) -> None:
        """Add *node* and how to reach its containers; call it before the first request."""
        self._nodes[node] = access

    async def answer(self, call: "Call", pod: Obj) -> Answer:
        """Answer a request to a subresource of *pod*."""
        if self._kubelets is None:
            from kubewright.embedded.kubelet import Kubelets

            self._kubelets = Kubelets(clock=self._clock)
            for name, access in self._nodes.items():
                self._kubelets.add(name, access)
        return await self._kubelets.answer(call, pod)

    async def connect(self, namespace: str, pod: str, port: int) -> PodConnection:
        """Connect to a port of a pod.

        Raises:
            AccessError: No node has such a pod, or nothing listens there.
        """
        for access in self._nodes.values():
            try:
                return await access.connect(namespace, pod, port)
            except AccessError as error:
                if error.code != _NOT_FOUND:
                    raise
        raise AccessError(_NOT_FOUND, f'pod "{namespace}/{pod}" not found')
