"""Receive buffers: one for all connections of a thread, since they take turns."""

import threading
from mmap import ACCESS_COPY, mmap

_SIZE = 256 * 1024  # bytes: as many as asyncio reads from a socket at once


class Buffers(threading.local):
    """The buffers of this thread.

    A connection has parsed or copied all of a buffer before another connection gets it. Only the
    used pages of a mapping take memory; it is private, so that a forked process has its own.

    Attributes:
        encrypted: For bytes that TLS decrypts.
        plain: For bytes that are parsed.
    """

    def __init__(self) -> None:
        self.encrypted: memoryview = memoryview(mmap(-1, _SIZE, access=ACCESS_COPY))
        self.plain: memoryview = memoryview(mmap(-1, _SIZE, access=ACCESS_COPY))


BUFFERS: Buffers = Buffers()
