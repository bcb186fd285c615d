"""TLS on top of a connection, as asyncio has it but lighter.

What arrives goes through one buffer for all connections, and is decrypted right into the buffer of
who reads it. asyncio's own keeps 256 kB for each connection, and a request costs a tenth more.
"""

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from kubewright._http.buffers import BUFFERS

_AT_ONCE = 1 << 18  # bytes that are decrypted at once for who has no buffer of its own


class TLSTransport(asyncio.Transport, asyncio.BufferedProtocol):
    """The protocol of a connection, and the transport of who speaks through it by TLS.

    Only the side of the client; what it has in common with `asyncio.Transport` behaves the same.

    Args:
        transport: The connection; this is its protocol from `start` on.
        protocol: Who speaks through it.
        context: How to make sure of the server.
        server_hostname: Whose certificate to expect.
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        protocol: asyncio.BaseProtocol,
        *,
        context: ssl.SSLContext,
        server_hostname: str | bytes,
    ) -> None:
        super().__init__()
        self.below: asyncio.Transport = transport
        """What the encrypted bytes are written to."""
        self._protocol: Any = None
        self._buffer = BUFFERS.encrypted
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(
            self._incoming, self._outgoing, server_hostname=cast("str", server_hostname)
        )
        self._read: Callable[..., Any] = self._tls.read
        self._unsent: list[bytes | bytearray | memoryview] = []
        self._paused = False
        self._at_end = False
        self._ended = False  # nothing more will be read
        self._closed = False
        self._error: Exception | None = None
        self._shaken: asyncio.Future[None] | None = None
        self._loop = asyncio.get_running_loop()
        self.set_protocol(protocol)

    async def start(self) -> None:
        """Shake hands with the server.

        Raises:
            OSError: The server is not who it should be, speaks no TLS, or is gone.
        """
        self._shaken = self._loop.create_future()
        self.below.set_protocol(self)
        self._shake()
        try:
            await self._shaken
            self._shaken = None
            self._deliver()  # what came with the end of the handshake
            if self._error is not None:
                raise self._error
        finally:
            self._shaken = self._error = None  # an error has us in its traceback: a cycle

    # --- What the connection calls ---

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self._incoming.write(self._buffer[:nbytes])
        if self._shaken is not None:
            self._shake()
        else:
            self._deliver()

    def eof_received(self) -> bool:
        self._at_end = True  # without a good-bye; whether something is missing, the protocol knows
        if self._shaken is not None:
            return self._shaken.done()  # then the next step of `start` is about to see it
        self._deliver()  # it may wait here since the protocol was full
        return not self._closed  # then it ends once all was delivered

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended = self._closed = True
        exc = self._error or exc
        if self._shaken is None:
            protocol, self._protocol = self._protocol, None  # it holds us: a cycle ends here
            protocol.connection_lost(exc)
        elif not self._shaken.done():
            self._shaken.set_exception(exc or ConnectionResetError("the connection was closed"))

    def pause_writing(self) -> None:
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._protocol.resume_writing()

    # --- What the protocol calls ---

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send *data*."""
        if self._unsent:
            self._unsent.append(data)
        elif data and not self._closed:
            try:
                self._tls.write(data)
            except ssl.SSLWantReadError:  # in the middle of a new handshake, before TLS 1.3
                self._unsent.append(data)
            except ssl.SSLError as error:
                self._fail(error)
                return
            self.below.write(self._outgoing.read())

    def abort(self) -> None:
        """Close the connection at once."""
        self.below.abort()

    def close(self) -> None:
        """Say good-bye, and close the connection; for who has nothing left to say."""
        self._closed = True
        with suppress(ssl.SSLError):  # it would like to hear the other side say so, too
            self._tls.unwrap()
        self._flush()
        self.below.close()

    def is_closing(self) -> bool:
        """Say whether it is closed, or about to be."""
        return self._closed or self.below.is_closing()

    def pause_reading(self) -> None:
        """Give nothing to the protocol until `resume_reading`."""
        self._paused = True
        self.below.pause_reading()

    def resume_reading(self) -> None:
        """Read again; what was there already is given to the protocol soon."""
        if self._paused:
            self._paused = False
            self.below.resume_reading()
            self._loop.call_soon(self._deliver)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Let another one speak through it from now on."""
        self._protocol = protocol
        self._is_buffered = isinstance(protocol, asyncio.BufferedProtocol)

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Return who speaks through it."""
        return cast("asyncio.BaseProtocol", self._protocol)

    def get_write_buffer_size(self) -> int:
        """Return how many bytes wait to be sent."""
        return self.below.get_write_buffer_size() + sum(map(len, self._unsent))

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return what is known of the connection, such as its ``ssl_object``."""
        if name == "ssl_object":
            return self._tls
        return self.below.get_extra_info(name, default)

    # --- How it is done ---

    def _shake(self) -> None:
        assert self._shaken is not None
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._flush()
            return
        except ssl.SSLError as error:
            self._error = error
        self._flush()  # in case of an error, the alert that tells the server why
        if self._shaken.done():
            return
        if self._error is None:
            self._shaken.set_result(None)
        else:
            self._shaken.set_exception(self._error)

    def _deliver(self) -> None:
        """Decrypt what is there, and give it to the protocol."""
        more = True
        try:
            while more and not self._paused and not self._ended and not self.is_closing():
                more = self._deliver_buffered() if self._is_buffered else self._deliver_bytes()
        except ssl.SSLError as error:
            self._fail(error)
        else:
            if self._outgoing.pending or self._unsent:
                self._send_on()
            if self._at_end and not self._paused and not self._ended and not self.is_closing():
                self._end()

    def _deliver_buffered(self) -> bool:
        """Fill the buffer of the protocol once; return whether there may be more."""
        protocol, read = self._protocol, self._read
        buffer = protocol.get_buffer(-1)
        size, got, count = len(buffer), 0, 1
        more = True
        try:
            while got < size and count:
                count = read(size - got, buffer[got:])
                got += count
        except ssl.SSLWantReadError:
            more = False
        except ssl.SSLError:
            if got:
                protocol.buffer_updated(got)
            raise
        if got:
            protocol.buffer_updated(got)
        if not count:
            self._end()
        return more and count > 0

    def _deliver_bytes(self) -> bool:
        try:
            data = self._read(_AT_ONCE)
        except ssl.SSLWantReadError:
            return False
        if data:
            self._protocol.data_received(data)
        else:
            self._end()
        return bool(data)

    def _end(self) -> None:
        """Tell the protocol that nothing more will come, and close."""
        self._ended = True
        if not self._protocol.eof_received():
            self.close()

    def _send_on(self) -> None:
        """Send what had to wait for something from the server."""
        unsent, self._unsent = self._unsent, []
        self._flush()
        for data in unsent:
            self.write(data)

    def _flush(self) -> None:
        if self._outgoing.pending:
            self.below.write(self._outgoing.read())

    def _fail(self, error: Exception) -> None:
        self._error = self._error or error
        self.below.abort()
