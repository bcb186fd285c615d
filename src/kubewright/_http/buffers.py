"""Where bytes arrive: one buffer for all connections of a thread, since they take turns."""

import threading
from mmap import ACCESS_COPY, mmap

_SIZE = 256 * 1024  # bytes: as many as asyncio reads from a socket at once


class Buffers(threading.local):
    """The buffers of this thread.

    Whoever is given one has parsed or copied all that is in it before anybody else gets it. Of a
    mapping, only what is used takes memory; it is private, as a process that is forked has it, too.

    Attributes:
        encrypted: For what TLS is to decrypt.
        plain: For what is to be parsed.
    """

    def __init__(self) -> None:
        self.encrypted: memoryview = memoryview(mmap(-1, _SIZE, access=ACCESS_COPY))
        self.plain: memoryview = memoryview(mmap(-1, _SIZE, access=ACCESS_COPY))


BUFFERS: Buffers = Buffers()
