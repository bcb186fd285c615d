"""The HTTP server as it stands in front of the API server."""

from kubewright._aio import Clock
from kubewright._serve import server
from kubewright._serve.limits import Limits
from kubewright._serve.messages import Handler
from kubewright._serve.tls import ServerTLS
from kubewright.apiserver.wire.http.refusals import StatusRefusals


class HTTPServer(server.HTTPServer):
    """Serves an API server on a socket; what it refuses by itself, it refuses as Kubernetes does.

    The arguments are those of the server that it is.
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
