"""HTTP/1.1 on a socket, with or without TLS, in front of any `Handler`.

It knows nothing of what is served. The API server, the pages of a manager and webhooks stand on it.
"""

from kubewright._serve.limits import Limits
from kubewright._serve.messages import Answer, Duplex, Handler, Request, Response, Stream, Upgrade
from kubewright._serve.refusals import Refusals
from kubewright._serve.server import HTTPServer
from kubewright._serve.tls import ServerTLS

__all__ = [
    "Answer",
    "Duplex",
    "HTTPServer",
    "Handler",
    "Limits",
    "Refusals",
    "Request",
    "Response",
    "ServerTLS",
    "Stream",
    "Upgrade",
]
