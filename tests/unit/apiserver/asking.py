"""Asks a server in this process, in few words."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire.request import Request, Response, Stream

Obj = dict[str, Any]

CORE = "/api/v1/namespaces/default"
MAPS = f"{CORE}/configmaps"
PODS = f"{CORE}/pods"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
FOOS = "/apis/example.com/v1/namespaces/default/foos"
JSON_PATCH = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


class Told(Response):
    """An answer, and what it says."""

    @property
    def obj(self) -> Any:
        """The body as a tree."""
        return msgspec.json.decode(self.body)

    @property
    def message(self) -> str:
        """What a person is told."""
        return str(self.obj["message"])

    @property
    def version(self) -> str:
        """The resource version of the object."""
        return str(self.obj["metadata"]["resourceVersion"])

    @property
    def names(self) -> list[str]:
        """The names of the items of a list."""
        return [item["metadata"]["name"] for item in self.obj["items"]]

    @property
    def warnings(self) -> list[str]:
        """The Warning headers."""
        return [value for name, value in self.headers if name == "Warning"]


def asked(method: str, path: str, body: Any = None, **headers: str) -> Request:
    """Return a request of this process; *body* is bytes as they are, or a tree for JSON."""
    data = body if isinstance(body, bytes) else msgspec.json.encode(body)
    path, _, query = path.partition("?")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Request(
        method, path, query, headers=named, body=b"" if body is None else data, trusted=True
    )


async def ask(
    server: APIServer, method: str, path: str, body: Any = None, *, media: str = "", **headers: str
) -> Told:
    """Send a request, and return the whole answer."""
    if media:
        headers["content_type"] = media
    answer = await server.handle(asked(method, path, body, **headers))
    assert isinstance(answer, Response), answer
    return Told(answer.status, answer.body, answer.content_type, answer.headers)


async def make(server: APIServer, path: str, obj: Obj | str) -> Obj:
    """Create an object, which must work; a text is the name of one that has nothing else."""
    answer = await ask(server, "POST", path, named(obj) if isinstance(obj, str) else obj)
    assert answer.status == 201, answer.body
    made: Obj = answer.obj
    return made


def named(name: str, **meta: Any) -> Obj:
    """Return an object with a name and nothing else but *meta*."""
    return {"metadata": {"name": name, **meta}}


def foo(name: str, spec: Any = None, **meta: Any) -> Obj:
    """Return a custom object, as `define` serves them."""
    obj: Obj = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": name, **meta}}
    return obj if spec is None else {**obj, "spec": spec}


def pod(name: str, **meta: Any) -> Obj:
    """Return a pod."""
    return {**named(name, **meta), "spec": {"containers": [{"name": "c", "image": "i"}]}}


class Watch:
    """A watch whose events are read one by one, each at most once."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.chunks: AsyncIterator[bytes] = stream.chunks
        self._pending: list[Obj] = []

    async def next(self) -> Obj:
        """Wait for an event and return it."""
        while not self._pending:
            chunk = await anext(self.chunks)
            self._pending += [msgspec.json.decode(line) for line in chunk.splitlines()]
        return self._pending.pop(0)

    async def take(self, count: int) -> list[tuple[str, str]]:
        """Return the type of *count* events, and the name of what each is about."""
        found = [await self.next() for _ in range(count)]
        return [(one["type"], one["object"]["metadata"].get("name", "")) for one in found]

    async def rest(self) -> list[Obj]:
        """Return all events to the end."""
        found = self._pending
        async for chunk in self.chunks:
            found += [msgspec.json.decode(line) for line in chunk.splitlines()]
        return found

    async def close(self) -> None:
        """Go away, as a client does."""
        await self.chunks.aclose()  # type: ignore[attr-defined]  # a generator


async def watch(server: APIServer, path: str, **headers: str) -> Watch:
    """Begin to watch."""
    answer = await server.handle(asked("GET", path, **headers))
    assert isinstance(answer, Stream), answer
    return Watch(answer)


async def settled(rounds: int = 50) -> None:
    """Let everything run that can run without time passing."""
    for _ in range(rounds):
        await asyncio.sleep(0)


def definition(schema: Obj | None = None, **spec: Any) -> Obj:
    """Return the definition of Foos; anything goes unless a schema is given."""
    shape = schema or {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": shape},
        "subresources": {"status": {}},
    }
    return {
        **named("foos.example.com"),
        "spec": {
            "group": "example.com",
            "names": {"plural": "foos", "kind": "Foo"},
            "scope": "Namespaced",
            "versions": [version],
            **spec,
        },
    }


async def define(server: APIServer, schema: Obj | None = None, **spec: Any) -> Obj:
    """Serve Foos."""
    return await make(server, CRDS, definition(schema, **spec))
