"""Bytes from and to processes, in the event loop."""

import asyncio
import errno
import os
from collections.abc import Callable

__all__ = ["Pump", "write_all"]

MOST: int = 64 * 1024


class Pump:
    """Reads a pipe or a terminal to its end, and passes the data on.

    Args:
        file: What to read; it is closed at its end.
        on_data: Called with each piece, and with no bytes at the end.
    """

    def __init__(self, file: int, on_data: Callable[[bytes], None]) -> None:
        self._file = file
        self._on_data = on_data
        self._open = True
        os.set_blocking(file, False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(file, self._read)

    def pause(self) -> None:
        """Stop reading for now."""
        if self._open:
            self._loop.remove_reader(self._file)

    def resume(self) -> None:
        """Go on reading."""
        if self._open:
            self._loop.add_reader(self._file, self._read)

    def close(self) -> None:
        """Stop reading, and pass on the end, unless that was done."""
        if self._open:
            self._open = False
            self._loop.remove_reader(self._file)
            os.close(self._file)
            self._on_data(b"")

    def drain(self) -> None:
        """Read what is there already, and close."""
        while self._open and self._read():
            pass
        self.close()

    def _read(self) -> bool:
        try:
            data = os.read(self._file, MOST)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno != errno.EIO:  # a terminal whose other end has closed
                raise
            data = b""
        if data:
            self._on_data(data)
            return True
        self.close()
        return False


async def write_all(file: int, data: bytes) -> None:
    """Write *data* to a pipe or a terminal, as fast as it is read there.

    Raises:
        OSError: The other end is closed.
    """
    loop = asyncio.get_running_loop()
    while data:
        try:
            data = data[os.write(file, data) :]
        except BlockingIOError:
            writable = loop.create_future()
            loop.add_writer(file, _set, writable)
            try:
                await writable
            finally:
                loop.remove_writer(file)


def _set(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)
