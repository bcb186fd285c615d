"""Turns errors into answers."""

import msgspec

from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.wire.request import Response

_encode = msgspec.json.Encoder().encode

TEXT: str = "text/plain; charset=utf-8"
NOT_FOUND: Response = Response(404, b"404 page not found\n", TEXT)


def response(error: StatusError) -> Response:
    """Return the answer that tells a client of *error*."""
    headers: tuple[tuple[str, str], ...] = ()
    seconds = error.details.get("retryAfterSeconds")
    if seconds and isinstance(seconds, int):  # a webhook may have said anything
        headers = (("Retry-After", str(seconds)),)
    return Response(error.code, _encode(error.status), headers=headers)
