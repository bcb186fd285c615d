"""TLS on top of a connection, like asyncio's but lighter; for clients and for servers.

All connections share one receive buffer, and data is decrypted right into the reader's buffer.
asyncio's own TLS keeps 256 kB for each connection, and makes a request cost a tenth more.
"""

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from kubewright._http.buffers import BUFFERS


class TLSTransport(asyncio.Transport, asyncio.BufferedProtocol):
    """The protocol of a connection, and the transport of the protocol above TLS.

    It behaves as an `asyncio.Transport` does. A client calls `start`. A server makes it the
    protocol of a connection that it accepts, waits for the `handshake`, tells the protocol above
    that the connection is made, and calls `begin`.

    Args:
        protocol: The protocol above TLS.
        context: The certificates: which to show, and how to verify the other side.
        server_hostname: Whose certificate a client expects; a server leaves it out.
    """

    def __init__(
        self,
        protocol: asyncio.BaseProtocol,
        *,
        context: ssl.SSLContext,
        server_hostname: str | bytes | None = None,
    ) -> None:
        super().__init__()
        self.below: asyncio.Transport
        """The transport that the encrypted bytes are written to."""
        self._protocol: Any = None
        self._buffer = BUFFERS.encrypted
        self._plain = BUFFERS.plain
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(
            self._incoming,
            self._outgoing,
            server_side=server_hostname is None,
            server_hostname=cast("str | None", server_hostname),
        )
        self._read: Callable[..., Any] = self._tls.read
        self._unsent: list[bytes | bytearray | memoryview] = []
        self._begun = False
        self._paused = False
        self._at_end = False
        self._ended = False  # nothing more will be read
        self._closed = False
        self._error: Exception | None = None
        self._loop = asyncio.get_running_loop()
        self._shaken: asyncio.Future[None] | None = self._loop.create_future()
        self.set_protocol(protocol)

    async def start(self, transport: asyncio.Transport) -> None:
        """Do the TLS handshake over *transport*, as a client.

        Raises:
            OSError: The certificate is wrong, the server does not speak TLS, or it is gone.
        """
        transport.set_protocol(self)
        self.connection_made(transport)
        await self.handshake()
        self.begin()

    async def handshake(self) -> None:
        """Wait until both sides know each other; the protocol above is told nothing yet.

        Raises:
            OSError: A certificate is wrong, the other side does not speak TLS, or it is gone.
        """
        assert self._shaken is not None
        try:
            await self._shaken
        finally:
            self._shaken = self._error = None  # the error's traceback refers to us: break the cycle

    def begin(self) -> None:
        """Deliver data that arrived with the end of the handshake, and all that follows.

        Raises:
            OSError: The other side refuses after the handshake: TLS 1.3 looks at the client's
                certificate only then.
        """
        self._begun = True
        self._deliver()
        error, self._error = self._error, None
        if error is not None:
            raise error

    # --- What the connection calls ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.below = cast("asyncio.Transport", transport)  # uvloop's is not a subclass
        self._shake()

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self._incoming.write(self._buffer[:nbytes])
        if self._shaken is not None:
            self._shake()
        else:
            self._deliver()

    def eof_received(self) -> bool:
        self._at_end = True  # no close_notify; the protocol knows whether data is missing
        if self._shaken is not None:
            return self._shaken.done()  # then `start` is about to see it
        self._deliver()  # data may be waiting since the protocol paused
        return not self._closed  # otherwise it closes when everything is delivered

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended = self._closed = True
        exc = self._error or exc
        protocol, self._protocol = self._protocol, None  # it refers to us: break the cycle
        if self._begun:
            protocol.connection_lost(exc)
        elif self._shaken is not None and not self._shaken.done():
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
            except ssl.SSLWantReadError:  # during a renegotiation, before TLS 1.3
                self._unsent.append(data)
            except ssl.SSLError as error:
                self._fail(error)
                return
            self.below.write(self._outgoing.read())

    def abort(self) -> None:
        """Close the connection at once."""
        self.below.abort()

    def can_write_eof(self) -> bool:
        """Tell that this side cannot end alone: TLS has no connections that are half closed."""
        return False

    def close(self) -> None:
        """Send close_notify and close the connection; everything is sent already."""
        self._closed = True
        with suppress(ssl.SSLError):  # it would wait for the other side's close_notify
            self._tls.unwrap()
        self._flush()
        self.below.close()

    def is_closing(self) -> bool:
        """Tell whether it is closed, or about to be."""
        return self._closed or self.below.is_closing()

    def pause_reading(self) -> None:
        """Give nothing to the protocol until `resume_reading`."""
        self._paused = True
        self.below.pause_reading()

    def resume_reading(self) -> None:
        """Read again; data that has arrived is delivered soon."""
        if self._paused:
            self._paused = False
            self.below.resume_reading()
            self._loop.call_soon(self._deliver)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Replace the protocol above TLS."""
        self._protocol = protocol
        self._is_buffered = isinstance(protocol, asyncio.BufferedProtocol)

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Return the protocol above TLS."""
        return cast("asyncio.BaseProtocol", self._protocol)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Set when the protocol is told that the other side is slow to read."""
        self.below.set_write_buffer_limits(high, low)

    def get_write_buffer_size(self) -> int:
        """Return how many bytes wait to be sent."""
        return self.below.get_write_buffer_size() + sum(map(len, self._unsent))

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return a fact about the connection, such as its ``ssl_object``."""
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
        self._flush()  # after an error, this sends the alert that tells the server why
        if self._shaken.done():
            return
        if self._error is None:
            self._shaken.set_result(None)
        else:
            self._shaken.set_exception(self._error)

    def _deliver(self) -> None:
        """Decrypt the data that has arrived, and give it to the protocol."""
        more = True
        try:
            while more and not self._paused and not self._ended and not self.is_closing():
                more = self._deliver_once()
        except ssl.SSLError as error:
            self._fail(error)
        else:
            if self._outgoing.pending or self._unsent:
                self._send_on()
            if self._at_end and not self._paused and not self._ended and not self.is_closing():
                self._end()

    def _deliver_once(self) -> bool:
        """Fill the buffer of the protocol once; return whether there may be more."""
        protocol, read, incoming = self._protocol, self._read, self._incoming
        buffer = protocol.get_buffer(-1) if self._is_buffered else self._plain
        size, got, count = len(buffer), 0, 1
        try:
            # Without more encrypted bytes another read would only raise, which takes its time.
            while got < size and count and (incoming.pending or not got):
                count = read(size - got, buffer[got:])
                got += count
        except ssl.SSLWantReadError:
            pass
        finally:  # after an error, too: what came before it was good
            if got and self._is_buffered:
                protocol.buffer_updated(got)
            elif got:
                protocol.data_received(bytes(buffer[:got]))
        if not count:
            self._end()
        return got == size

    def _end(self) -> None:
        """Tell the protocol that the data has ended, and close."""
        self._ended = True
        if not self._protocol.eof_received():
            self.close()

    def _send_on(self) -> None:
        """Send data that had to wait for the server."""
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
