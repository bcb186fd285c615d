"""An aggregated API server of the tests, at a real address, and the cluster that knows it."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from kubewright._pki.authority import Authority
from kubewright._serve.messages import Answer, Duplex, Request, Response, Stream, Upgrade
from kubewright._serve.server import HTTPServer
from kubewright._serve.tls import ServerTLS
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import Obj, ask, asked, make, named

GROUP, VERSION = "orchard.example", "v1"
ROOT = f"/apis/{GROUP}/{VERSION}"
APPLES = f"{ROOT}/namespaces/default/apples"
SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
NAME = f"{VERSION}.{GROUP}"
SERVER_NAME = "orchard.default.svc"
RESOURCES: list[Obj] = [
    {"name": "apples", "singularName": "apple", "namespaced": True, "kind": "Apple",
     "verbs": ["get", "list"], "shortNames": ["ap"]},
    {"name": "apples/status", "singularName": "", "namespaced": True, "kind": "Apple",
     "verbs": ["get"]},
]  # fmt: skip
NEWER: Obj = {
    "resource": "apples",
    "responseKind": {"group": GROUP, "version": VERSION, "kind": "Apple"},
    "scope": "Namespaced",
    "singularResource": "apple",
    "verbs": ["get", "list"],
    "shortNames": ["ap"],
    "subresources": [
        {
            "subresource": "status",
            "responseKind": {"group": GROUP, "version": VERSION, "kind": "Apple"},
            "verbs": ["get"],
        }
    ],
}
SCHEMAS: Obj = {
    "paths": {
        f"{ROOT}/apples": {"get": {"schema": {"$ref": "#/definitions/Apple"}}},
        "/version": {"get": {}},
    },
    "definitions": {"Apple": {"type": "object", "description": "Fruit."}, "Unused": {}},
}


class Orchard:
    """Answers as an API server does, and remembers who asked."""

    def __init__(self) -> None:
        self.authority: Authority = Authority("orchard-ca")
        self.asked: list[Request] = []
        self.status = 200
        self.tagged = 0
        self.port = 0

    async def handle(self, request: Request) -> Answer:
        """Answer *request*."""
        self.asked.append(request)
        if request.headers.get("upgrade"):
            return Upgrade(_echo, (("upgrade", "echo"),))
        if request.query == "watch=1":
            return Stream(_events())
        if request.path == "/openapi/v2":
            return self._schemas(request)
        return self._document(request)

    def _schemas(self, request: Request) -> Response:
        if request.headers.get("if-none-match") == '"1"':
            self.tagged += 1
            return Response(304)
        return _json(SCHEMAS, headers=(("ETag", '"1"'),))

    def _document(self, request: Request) -> Response:
        if request.path == "/openapi/v3":
            url = f"/openapi/v3{ROOT}?hash=1"
            return _json({"paths": {ROOT.removeprefix("/"): {"serverRelativeURL": url}}})
        if request.path == ROOT:
            return _json({"kind": "APIResourceList", "resources": RESOURCES}, status=self.status)
        if request.path == "/apis":
            return Response(404)
        return _json({"path": request.path, "body": request.body.decode()})

    def last(self) -> Request:
        """Return what it was asked last."""
        return self.asked[-1]


async def _events() -> AsyncIterator[bytes]:
    yield b'{"type":"ADDED"}\n'
    yield b'{"type":"DELETED"}\n'


async def _echo(duplex: Duplex) -> None:
    while data := await duplex.read():
        await duplex.write(data.upper())


def _json(content: Any, *, status: int = 200, headers: Any = ()) -> Response:
    return Response(status, msgspec.json.encode(content), headers=headers)


@asynccontextmanager
async def orchard() -> AsyncIterator[Orchard]:
    """Serve an orchard, which knows the certificates of nobody."""
    made = Orchard()
    pair = made.authority.serving(SERVER_NAME)
    async with HTTPServer(made, tls=ServerTLS(pair.certificate, pair.key)) as front:
        made.port = front.address[1]
        yield made


async def register(server: APIServer, found: Orchard, **spec: Any) -> None:
    """Make the service, and the API service that hands the group over to it."""
    await make(
        server,
        "/api/v1/namespaces/default/services",
        {**named("orchard"), "spec": {"type": "ExternalName", "externalName": "localhost"}},
    )
    await make(server, SERVICES, api_service(found, **spec))


def api_service(found: Orchard, **spec: Any) -> Obj:
    """Return the API service that hands the group over."""
    return {
        **named(NAME),
        "spec": {
            "group": GROUP,
            "version": VERSION,
            "groupPriorityMinimum": 1000,
            "versionPriority": 15,
            "service": {"namespace": "default", "name": "orchard", "port": found.port or 443},
            "caBundle": base64.b64encode(found.authority.certificate).decode(),
            **spec,
        },
    }


async def condition(server: APIServer, *, reason: str) -> Obj:
    """Wait until the API service is in the state that *reason* names, and return the condition."""
    version = (await ask(server, "GET", SERVICES)).obj["metadata"]["resourceVersion"]
    current = (await ask(server, "GET", f"{SERVICES}/{NAME}")).obj
    if (found := _condition(current, reason)) is not None:
        return found
    stream = await server.handle(asked("GET", f"{SERVICES}?watch=1&resourceVersion={version}"))
    assert isinstance(stream, Stream)
    async for chunk in stream.chunks:
        for line in chunk.splitlines():
            if (found := _condition(msgspec.json.decode(line)["object"], reason)) is not None:
                await stream.chunks.aclose()  # type: ignore[attr-defined]  # a generator
                return found
    raise AssertionError("the watch ended")


def _condition(obj: Obj, reason: str) -> Obj | None:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return next((one for one in conditions if one["reason"] == reason), None)
