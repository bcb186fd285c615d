"""Requests to the API server and its answers: the messages of the HTTP server below it.

The HTTP front makes a `Request` of what it reads from a socket, the in-process transport makes one
of what a client wants to send, and tests make their own. `APIServer.handle` answers each with one
of the three kinds of `Answer`.
"""

from kubewright._serve.messages import (
    JSON,
    Answer,
    Duplex,
    Handler,
    Headers,
    Request,
    Response,
    Stream,
    Upgrade,
)

__all__ = [
    "JSON",
    "Answer",
    "Duplex",
    "Handler",
    "Headers",
    "Request",
    "Response",
    "Stream",
    "Upgrade",
]
