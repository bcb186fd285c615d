"""The API server on a socket: HTTP/1.1, with or without TLS."""

from kubewright._serve.limits import Limits
from kubewright._serve.tls import ServerTLS
from kubewright.apiserver.wire.http.server import HTTPServer

__all__ = ["HTTPServer", "Limits", "ServerTLS"]
