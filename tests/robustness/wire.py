"""A client that knows nothing: HTTP by hand, so that it can also do what no client should."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

Obj = dict[str, Any]

NAMESPACE = "/api/v1/namespaces/default"
CONFIG_MAPS = f"{NAMESPACE}/configmaps"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"


class Answer(NamedTuple):
    """A status, and the body as a tree; as bytes if it is no JSON."""

    status: int
    body: Any

    @property
    def version(self) -> str:
        """The resource version of the object or list."""
        return str(self.body["metadata"]["resourceVersion"])


class Wire:
    """Talks to a server without TLS, with one connection for each request at a time."""

    def __init__(self, url: str, *, token: str = "") -> None:
        host, _, port = url.removeprefix("http://").rpartition(":")
        self.address = host, int(port)
        self.token = token
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    def head(self, method: str, target: str, *, length: int | None = None, **headers: str) -> bytes:
        """Return the head of a request."""
        lines = [f"{method} {target} HTTP/1.1", "Host: localhost"]
        if self.token:
            lines.append(f"Authorization: Bearer {self.token}")
        if length is not None:
            lines.append(f"Content-Length: {length}")
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return a new connection."""
        return await asyncio.open_connection(*self.address, limit=64 * 1024 * 1024)

    async def ask(
        self, method: str, target: str, body: Any = None, *, media: str = "", **headers: str
    ) -> Answer:
        """Send a request and return the answer; *body* is a tree, or bytes as they are."""
        data = body if isinstance(body, bytes) else b""
        if body is not None and not isinstance(body, bytes):
            data = json.dumps(body).encode()
        usual = MERGE if method == "PATCH" else "application/json"
        headers["Content_Type"] = media or usual
        connection = self._idle.pop() if self._idle else await self.connect()
        reader, writer = connection
        try:
            writer.write(self.head(method, target, length=len(data), **headers) + data)
            answer, again = await read_answer(reader)
        except BaseException:
            writer.close()
            raise
        if again:
            self._idle.append(connection)
        else:
            writer.close()
        return answer

    async def watch(self, target: str) -> AsyncIterator[Obj]:
        """Yield the events of a watch until the server ends it."""
        reader, writer = await self.connect()
        try:
            writer.write(self.head("GET", target))
            status, _ = await read_head(reader)
            assert status == 200, status
            async for line in lines(reader):
                yield json.loads(line)
        finally:
            writer.close()

    async def close(self) -> None:
        """Close what is open."""
        for _, writer in self._idle:
            writer.close()
            with contextlib.suppress(ConnectionError):  # the server may be gone
                await writer.wait_closed()


async def read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    """Return the status and the headers."""
    text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *rest = text.rstrip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (r.partition(":") for r in rest)}
    return int(first.split(" ")[1]), headers


async def read_answer(reader: asyncio.StreamReader) -> tuple[Answer, bool]:
    """Return the answer, and whether the connection can be used again."""
    status, headers = await read_head(reader)
    if "content-length" in headers:
        body = await reader.readexactly(int(headers["content-length"]))
    else:
        body = b"".join([line async for line in lines(reader)])
    again = headers.get("connection", "").lower() != "close"
    try:
        return Answer(status, json.loads(body)), again
    except ValueError:
        return Answer(status, body), again


async def lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Yield the lines of a chunked body."""
    rest = b""
    while size := int(await reader.readline() or b"0", 16):
        rest += await reader.readexactly(size)
        await reader.readexactly(2)
        *whole, rest = rest.split(b"\n")
        for line in whole:
            yield line
    if rest:
        yield rest
