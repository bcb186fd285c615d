"""How much, and how long, the front lets a client have."""

import msgspec

BODY_LIMIT: int = 3 * 1024 * 1024
"""kube-apiserver's limit for what clients send."""


class Limits(msgspec.Struct, frozen=True):
    """Bounds that keep slow and broken clients from doing harm. Times are seconds.

    Attributes:
        body: Bytes of a request's body.
        held: Bytes of all requests that are not answered yet, whoever sent them. Beyond it, the one
            that has been coming in for longest is refused.
        head: Bytes of a request's line and headers; Go's limit.
        connections: How many clients at once; never more than three quarters of the descriptors
            that the process may have.
        handshakes: How many of them may be at their TLS handshake. The oldest gives way.
        gives_way: Whether the oldest client that asks for nothing gives way to one too many. Where
            an answer decides on life and death, idle clients must not keep others from it.
        pipeline: How many requests of one client may wait while one is answered.
        head_timeout: From the first byte of a request, or the connection, to the end of its head.
        body_timeout: From there to the end of its body.
        idle_timeout: Between two requests; longer than clients keep connections, so that they are
            the ones who close.
        stall_timeout: How long a client may take nothing of what we send.
    """

    body: int = BODY_LIMIT
    held: int = 256 * 1024 * 1024
    head: int = 1024 * 1024
    connections: int = 10_000
    handshakes: int = 1000
    gives_way: bool = False
    pipeline: int = 64
    head_timeout: float = 32.0
    body_timeout: float = 60.0
    idle_timeout: float = 120.0
    stall_timeout: float = 60.0
