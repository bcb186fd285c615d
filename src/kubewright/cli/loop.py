"""Which event loop commands run on."""

import asyncio
import os

__all__ = ["loop_factory"]

_STANDARD_ERROR = 2


def loop_factory() -> type[asyncio.AbstractEventLoop] | None:
    """Return uvloop's loop where it is installed; it halves the cost of a request."""
    try:
        import uvloop
    except ImportError:
        return None
    _fill_standard_streams()
    factory: type[asyncio.AbstractEventLoop] = uvloop.Loop
    return factory


def _fill_standard_streams() -> None:
    """Put /dev/null where a supervisor closed standard input, output or error.

    The next file or socket would get its number, and libuv aborts the process on closing that.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        os.set_inheritable(number, True)
    os.close(number)
