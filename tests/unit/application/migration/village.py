"""A server in process, in virtual time, with a kind that has just got a new storage version."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.api.requests import Request
from kubewright.api.unstructured import Unstructured
from kubewright.apiserver import APIServer
from kubewright.client.transport import Response
from kubewright.embedded import InProcessTransport
from tests.unit.operator.world import WatchedTransport

CRD = kw.Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")
SHOPS = "shops.example.com"
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def shop_crd(
    plural: str = "shops",
    *,
    group: str = "example.com",
    kind: str = "Shop",
    short: str = "sh",
    storage: str = "v1",
    served: tuple[str, ...] = ("v1", "v2"),
) -> Unstructured:
    """Return a CRD with the versions v1 and v2."""
    versions = [
        {
            "name": name,
            "served": name in served,
            "storage": name == storage,
            "schema": {"openAPIV3Schema": ANYTHING},
        }
        for name in ("v1", "v2")
    ]
    return Unstructured(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {
                "group": group,
                "scope": "Namespaced",
                "names": {
                    "plural": plural,
                    "singular": kind.lower(),
                    "kind": kind,
                    "shortNames": [short],
                },
                "versions": versions,
            },
        }
    )


@dataclass
class HookedTransport(WatchedTransport):
    """Lets a test do something before a request goes to the server."""

    before: Callable[[Request], Awaitable[object]] | None = None

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send it, after the hook."""
        if self.before is not None:
            await self.before(request)
        return await super().send(request, timeout=timeout)


@dataclass
class Village:
    """The server, a client that is watched, and one that is not."""

    client: kw.Client
    other: kw.Client
    clock: VirtualClock
    wire: HookedTransport

    def refuse(self, name: str, answer: Response) -> None:
        """Answer each write of the object *name* instead of the server."""
        self.wire.intercept = lambda request: (
            answer if request.method == "PATCH" and request.attempt.name == name else None
        )

    def before_write(self, name: str, change: Callable[[], Awaitable[object]]) -> None:
        """Do *change* once, just before the object *name* is written."""

        async def before(request: Request) -> None:
            if request.method == "PATCH" and request.attempt.name == name:
                self.wire.before = None
                await change()

        self.wire.before = before

    def written(self) -> list[str]:
        """Return the names of the objects that were written, in order."""
        return [one.attempt.name for one in self.wire.writes if one.attempt.resource == "shops"]

    async def store_in(self, version: str) -> None:
        """Make *version* the storage version."""
        crd = await self.other.get(CRD, SHOPS)
        for one in crd["spec"]["versions"]:
            one["storage"] = one["name"] == version
        await self.other.update(crd)

    async def stored_versions(self) -> list[str]:
        """Return what the CRD says."""
        found: list[str] = (await self.other.get(CRD, SHOPS))["status"]["storedVersions"]
        return found


def refusal(code: int, reason: str, message: str = "no", **more: Any) -> Response:
    """Return a failure Status."""
    body = {"kind": "Status", "status": "Failure", "reason": reason, "message": message}
    content = json.dumps({**body, "code": code, **more}).encode()
    return Response(code, (("content-type", "application/json"),), content)


@asynccontextmanager
async def village(
    shops: int = 4, *crds: Unstructured, storage: str = "v2"
) -> AsyncIterator[Village]:
    """Start the server, with *shops* that are stored in v1."""
    clock, here = VirtualClock(), kw.Config(server="http://in-process")
    async with APIServer(clock=clock) as server:
        wire = HookedTransport(InProcessTransport(server, clock=clock))
        other = kw.Client(here, transport=InProcessTransport(server, clock=clock), clock=clock)
        client = kw.Client(here, transport=wire, clock=clock)
        made = Village(client, other, clock, wire)
        for crd in crds or (shop_crd(),):
            await other.create(crd)
            await kw.wait_for(other, CRD, crd.name, _is_established, timeout=30)
        for number in range(shops):
            await other.create(_shop(f"s{number}"))
        if shops and storage != "v1":
            await made.store_in(storage)
        yield made


def _is_established(crd: Unstructured | None) -> bool:
    status: dict[str, Any] = (crd or Unstructured()).get("status") or {}
    found = status.get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in found)


def _shop(name: str) -> Unstructured:
    metadata = {"name": name, "namespace": "default"}
    return Unstructured({"apiVersion": "example.com/v1", "kind": "Shop", "metadata": metadata})
