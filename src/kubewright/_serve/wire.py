"""Builds the heads of answers, as bytes.

Most of a head is the same for thousands of answers, so its parts are cached and joined.
"""

from http import HTTPStatus

from kubewright._aio import Clock

Fields = tuple[tuple[str, str], ...]

_KEPT = 256
_STARTS: dict[tuple[int, str], bytes] = {}
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = (
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
)  # fmt: skip
_ENDS_LINE = str.maketrans("\r\n\0", "   ")

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
CLOSE = b"Connection: close\r\n"
KEEP = b"Connection: keep-alive\r\n"
CHUNKED_END = b"Transfer-Encoding: chunked\r\n\r\n"
LAST_CHUNK = b"0\r\n\r\n"
_NO_BODY_BELOW = 200


class DateHeader:
    """The ``Date`` header, rebuilt once a second."""

    __slots__ = ("_clock", "_line", "_until")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._line = b""
        self._until = float("-inf")

    def line(self, now: float) -> bytes:
        """Return the line at *now*, a time of the clock's `monotonic`."""
        if now >= self._until:
            self._until = now + 1.0 - self._clock.now().microsecond / 1e6
            self._line = _date(self._clock)
        return self._line


def _date(clock: Clock) -> bytes:
    # Not strftime, which uses the machine's locale.
    at = clock.now()
    day, month = _DAYS[at.weekday()], _MONTHS[at.month - 1]
    return f"Date: {day}, {at.day:02} {month} {at.year:04} {at:%H:%M:%S} GMT\r\n".encode()


def start(status: int, content_type: str) -> bytes:
    """Return the status line and the content type, as lines."""
    return _STARTS.get((status, content_type)) or _new_start(status, content_type)


def _new_start(status: int, content_type: str) -> bytes:
    kind = lines((("Content-Type", content_type),)) if content_type else b""
    made = b"HTTP/1.1 %d %b\r\n%b" % (status, _phrase(status), kind)
    if len(_STARTS) < _KEPT:
        _STARTS[status, content_type] = made
    return made


def _phrase(status: int) -> bytes:
    try:
        return HTTPStatus(status).phrase.encode()
    except ValueError:
        return b"Unknown"


def lines(headers: Fields) -> bytes:
    """Return *headers* as lines; characters that would end a line become spaces."""
    text = "".join([f"{name}: {value.translate(_ENDS_LINE)}\r\n" for name, value in headers])
    return text.encode("utf-8", "replace")  # as Go writes them


def length(status: int, size: int) -> bytes:
    """Return the ``Content-Length`` line; empty for answers that have no body."""
    return b"" if bodiless(status) else b"Content-Length: %d\r\n" % size


def bodiless(status: int) -> bool:
    """Tell whether an answer of *status* never has a body, whatever its headers say."""
    return status < _NO_BODY_BELOW or status in {204, 304}


def chunk(data: bytes) -> bytes:
    """Return *data* as one chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)
