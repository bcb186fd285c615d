"""The pages of a manager on their ports: metrics, liveness and readiness."""

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kubewright import metrics
from kubewright._aio import Clock
from kubewright._serve.limits import Limits
from kubewright._serve.messages import Answer, Handler, Request, Response
from kubewright.errors import ConfigError
from kubewright.manager.address import BindAddress
from kubewright.manager.health import TEXT

if TYPE_CHECKING:
    from kubewright._serve.server import HTTPServer
    from kubewright._serve.tls import ServerTLS

Page = Callable[[Request], Response]

_LIMITS = Limits(body=64 * 1024, connections=256, gives_way=True)
_READS = frozenset({"GET", "HEAD"})
_GRACE = 1.0


class Pages:
    """Answers a path with the page of its first part; a `Handler`."""

    def __init__(self, pages: Mapping[str, Page]) -> None:
        self.pages: dict[str, Page] = dict(pages)

    async def handle(self, request: Request) -> Answer:
        """Answer *request*."""
        page = self.pages.get(request.path.lstrip("/").partition("/")[0])
        if page is None:
            known = ", ".join(f"/{name}" for name in self.pages)
            return Response(404, f"404 page not found; there are: {known}\n".encode(), TEXT)
        if request.method not in _READS:
            allow = (("Allow", "GET, HEAD"),)
            return Response(405, b"405 method not allowed\n", TEXT, allow)
        return page(request)


def metrics_page(request: Request) -> Response:
    """Answer with all metrics of the process."""
    if request.path.rstrip("/") != "/metrics":
        return Response(404, b"404 page not found; there is: /metrics\n", TEXT)
    return Response(200, metrics.exposition(), metrics.CONTENT_TYPE)


@dataclass(frozen=True, slots=True)
class Protection:
    """What is before pages that are not for everybody.

    Attributes:
        certificate: Returns the serving certificate, when the port is opened.
        guard: Puts before the pages what lets only some callers pass.
    """

    certificate: "Callable[[], ServerTLS]"
    guard: Callable[[Handler], Handler]


class Front(Protocol):
    """Puts something before the pages of a port."""

    def __call__(self, pages: Handler, *, private: bool) -> Handler:
        """Return what answers for *pages*; if *private*, not with what another caller got."""
        ...


class _Port:
    """An address, and what is served there."""

    def __init__(
        self, address: BindAddress, pages: Mapping[str, Page], protection: Protection | None
    ) -> None:
        self.address = address
        self.pages = dict(pages)
        self.protection = protection

    def handler(self, front: Front | None) -> Handler:
        """Return what answers here: the pages, the guard before them, and *front* before that."""
        handler: Handler = Pages(self.pages)
        if self.protection is not None:
            handler = self.protection.guard(handler)
        return front(handler, private=self.protection is not None) if front else handler


class PageServers:
    """Serves pages at addresses, from `start` until the stack that it was given is left."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._wanted: dict[str, _Port] = {}
        self._servers: dict[str, HTTPServer] = {}

    def add(
        self,
        name: str,
        address: BindAddress | None,
        pages: Mapping[str, Page],
        *,
        protection: Protection | None = None,
    ) -> None:
        """Serve *pages* at *address*, if there is one; with others that have the same address.

        Raises:
            ConfigError: The pages of that address are protected in another way.
        """
        if address is None:
            return
        for other, port in self._wanted.items():
            if port.address == address and address.port:  # two free ports are two ports
                if port.protection is not protection:
                    raise ConfigError(
                        f"{name}: the port {address.port} is that of {other}. Only one of the two"
                        " asks for a token, and probes have none. Choose another port."
                    )
                port.pages.update(pages)
                self._wanted[name] = port
                return
        self._wanted[name] = _Port(address, pages, protection)

    def url(self, name: str) -> str | None:
        """Return the address of the pages called *name*; ``None`` if they are not served."""
        server = self._servers.get(name)
        return server.url if server else None

    async def start(self, stack: AsyncExitStack, front: Front | None = None) -> None:
        """Open all ports; *stack* closes them.

        Args:
            stack: What is left when they shall be closed.
            front: Puts something before the pages.

        Raises:
            ConfigError: An address is taken or not ours, or a certificate cannot be used.
        """
        listening: dict[_Port, HTTPServer] = {}
        for name, port in self._wanted.items():
            server = listening.get(port)
            if server is None:
                server = await self._listen(name, port, port.handler(front))
                stack.push_async_callback(self._stop, server)
                listening[port] = server
            self._servers[name] = server

    async def _stop(self, server: "HTTPServer") -> None:
        self._servers = {name: other for name, other in self._servers.items() if other != server}
        await server.stop(_GRACE)

    async def _listen(self, name: str, port: _Port, handler: Handler) -> "HTTPServer":
        from kubewright._serve.everywhere import listen_everywhere
        from kubewright._serve.server import HTTPServer

        tls = port.protection.certificate() if port.protection else None

        def made(host: str) -> HTTPServer:
            return HTTPServer(
                handler,
                host=host,
                port=port.address.port,
                tls=tls,
                clock=self._clock,
                limits=_LIMITS,
            )

        try:
            return await listen_everywhere(made, port.address.host)
        except ConfigError as error:
            raise ConfigError(f"{name}: {error}") from error.__cause__
