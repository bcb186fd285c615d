"""Errors of a SPDY connection, and of its streams."""

PROTOCOL_ERROR, INVALID_STREAM, REFUSED_STREAM, CANCEL = 1, 2, 3, 5
"""Why a stream is reset."""

GOING_OK, GOING_AFTER_ERROR = 0, 1
"""Why a connection ends."""


class SPDYError(Exception):
    """The other side broke the protocol; the connection cannot go on.

    Attributes:
        code: What to reset a stream with.
    """

    def __init__(self, code: int, message: str) -> None:
        self.code: int = code
        super().__init__(code, message)

    def __str__(self) -> str:
        return str(self.args[1])
