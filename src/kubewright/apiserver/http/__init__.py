"""The API server on a socket: HTTP/1.1, with or without TLS, in front of any `Handler`."""

from kubewright.apiserver.http.limits import Limits
from kubewright.apiserver.http.server import HTTPServer
from kubewright.apiserver.http.tls import ServerTLS

__all__ = ["HTTPServer", "Limits", "ServerTLS"]
