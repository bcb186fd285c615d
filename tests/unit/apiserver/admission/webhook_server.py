"""A webhook on this machine that answers as a test tells it to."""

import asyncio
import base64
import json
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kubewright._pki.authority import Authority
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import make

Obj = dict[str, Any]
EVERYTHING: Obj = {"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"]}


class Raw:
    """An answer that is not an AdmissionReview; ``None`` for the status means: hang up."""

    def __init__(self, status: int | None, body: str = "", kind: str = "text/plain") -> None:
        self.status, self.body, self.kind = status, body, kind


Behaviour = Callable[[Obj], Obj | Raw]


def allow(request: Obj) -> Obj:
    return {"allowed": True}


def patch(*operations: Obj) -> Behaviour:
    coded = base64.b64encode(json.dumps(operations).encode()).decode()
    return lambda request: {"allowed": True, "patchType": "JSONPatch", "patch": coded}


@cache
def authority() -> Authority:
    return Authority("webhooks")


@cache
def _context(host: str) -> ssl.SSLContext:
    pair = authority().serving(host)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with TemporaryDirectory() as folder:
        file = Path(folder, "pair.pem")
        file.write_bytes(pair.certificate + b"\n" + pair.key)
        context.load_cert_chain(file)
    return context


class WebhookServer:
    """Serves each path by one behaviour, and remembers what it was asked."""

    def __init__(self) -> None:
        self.behaviours: dict[str, Behaviour] = {}
        self.requests: list[Obj] = []
        self.paths: list[str] = []
        self.connections = 0
        self.port = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self._talks: set[asyncio.Task[None]] = set()

    def serve(self, path: str, behaviour: Behaviour) -> Obj:
        """Return the clientConfig of a webhook that behaves so."""
        self.behaviours[f"/{path}"] = behaviour
        return self.config(path)

    def config(self, path: str) -> Obj:
        bundle = base64.b64encode(authority().certificate).decode()
        return {"url": f"https://127.0.0.1:{self.port}/{path}", "caBundle": bundle}

    def drop_connections(self) -> None:
        for writer in list(self._writers):
            writer.transport.abort()

    async def wait_until_left(self) -> None:
        if self._talks:
            await asyncio.wait(self._talks)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        try:
            while await self._answer(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._writers.discard(writer)
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        size = int(head.lower().partition("content-length: ")[2].split("\r\n")[0])
        review = json.loads(await reader.readexactly(size))
        path = head.split(" ")[1]
        self.paths.append(path)
        self.requests.append(review)
        answer = self.behaviours[path.partition("?")[0]](review["request"])
        if isinstance(answer, Raw) and answer.status is None:
            return False
        if not isinstance(answer, Raw):
            answer = Raw(200, json.dumps(_review(review, answer)), "application/json")
        body = answer.body.encode()
        writer.write(
            f"HTTP/1.1 {answer.status} X\r\nContent-Type: {answer.kind}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        await writer.drain()
        return True


def _review(asked: Obj, response: Obj) -> Obj:
    if "whole" in response:
        return dict(response["whole"])
    response = {"uid": asked["request"]["uid"], **response}
    return {"kind": asked["kind"], "apiVersion": asked["apiVersion"], "response": response}


@asynccontextmanager
async def webhook_server(host: str = "127.0.0.1") -> AsyncIterator[WebhookServer]:
    """Serve with a certificate for *host*, always on the loopback address."""
    server = WebhookServer()
    listener = await asyncio.start_server(server.talk, "127.0.0.1", 0, ssl=_context(host))
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        server.drop_connections()
        await server.wait_until_left()


async def register(
    server: APIServer, config: Obj, *operations: str, kind: str = "validating", **more: Any
) -> None:
    """Have a webhook asked about these operations on whatever there is."""
    hook = {
        "name": f"{kind}.example.com",
        "clientConfig": config,
        "rules": [{"operations": [*operations], **EVERYTHING}],
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        **more,
    }
    path = f"/apis/admissionregistration.k8s.io/v1/{kind}webhookconfigurations"
    await make(server, path, {"metadata": {"name": kind}, "webhooks": [hook]})
