"""An informer over a server that follows a script: the fake is the transport, all else is real."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from kubewright._aio import Timeout, VirtualClock
from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.api.requests import Request
from kubewright.api.unstructured import Unstructured
from kubewright.cache.entry import Event
from kubewright.cache.informer import Informer
from kubewright.cache.reflector import Reflector
from kubewright.cache.selection import Selection
from kubewright.client.rest import RESTClient
from kubewright.client.transport import Duplex, Headers, Response, Stream, Transport
from kubewright.errors import TransportError
from tests.unit.client.scripted import JSON, answer

PODS = RESTMapping("", "v1", "Pod", "pods")
LOST = TransportError("cut", lost=True)
Told = tuple[str, str, str, str]
Reply = Response | Exception


def pod(name: str, version: int | str, *, uid: str = "", **metadata: Any) -> dict[str, Any]:
    """Return a pod in namespace ``a``, or in another one that *name* says: ``b/name``."""
    namespace, _, name = name.rpartition("/")
    named = {"name": name, "namespace": namespace or "a", "uid": uid or f"uid-{name}"}
    return {"kind": "Pod", "metadata": {**named, "resourceVersion": str(version), **metadata}}


def line(type_: str, obj: dict[str, Any]) -> bytes:
    """Return one line of a watch."""
    text = json.dumps({"type": type_, "object": obj}, separators=(",", ":"))
    return text.encode() + b"\n"


def added(name: str, version: int, **metadata: Any) -> bytes:
    return line("ADDED", pod(name, version, **metadata))


def modified(name: str, version: int, **metadata: Any) -> bytes:
    return line("MODIFIED", pod(name, version, **metadata))


def deleted(name: str, version: int, **metadata: Any) -> bytes:
    return line("DELETED", pod(name, version, **metadata))


def bookmark(version: int, *, end: bool = False) -> bytes:
    """Return a bookmark; with *end* the one that ends a streaming list."""
    annotations = {"annotations": {"k8s.io/initial-events-end": "true"}} if end else {}
    return line("BOOKMARK", {"metadata": {"resourceVersion": str(version), **annotations}})


def error_line(code: int, reason: str, message: str = "no", **details: Any) -> bytes:
    status = {"kind": "Status", "code": code, "reason": reason, "message": message}
    return line("ERROR", {**status, "details": details})


def page(*pods: dict[str, Any], version: int, more: str = "") -> Response:
    """Return an answer to a list."""
    return answer({"items": pods, "metadata": {"resourceVersion": str(version), "continue": more}})


class Feed:
    """A stream that a test writes to; it goes on until the test ends it."""

    def __init__(self, *chunks: bytes | Exception | None) -> None:
        self.status = 200
        self.headers: Headers = JSON
        self._chunks: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
        for chunk in chunks:
            self._chunks.put_nowait(chunk)

    def send(self, *lines: bytes) -> Self:
        """Let *lines* arrive, in one chunk."""
        self._chunks.put_nowait(b"".join(lines))
        return self

    def end(self) -> Self:
        """End the stream."""
        self._chunks.put_nowait(None)
        return self

    def fail(self, error: Exception = LOST) -> Self:
        """Break the stream."""
        self._chunks.put_nowait(error)
        return self

    @property
    def is_read(self) -> bool:
        """Whether all that was sent was taken."""
        return self._chunks.empty()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (chunk := await self._chunks.get()) is not None:
            if isinstance(chunk, Exception):
                raise chunk
            yield chunk


class Refusal(Feed):
    """An answer to a watch that is no stream."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.body, None)
        self.status = response.status
        self.headers = response.headers


class HungError(Exception):
    """Stands in a script for an answer that never comes."""


HANGS = HungError()


class Server:
    """Answers each request with the next line of its script; after the last one it is silent."""

    def __init__(self, *script: Response | Exception | Feed) -> None:
        self.script = list(script)
        self.requests: list[Request] = []
        self.times: list[float] = []
        self.clock = VirtualClock()

    async def _next(self, request: Request) -> Any:
        self.requests.append(request)
        self.times.append(self.clock.monotonic())
        reply = self.script.pop(0) if self.script else HANGS
        if reply is HANGS:
            await asyncio.get_running_loop().create_future()
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        response: Response = await self._next(request)
        return response

    @asynccontextmanager
    async def stream(
        self, request: Request, *, timeout: float | None = None
    ) -> AsyncIterator[Stream]:
        reply = await self._next(request)
        yield Refusal(reply) if isinstance(reply, Response) else reply

    def upgrade(
        self, request: Request, *, timeout: float | None = None
    ) -> AbstractAsyncContextManager[Duplex]:
        raise AssertionError("the script has no upgrade")

    async def close(self) -> None:
        """Do nothing."""

    @property
    def queries(self) -> list[dict[str, str]]:
        """What each request asked for."""
        parsed = [parse_qs(urlsplit(request.target).query) for request in self.requests]
        return [{name: values[0] for name, values in query.items()} for query in parsed]

    @property
    def asked(self) -> list[str]:
        """Each request in a word: ``stream``, ``list``, or ``watch`` and the version."""
        return [_word(query) for query in self.queries]


def _word(query: dict[str, str]) -> str:
    if "watch" not in query:
        return f"list {query['continue']}" if "continue" in query else "list"
    if "sendInitialEvents" in query:
        return "stream"
    return f"watch {query.get('resourceVersion', '')}"


class Informing:
    """An informer that runs over a scripted server, and what a handler heard of it."""

    def __init__(self, *script: Response | Exception | Feed, **selection: Any) -> None:
        self.server = Server(*script)
        self.clock = self.server.clock
        self.informer: Informer[Unstructured] = Informer(
            RESTClient(self.server, clock=self.clock),
            Selection(mapping=PODS, **selection),
            decode=Unstructured.read,
        )
        self.events: list[Event[Unstructured]] = []
        self.informer.add_handler(self.events.append)
        self.task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self.before = asyncio.all_tasks()
        self.task = asyncio.create_task(self.informer.run())
        await self.clock.settle()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()
        left = asyncio.all_tasks() - self.before
        assert not left, left

    async def stop(self) -> None:
        """Cancel the informer, and raise what it failed with, if it did."""
        assert self.task is not None
        self.task.cancel()
        await asyncio.wait([self.task])
        if not self.task.cancelled():
            self.task.result()

    async def send(self, feed: Feed, *lines: bytes) -> None:
        """Let *lines* arrive and be handled."""
        feed.send(*lines)
        await self.clock.settle()

    async def until(self, request: int) -> None:
        """Let time pass until that many requests were made."""
        for _ in range(200):
            if len(self.server.requests) >= request:
                break
            assert await self.clock.advance_to_next(), "nothing will happen any more"
        await self.clock.settle()
        assert len(self.server.requests) >= request, self.server.asked

    @property
    def reflector(self) -> Reflector[Unstructured]:
        return self.informer.reflectors[0]

    @property
    def told(self) -> list[Told]:
        """What the handler heard: type, name, and the versions before and after."""
        return [told(event) for event in self.events]

    @property
    def names(self) -> list[str]:
        """What is in the store."""
        return sorted(key.name for key in self.informer.store.keys())  # noqa: SIM118  # no dict

    def version(self, name: str) -> str:
        """The version of a pod in the store."""
        entry = self.informer.store.find_entry(ObjectKey("a", name))
        return entry.resource_version if entry else ""


def told(event: Event[Any]) -> Told:
    """Return an event in short."""
    old, new = event.old, event.new
    return (
        event.type + ("*" if event.initial else "") + ("?" if event.unseen else ""),
        event.key.name,
        old.resource_version if old else "",
        new.resource_version if new else "",
    )


class Cable:
    """The way to a real server, which can be unplugged."""

    def __init__(self, inner: Transport, clock: VirtualClock) -> None:
        self.plugged = True
        self._inner = inner
        self._clock = clock
        self._reads: set[Timeout] = set()

    def unplug(self) -> None:
        """Break every stream, and let nothing through."""
        self.plugged = False
        for read in self._reads:
            read.expire()

    def _require_plugged(self) -> None:
        if not self.plugged:
            raise TransportError("connection refused")

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        self._require_plugged()
        return await self._inner.send(request, timeout=timeout)

    @asynccontextmanager
    async def stream(
        self, request: Request, *, timeout: float | None = None
    ) -> AsyncIterator[Stream]:
        self._require_plugged()
        async with self._inner.stream(request, timeout=timeout) as stream:
            yield _Cut(stream, self._clock, self._reads)

    def upgrade(
        self, request: Request, *, timeout: float | None = None
    ) -> AbstractAsyncContextManager[Duplex]:
        raise AssertionError("no informer upgrades")

    async def close(self) -> None:
        """Do nothing: the client closes what is behind it."""


class _Cut:
    def __init__(self, stream: Stream, clock: VirtualClock, reads: set[Timeout]) -> None:
        self.status = stream.status
        self.headers = stream.headers
        self._stream = stream
        self._clock = clock
        self._reads = reads

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = aiter(self._stream)
        while (chunk := await self._read(chunks)) is not None:
            yield chunk

    async def _read(self, chunks: AsyncIterator[bytes]) -> bytes | None:
        read = self._clock.timeout(None)
        self._reads.add(read)
        try:
            async with read:
                return await anext(chunks, None)
        except TimeoutError:
            raise LOST from None
        finally:
            self._reads.discard(read)
