"""Requests as values: what to ask a server, built and checked without any I/O."""

import msgspec

from kubewright.errors import Attempt


class Request(msgspec.Struct, frozen=True, gc=False):
    """One HTTP request to an API server, ready to be sent by any transport."""

    method: str
    target: str  # path and query, percent-encoded
    attempt: Attempt
    body: bytes = b""
    content_type: str = ""
    accept: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
