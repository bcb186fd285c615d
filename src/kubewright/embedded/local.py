"""An API server at an address of this machine, with TLS and its own certificate authority."""

import socket
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

from kubewright._aio import Clock
from kubewright._pki.certificate_files import prepare_certificates
from kubewright._pki.files import PathLike, named_path
from kubewright._pki.keypair import KeyPair
from kubewright.apiserver.serving import Authorities, Serving
from kubewright.apiserver.wire.http import HTTPServer, Limits, ServerTLS
from kubewright.apiserver.wire.request import Answer, Request
from kubewright.errors import LifecycleError

if TYPE_CHECKING:
    from kubewright._pki.certificate_files import Certificates

__all__ = ["LocalServer", "Served"]

NAMES: tuple[str, ...] = (
    "127.0.0.1", "::1", "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
)  # fmt: skip


class Served(Protocol):
    """What can be served: an `APIServer`."""

    async def start(self) -> None:
        """Begin to work."""
        ...

    async def stop(self) -> None:
        """End all work."""
        ...

    async def handle(self, request: Request) -> Answer:
        """Answer *request*."""
        ...


S_co = TypeVar("S_co", bound=Served, covariant=True)
S = TypeVar("S", bound=Served)


class MakeServed(Protocol[S_co]):
    """Makes what is served, such as `APIServer` itself or a partial of it."""

    def __call__(self, *, serving: Serving) -> S_co:
        """Return it, not started yet; *serving* knows its address and its certificates."""
        ...


class LocalServer(Generic[S]):
    """Starts an API server and serves it over HTTPS, from `start` to `stop`.

    Args:
        make: Makes the API server, such as ``APIServer`` or ``partial(APIServer, rbac=False)``.
        host: The address to listen on.
        port: The port; 0 for any that is free.
        folder: Where certificates are kept; without one, each start makes new ones.
        clock: Where time-outs come from.
        limits: What clients may have.
        publish: Whether ConfigMaps in ``kube-system`` say how clients are known, which aggregated
            API servers read.
    """

    def __init__(  # noqa: PLR0913  # each by keyword, with a default
        self,
        make: MakeServed[S],
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        folder: PathLike | None = None,
        clock: Clock | None = None,
        limits: Limits = Limits(),  # noqa: B008  # frozen
        publish: bool = True,
    ) -> None:
        self._publish = publish
        self._host = host
        self._port = port
        self._folder: Path | None = named_path("folder", folder)
        self._clock = clock
        self._limits = limits
        self._certificates: Certificates | None = None
        self._front: HTTPServer | None = None
        self.api: S = make(serving=self)

    @property
    def url(self) -> str:
        """The address for clients on this machine."""
        if self._front is None:
            raise LifecycleError("the server does not run: start it first")
        return self._front.url

    @property
    def ca_data(self) -> bytes:
        """The certificate of the authority that signs server and client certificates, in PEM."""
        return self._known.authority.certificate

    def client_pair(self, user: str, groups: tuple[str, ...] = ()) -> KeyPair:
        """Return a client certificate for *user* in *groups*, with its key."""
        return self._known.authority.client(user, groups)

    # What the API server asks for.

    def find_url(self) -> str | None:
        """Return the address for clients; ``None`` while nothing listens."""
        return self._front.url if self._front is not None else None

    def find_front_proxy(self) -> KeyPair | None:
        """Return the certificate with which the server speaks for users to aggregated servers."""
        return self._known.front_proxy.client("front-proxy-client")

    def find_authorities(self) -> Authorities | None:
        """Return whom the server trusts, for others to read."""
        if not self._publish:
            return None
        authority, front_proxy = self._known.authority, self._known.front_proxy
        return Authorities(authority.certificate.decode(), front_proxy.certificate.decode())

    # Life.

    async def start(self) -> Self:
        """Start the API server, then listen.

        Raises:
            ConfigError: The address is taken, or a folder cannot be used; nothing runs then.
        """
        if self._front is not None:
            raise LifecycleError("cannot start the server: it runs already")
        try:
            front = await self._start_front()
        except BaseException:
            await self.api.stop()  # it may hold files already
            raise
        self._front = front
        return self

    async def stop(self, grace: float = 10.0) -> None:
        """Accept no more requests, finish those under way within *grace* seconds, and stop."""
        front, self._front = self._front, None
        if front is None:
            return
        try:
            await front.stop(grace)
        finally:
            await self.api.stop()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    @property
    def _known(self) -> "Certificates":
        if self._certificates is None:
            raise LifecycleError("the server has no certificates yet: start it first")
        return self._certificates

    async def _start_front(self) -> HTTPServer:
        tls = self._tls()
        await self.api.start()
        front = HTTPServer(
            self.api,
            host=self._host,
            port=self._port,
            tls=tls,
            clock=self._clock,
            limits=self._limits,
        )
        return await front.start()

    def _tls(self) -> ServerTLS:
        made = self._certificates = prepare_certificates(self._folder, self._hosts())
        serving = made.serving
        return ServerTLS(serving.certificate, serving.key, made.authority.certificate)

    def _hosts(self) -> tuple[str, ...]:
        everywhere = self._host in {"0.0.0.0", "::"}  # noqa: S104  # what a user may have asked for
        own = socket.gethostname() if everywhere else self._host
        return tuple(dict.fromkeys((*NAMES, own)))
