"""`KubeletServer`: the port at which a kube-apiserver finds the containers of a node."""

import asyncio
import ipaddress
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from kubewright._aio import Clock
from kubewright._pki.keypair import KeyPair
from kubewright._serve.messages import Answer, Request, Response
from kubewright._serve.server import HTTPServer
from kubewright._serve.tls import ServerTLS
from kubewright.embedded.kubelet.handler import KubeletHandler
from kubewright.embedded.node.access import ContainerAccess
from kubewright.errors import ConfigError, LifecycleError
from kubewright.runnable import Stage

Obj = dict[str, Any]

_GRACE = 1.0  # seconds that requests have to finish; logs that are followed never do


class KubeletServer:
    """Serves the containers of a node over HTTPS, while it runs.

    A kube-apiserver finds it where the status of its Node says: at the address ``InternalIP`` and
    the port ``daemonEndpoints.kubeletEndpoint.Port``. Whoever can connect can run any command. So
    either *client_ca* says which certificates are accepted, or it listens on loopback only.

    Args:
        access: The containers of the node.
        host: The address to listen on.
        port: The port; 0 for any that is free.
        pair: The certificate to show, with its key; made for *host* unless given.
        client_ca: The authority of the kube-apiserver's client certificate, in PEM.
        pods: Lists the pods of the node for ``/pods``, as trees.
        clock: Where time-outs come from.

    Raises:
        ConfigError: The address is not a loopback address, and there is no *client_ca*.

    Example:
        server = KubeletServer(node, client_ca=ca_pem)
        await server.start()
        print(server.port)
    """

    stage: ClassVar[Stage] = Stage.SERVERS
    """When a manager starts it: first of all."""

    def __init__(  # noqa: PLR0913  # each by keyword, with a default
        self,
        access: ContainerAccess,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        pair: KeyPair | None = None,
        client_ca: bytes | None = None,
        pods: Callable[[], Iterable[Obj]] | None = None,
        clock: Clock | None = None,
    ) -> None:
        if client_ca is None and not _is_loopback(host):
            raise ConfigError(
                f"cannot serve a kubelet on {host}: everybody could run commands in its"
                " containers. Give the client_ca of the kube-apiserver, or listen on 127.0.0.1."
            )
        self._clock = clock or Clock()
        self._handler = KubeletHandler(access, clock=self._clock)
        self._pods = pods
        self._host = host
        self._port = port
        self._pair = pair
        self._client_ca = client_ca
        self._front: HTTPServer | None = None
        self._listens = asyncio.Event()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        if self._front is None:
            raise LifecycleError("the kubelet does not listen: start it first")
        return self._front.address[1]

    @property
    def url(self) -> str:
        """Where it can be reached on this machine."""
        if self._front is None:
            raise LifecycleError("the kubelet does not listen: start it first")
        return self._front.url

    async def start(self) -> None:
        """Listen.

        Raises:
            ConfigError: The address is taken, or does not belong to this machine.
        """
        if self._front is not None:
            raise LifecycleError("the kubelet listens already")
        front = HTTPServer(
            self, host=self._host, port=self._port, tls=self._tls(), clock=self._clock
        )
        self._front = await front.start()
        self._listens.set()

    async def stop(self) -> None:
        """Take no more requests, and end those under way."""
        front, self._front = self._front, None
        if front is not None:
            await front.stop(_GRACE)

    async def run(self) -> None:
        """Serve until cancelled; start first, unless `start` was called."""
        if self._front is None:
            await self.start()
        try:
            await asyncio.Event().wait()
        finally:
            await self.stop()

    async def wait_ready(self) -> None:
        """Return once it listens."""
        await self._listens.wait()

    async def handle(self, request: Request) -> Answer:
        """Answer *request*, if it comes from the kube-apiserver."""
        if self._client_ca is not None and request.certificate is None:
            return Response(401, b"Unauthorized", "text/plain; charset=utf-8")
        return await self._handler.handle(request, self._pods() if self._pods is not None else ())

    def _tls(self) -> ServerTLS:
        pair = self._pair
        if pair is None:
            from kubewright._pki.authority import Authority

            pair = self._pair = Authority("kubewright-kubelet-ca").serving(self._host, "localhost")
        return ServerTLS(pair.certificate, pair.key, self._client_ca)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
