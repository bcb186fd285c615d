"""Turns errors into answers."""

import msgspec

from kubewright.apiserver.meta.field import quoted
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.wire.request import Request, Response

_encode = msgspec.json.Encoder().encode

TEXT: str = "text/plain; charset=utf-8"
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
NOT_FOUND: Response = Response(404, b"404 page not found\n", TEXT)


def response(error: StatusError) -> Response:
    """Return the answer that tells a client of *error*."""
    headers: tuple[tuple[str, str], ...] = ()
    seconds = error.details.get("retryAfterSeconds")
    if seconds and isinstance(seconds, int):  # a webhook may have said anything
        headers = (("Retry-After", str(seconds)),)
    return Response(error.code, _encode(error.status), headers=headers)


def failure(request: Request, why: str) -> Response:
    """Return the answer, as plain text, to a request about which nobody could decide."""
    uri = f"{request.path}?{request.query}" if request.query else request.path
    text = f"Internal Server Error: {quoted(uri)}: {why}".translate(_HTML)
    headers = (("X-Content-Type-Options", "nosniff"),)
    return Response(500, f"{text}\n".encode(errors="replace"), TEXT, headers)
