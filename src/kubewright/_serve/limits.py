"""How much a client may send, and how long it may take."""

from collections.abc import Mapping

import msgspec

BODY_LIMIT: int = 3 * 1024 * 1024
"""kube-apiserver's limit for request bodies."""


class Limits(msgspec.Struct, frozen=True):
    """Bounds that keep slow and broken clients from doing harm. Times are seconds.

    Attributes:
        body: Bytes of a request's body.
        bodies: The same for paths where it is another number.
        held: Bytes of all unanswered requests together. Beyond it, the request that has been
            arriving for longest is refused.
        head: Bytes of the request line and headers; Go's limit.
        connections: How many clients may be connected; at most three quarters of the file
            descriptors that the process may have.
        handshakes: How many of them may be in their TLS handshake. The oldest is closed first.
        gives_way: Whether the oldest idle client is closed when one too many connects. Idle clients
            must not lock out others where an answer is vital, as for liveness probes.
        pipeline: How many requests of one client may wait while one is answered.
        head_timeout: From the first byte of a request, or the connection, to the end of its head.
        body_timeout: From there to the end of its body.
        idle_timeout: Between two requests; longer than clients keep connections, so that clients
            close first.
        stall_timeout: How long a client may read nothing of what we send.
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
    bodies: Mapping[str, int] = {}
