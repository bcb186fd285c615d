from datetime import UTC, datetime

import pytest

from kubewright._aio import VirtualClock
from kubewright._serve import wire


async def test_the_date_is_that_of_the_clock_and_moves_with_it() -> None:
    """RFC 9110 wants it in English, in Greenwich."""
    clock = VirtualClock(datetime(2026, 2, 1, 9, 5, 7, 900_000, tzinfo=UTC))
    dates = wire.DateHeader(clock)

    first = dates.line(clock.monotonic())
    await clock.advance(0.05)
    same = dates.line(clock.monotonic())
    await clock.advance(0.05)
    later = dates.line(clock.monotonic())

    assert first == same == b"Date: Sun, 01 Feb 2026 09:05:07 GMT\r\n"
    assert later == b"Date: Sun, 01 Feb 2026 09:05:08 GMT\r\n"


@pytest.mark.parametrize(
    ("status", "line"), [(200, b"200 OK"), (422, b"422 Unprocessable"), (599, b"599 Unknown")]
)
def test_a_head_begins_with_the_status(status: int, line: bytes) -> None:
    """Also with one that nobody has registered."""
    assert wire.start(status, "text/plain").startswith(b"HTTP/1.1 " + line)
    assert wire.start(status, "text/plain").endswith(b"\r\nContent-Type: text/plain\r\n")


def test_a_header_cannot_begin_another_line() -> None:
    """A warning that quotes what a client sent must not become a header of its own."""
    lines = wire.lines((("Warning", '299 - "a\r\nSet-Cookie: b"'), ("X", "ä")))

    assert lines == 'Warning: 299 - "a  Set-Cookie: b"\r\nX: ä\r\n'.encode()


@pytest.mark.parametrize(("status", "line"), [(200, b"Content-Length: 0\r\n"), (204, b"")])
def test_the_length_is_said_where_there_may_be_a_body(status: int, line: bytes) -> None:
    """Without it a client waits for the end of the connection."""
    assert wire.length(status, 0) == line


def test_a_chunk_has_its_size_in_front() -> None:
    """In hexadecimal digits."""
    assert wire.chunk(b"x" * 26) == b"1a\r\n" + b"x" * 26 + b"\r\n"
