"""The pages of a manager on their ports: metrics, liveness and readiness."""

import errno
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from kubewright import metrics
from kubewright._aio import Clock
from kubewright._serve.limits import Limits
from kubewright._serve.messages import Answer, Handler, Request, Response
from kubewright.errors import ConfigError
from kubewright.manager.address import BindAddress
from kubewright.manager.health import TEXT

if TYPE_CHECKING:
    from kubewright._serve.server import HTTPServer

Page = Callable[[Request], Response]

_LIMITS = Limits(body=64 * 1024, connections=256, gives_way=True)
_READS = frozenset({"GET", "HEAD"})
_GRACE = 1.0
# Every address is, on Linux, one IPv6 socket that IPv4 clients reach, too. A machine without IPv6
# refuses it in one of these ways, and is asked for IPv4 then.
_NO_IPV6 = {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EINVAL}


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


class PageServers:
    """Serves pages at addresses, from `start` until the stack that it was given is left."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._wanted: dict[str, tuple[BindAddress, dict[str, Page]]] = {}
        self._servers: dict[str, HTTPServer] = {}

    def add(self, name: str, address: BindAddress | None, pages: Mapping[str, Page]) -> None:
        """Serve *pages* at *address*, if there is one; with others that have the same address."""
        if address is None:
            return
        for wanted, shared in self._wanted.values():
            if wanted == address and address.port:  # two free ports are two ports
                shared.update(pages)
                self._wanted[name] = (wanted, shared)
                return
        self._wanted[name] = (address, dict(pages))

    def url(self, name: str) -> str | None:
        """Return the address of the pages called *name*; ``None`` if they are not served."""
        server = self._servers.get(name)
        return server.url if server else None

    async def start(
        self, stack: AsyncExitStack, front: "Callable[[Pages], Handler] | None" = None
    ) -> None:
        """Open all ports; *stack* closes them.

        Args:
            stack: What is left when they shall be closed.
            front: Puts something before the pages.

        Raises:
            ConfigError: An address is taken or not ours.
        """
        listening: dict[int, HTTPServer] = {}
        for name, (address, pages) in self._wanted.items():
            server = listening.get(id(pages))
            if server is None:
                handler = Pages(pages)
                server = await self._listen(name, address, front(handler) if front else handler)
                stack.push_async_callback(self._stop, server)
                listening[id(pages)] = server
            self._servers[name] = server

    async def _stop(self, server: "HTTPServer") -> None:
        self._servers = {name: other for name, other in self._servers.items() if other != server}
        await server.stop(_GRACE)

    async def _listen(self, name: str, address: BindAddress, handler: Handler) -> "HTTPServer":
        try:
            return await self._listen_on(address.host or "::", address.port, handler)
        except ConfigError as error:
            cause = error.__cause__
            if not address.host and isinstance(cause, OSError) and cause.errno in _NO_IPV6:
                return await self._listen_on("0.0.0.0", address.port, handler)  # noqa: S104  # asked for
            raise ConfigError(f"{name}: {error}") from cause

    async def _listen_on(self, host: str, port: int, handler: Handler) -> "HTTPServer":
        from kubewright._serve.server import HTTPServer

        server = HTTPServer(handler, host=host, port=port, clock=self._clock, limits=_LIMITS)
        return await server.start()
