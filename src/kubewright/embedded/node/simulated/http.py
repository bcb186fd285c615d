"""The tiny HTTP answer of a container that only pretends to run."""

import asyncio

from kubewright.embedded.node.images import short_name

__all__ = ["SimulatedConnection", "answer_to"]

LONGEST_HEAD: int = 64 * 1024
PAGES: dict[str, frozenset[str]] = {
    name: frozenset({"/", "/index.html"}) for name in ("nginx", "httpd", "caddy")
}
"""The only pages of a file server as it comes; other images answer at every path."""


def answer_to(data: bytes, *, pod: str, image: str) -> tuple[bytes, bytes, bool]:
    """Return the answer to the first request in *data*, what is left of it, and whether to close.

    The answer is empty while the request is not complete. Anything but HTTP ends the connection.
    A file server, such as nginx, has one page; other images answer at every path.
    """
    head, end, rest = data.partition(b"\r\n\r\n")
    if not end:
        return b"", data, len(data) > LONGEST_HEAD
    line, *fields = head.decode("latin-1").split("\r\n")
    method, target, version = [*line.split(" ", 2), "", ""][:3]
    if not version.startswith("HTTP/1."):
        return b"", b"", True
    headers = {name.strip().lower(): value.strip() for name, _, value in map(_split, fields)}
    length = headers.get("content-length", "0")
    size = int(length) if length.isdecimal() else 0
    if len(rest) < size:
        return b"", data, False
    close = headers.get("connection", "").lower() == "close" or version == "HTTP/1.0"
    pages = PAGES.get(short_name(image))
    found = pages is None or target.partition("?")[0] in pages
    nothing = "" if found else f" It has nothing at {target}."
    body = f"This is {pod}: {image}, simulated by Kubewright.{nothing}\n".encode()
    status = "200 OK" if found else "404 Not Found"
    answer = (
        f"HTTP/1.1 {status}\r\nServer: kubewright\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: {'close' if close else 'keep-alive'}\r\n\r\n"
    ).encode()
    return answer + (b"" if method == "HEAD" else body), rest[size:], close


def _split(field: str) -> tuple[str, str, str]:
    return field.partition(":")


class SimulatedConnection:
    """A connection that is answered although nothing listens at its port."""

    def __init__(self, *, pod: str, image: str) -> None:
        self._pod, self._image = pod, image
        self._sent = b""
        self._answers: asyncio.Queue[bytes] = asyncio.Queue()
        self._closed = False

    async def read(self) -> bytes:
        """Wait for bytes and return all that are there; empty at the end."""
        if self._closed and self._answers.empty():
            return b""
        return await self._answers.get()

    async def write(self, data: bytes) -> None:
        """Send *data*; the answer can be read at once."""
        self._sent += data
        while not self._closed:
            answer, self._sent, close = answer_to(self._sent, pod=self._pod, image=self._image)
            if answer:
                self._answers.put_nowait(answer)
            if close:
                self._end()
            if not answer:
                return

    async def end(self) -> None:
        """End our side; reading goes on."""
        self._end()

    async def close(self) -> None:
        """Close it; may be called twice."""
        self._end()

    def _end(self) -> None:
        if not self._closed:
            self._closed = True
            self._answers.put_nowait(b"")
