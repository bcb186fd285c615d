"""What the front answers by itself, without asking the handler."""

import msgspec

from kubewright.apiserver import status
from kubewright.apiserver.request import Response
from kubewright.apiserver.status import StatusError

_TEXT = "text/plain; charset=utf-8"


def response_of(error: StatusError) -> Response:
    """Return the answer that tells a client of *error*."""
    return Response(error.code, msgspec.json.encode(error.status))


def too_large(limit: int) -> Response:
    """The body is above *limit*."""
    return response_of(status.too_large(limit))


def too_many_connections() -> Response:
    """The server has as many clients as it takes; Go's client comes again if told when."""
    refusal = response_of(status.service_unavailable("too many connections, try again later"))
    refusal.headers = (("Retry-After", "1"),)
    return refusal


def failed(error: Exception) -> Response:
    """The handler broke; the client learns the kind of error, the log learns the rest."""
    return response_of(status.internal_error(type(error).__name__))


def malformed(code: int = 400, what: str = "Bad Request") -> Response:
    """The request cannot be read. In plain text: who sent it may not even speak to Kubernetes."""
    return Response(code, f"{code} {what}".encode(), _TEXT)
