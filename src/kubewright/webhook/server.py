"""`WebhookServer`: serves webhooks over HTTPS, on every replica, leader or not."""

import asyncio
import errno
import ssl
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from kubewright._aio import Clock
from kubewright._pki.server_context import as_file
from kubewright._serve.everywhere import listen_everywhere
from kubewright._serve.limits import Limits
from kubewright._serve.messages import Handler
from kubewright._serve.server import HTTPServer
from kubewright.errors import ConfigError, LifecycleError
from kubewright.log import get_logger
from kubewright.runnable import Problem, Stage
from kubewright.webhook.certificates.source import CertificateSource
from kubewright.webhook.serving import BODY_LIMIT, PORT

__all__ = ["WebhookServer", "check_authorities"]

_log = get_logger(__name__)

GRACE: float = 60.0
_ABOUT_PORT = {errno.EADDRINUSE, errno.EACCES}
_LIMITS = Limits(body=BODY_LIMIT, held=512 << 20, connections=1024, gives_way=True)


class _Loaded:
    """TLS with a context that somebody else keeps up to date."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context

    def context(self) -> ssl.SSLContext:
        return self._context


class WebhookServer:
    """A runnable that serves *handler*, usually `Routes`, over HTTPS.

    Args:
        handler: Answers the requests.
        certificate: The serving certificate.
        bodies: How many bytes a request may have, by path; elsewhere it is 7 MB.
        host: The address to listen on; empty for all.
        port: The port; 0 for any free one.
        client_ca: PEM of the authority that must have signed the certificate of each client.
        drain: Seconds for which the server goes on to answer after it was told to stop, since the
            API server learns only later that it must not come any more.
        grace: Seconds that requests in flight then get.
        clock: Measures time.

    Raises:
        ConfigError: There is no certificate in *client_ca*.
    """

    stage: Stage = Stage.SERVERS

    def __init__(  # noqa: PLR0913  # each by keyword, most with a default
        self,
        handler: Handler,
        *,
        certificate: CertificateSource,
        bodies: Mapping[str, int] | None = None,
        host: str = "",
        port: int = PORT,
        client_ca: bytes | None = None,
        drain: float = 0.0,
        grace: float = GRACE,
        clock: Clock | None = None,
    ) -> None:
        self._handler = handler
        self._certificate = certificate
        self._limits = replace(_LIMITS, bodies=dict(bodies or {}))
        self._host = host
        self._port = port
        self._client_ca = client_ca
        if client_ca is not None:  # now, and not when it is too late to say so
            check_authorities(client_ca)
        self._drain = drain
        self._grace = grace
        self._clock = clock or Clock()
        self._server: HTTPServer | None = None
        self._ready = asyncio.Event()

    @property
    def url(self) -> str:
        """The address for clients on this machine.

        Raises:
            LifecycleError: It does not listen.
        """
        if self._server is None:
            raise LifecycleError("the webhook server does not listen: run it first")
        return self._server.url

    @property
    def listens(self) -> bool:
        """Whether it can be called now."""
        return self._server is not None

    async def run(self) -> None:
        """Serve until cancelled, and then until requests in flight are answered.

        Raises:
            ConfigError: There is no certificate, or the port is taken.
        """
        try:
            context = await self._certificate.load()
            if self._client_ca is not None:
                _demand_certificates(context, self._client_ca)
            self._server = await self._listen(context)
            _log.info("webhook server listens", url=self._server.url)
            self._ready.set()
            await self._certificate.keep()
            await asyncio.Event().wait()  # a certificate that needs no care
        finally:
            self._ready.set()
            await self._stop()

    async def _listen(self, context: ssl.SSLContext) -> HTTPServer:
        def made(host: str) -> HTTPServer:
            return HTTPServer(
                self._handler,
                host=host,
                port=self._port,
                tls=_Loaded(context),
                clock=self._clock,
                limits=self._limits,
            )

        try:
            return await listen_everywhere(made, self._host)
        except ConfigError as error:
            cause = error.__cause__
            taken = isinstance(cause, OSError) and cause.errno in _ABOUT_PORT
            raise ConfigError(f"webhook_{'port' if taken else 'host'}: {error}") from cause

    async def _stop(self) -> None:
        server = self._server
        if server is None:
            return
        grace = self._grace
        try:
            if self._drain:
                server.drain()
                await self._clock.sleep(self._drain)
        except asyncio.CancelledError:
            grace = 0.0  # somebody's patience has ended
            raise
        finally:
            self._server = None
            await server.stop(grace)

    async def wait_ready(self) -> None:
        """Return once it listens, or once that is known to be impossible."""
        await self._ready.wait()

    def health(self) -> Iterator[Problem]:
        """Return why it cannot be called now."""
        if self._server is None:
            why = self._certificate.problem() or "no certificate"
            yield Problem("webhook", f"the webhook server does not listen yet: {why}")
        elif problem := self._certificate.problem():
            yield Problem("webhook", problem)


def check_authorities(pem: bytes) -> None:
    """Find out whether *pem* can be the authorities of client certificates.

    Raises:
        ConfigError: There is no certificate in it.
    """
    _demand_certificates(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), pem)


def _demand_certificates(context: ssl.SSLContext, authorities: bytes) -> None:
    """Let *context* talk only to clients with a certificate of one of *authorities*."""
    try:
        with as_file(authorities) as name:  # unlike `cadata`, it may have notes that are not ASCII
            context.load_verify_locations(name)
    except ssl.SSLError as error:
        raise ConfigError(
            f"cannot read the authorities of client certificates: {error}. Give at least one"
            " certificate in PEM."
        ) from error
    context.verify_mode = ssl.CERT_REQUIRED
