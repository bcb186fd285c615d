"""`Door`: checks a fence right before bytes go to the kernel.

asyncio's transports cannot do that. They buffer what the kernel does not accept at once and send it
later, and uvloop's send nothing before the end of a loop iteration: a process that was stopped in
between would send it hours later, as its first action.
"""

import asyncio
import os
from collections.abc import Callable

from kubewright._aio import Fence
from kubewright.errors import NotLeadingError

_FULL = 1 << 16  # waiting bytes above which the writer is asked to pause

_SAME = (
    "abort", "close", "get_extra_info", "get_protocol", "is_closing", "pause_reading",
    "resume_reading", "set_protocol",
)  # fmt: skip


class Door(asyncio.Transport):
    """A transport that checks its fence right before each system call that sends.

    It reads the clock after the bytes are encrypted, immediately before the call. A request that is
    partly sent when the fence closes is cut off: servers execute complete requests only. Bytes that
    the kernel has accepted cannot be recalled.

    Without a fence it only passes bytes on.

    Args:
        transport: The connection itself, not TLS on top of it.
        refused: Called if the fence closes while bytes wait to be sent.
    """

    def __init__(
        self, transport: asyncio.Transport, refused: Callable[[NotLeadingError], object]
    ) -> None:
        super().__init__()
        self.fence: Fence | None = None
        """The fence to check; it may change between two requests."""
        self._transport = transport
        self._refused = refused
        self._loop = asyncio.get_running_loop()
        self._socket: int = transport.get_extra_info("socket").fileno()
        self._rest = bytearray()  # bytes that the kernel has not accepted yet
        self._watched: int | None = None  # a second descriptor: the first is the transport's own
        for name in _SAME:
            setattr(self, name, getattr(transport, name))

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send *data*, as far as the fence allows.

        Raises:
            NotLeadingError: The fence is closed; nothing of *data* was sent.
        """
        if self.fence is None and not self._rest:
            self._transport.write(data)
        elif self._rest:
            self._rest += data
            self._hold_up()
        elif (sent := self._send(data)) < len(data):
            self._rest += data[sent:]
            self._hold_up()
            self._send_on_when_possible()

    def get_write_buffer_size(self) -> int:
        """Return how many bytes wait to be sent."""
        return self._transport.get_write_buffer_size() + len(self._rest)

    def forget(self) -> None:
        """Send nothing more; called when the connection is lost."""
        self._rest.clear()
        if self._watched is not None:
            self._loop.remove_writer(self._watched)
            os.close(self._watched)
            self._watched = None

    def _send(self, data: bytes | bytearray | memoryview) -> int:
        """Give *data* to the kernel; return how many bytes it accepted."""
        fence, transport = self.fence, self._transport
        if transport.is_closing():
            return len(data)  # the connection is gone, and its descriptor may be reused by now
        if transport.get_write_buffer_size():
            return 0  # the end of a handshake must be sent first
        try:
            if fence is not None and fence.now() >= fence.until:
                raise fence.refusal()
            return os.write(self._socket, data)
        except BlockingIOError:
            return 0
        except OSError:
            transport.write(data)  # it meets the same error, and reports it
            return len(data)

    def _send_on(self) -> None:
        try:
            del self._rest[: self._send(bytes(self._rest))]
        except NotLeadingError as error:
            self.forget()
            self._refused(error)
            return
        if not self._rest:
            self.forget()
            self._protocol().resume_writing()

    def _send_on_when_possible(self) -> None:
        self._watched = os.dup(self._socket)
        self._loop.add_writer(self._watched, self._send_on)

    def _hold_up(self) -> None:
        if len(self._rest) > _FULL:
            self._protocol().pause_writing()

    def _protocol(self) -> asyncio.BaseProtocol:
        return self._transport.get_protocol()
