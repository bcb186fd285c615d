"""The API server on a socket: HTTP/1.1, with or without TLS."""

from kubewright._aio import Clock
from kubewright._serve import server
from kubewright._serve.limits import Limits
from kubewright._serve.messages import Handler, Response
from kubewright._serve.refusals import Refusals
from kubewright._serve.tls import ServerTLS
from kubewright.apiserver.meta import status
from kubewright.apiserver.wire import problem

__all__ = ["HTTPServer", "Limits", "ServerTLS", "StatusRefusals"]


class StatusRefusals(Refusals):
    """What the HTTP server answers by itself, as a ``Status`` in the words of Kubernetes.

    Only a request that cannot be read at all is answered in plain text.
    """

    def too_large(self, limit: int) -> Response:
        """Say that the body is above *limit*."""
        return problem.response(status.too_large(limit))

    def too_many_connections(self) -> Response:
        """Say that the server has as many clients as it takes; Go's client tries again later."""
        refusal = problem.response(
            status.service_unavailable("too many connections, try again later")
        )
        refusal.headers = (("Retry-After", "1"),)
        return refusal

    def failed(self, error: Exception) -> Response:
        """Say that the handler failed: the client learns the kind of error, the log the rest."""
        return problem.response(status.internal_error(type(error).__name__))


class HTTPServer(server.HTTPServer):
    """Serves an API server on a socket, and refuses by itself as Kubernetes does.

    The arguments are those of its parent.
    """

    def __init__(
        self,
        handler: Handler,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        tls: ServerTLS | None = None,
        clock: Clock | None = None,
        limits: Limits = Limits(),  # noqa: B008  # frozen
    ) -> None:
        super().__init__(
            handler,
            host=host,
            port=port,
            tls=tls,
            clock=clock,
            limits=limits,
            refusals=StatusRefusals(),
        )
