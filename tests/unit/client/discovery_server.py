"""A sender that answers discovery as a server does: the fake at the seam below discovery."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kubewright.api.requests import Request
from kubewright.client.transport import Response
from kubewright.errors import Attempt, Status, api_error

DATA = Path(__file__).parents[3] / "src/kubewright/apiserver/data"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
Document = dict[str, Any]


def failure(path: str, code: int, reason: str) -> Exception:
    """Return what a sender raises for a failure Status."""
    return api_error(Attempt("get", path), Status(reason=reason, message="no", code=code))


def group(name: str, **versions: list[Document]) -> Document:
    """Return a group in the aggregated format; the first version is the preferred one."""
    listed = [
        {"version": version, "resources": resources, "freshness": "Current"}
        for version, resources in versions.items()
    ]
    return {"metadata": {"name": name}, "versions": listed}


def resource(plural: str, kind: str, singular: str | None = None, **more: Any) -> Document:
    """Return a namespaced resource in the aggregated format."""
    return {
        "resource": plural,
        "responseKind": {"group": "", "version": "", "kind": kind},
        "scope": "Namespaced",
        "singularResource": kind.lower() if singular is None else singular,
        "verbs": ["get", "list"],
        **more,
    }


class DiscoveryServer:
    """Serves the documents of a real 1.37 server, or given groups, in either format.

    Attributes:
        old: Paths that are answered in the old format; all by default with ``old=True``.
        errors: What is raised for a path instead of an answer.
        bodies: What is answered for a path, whatever the server knows.
        asked: Every target that was asked for.
        gate: While it is not set, no answer comes.
        on_ask: Called with each target before it is answered; it may change the server.
        busiest: How many requests were under way at once.
    """

    def __init__(self, groups: list[Document] | None = None, *, old: bool = False) -> None:
        self.core = json.loads((DATA / "discovery-api.json").read_bytes())["items"]
        named = json.loads((DATA / "discovery-apis.json").read_bytes())["items"]
        self.named: list[Document] = named if groups is None else groups
        self.old = {"/api", "/apis"} if old else set()
        self.content_type = AGGREGATED
        self.errors: dict[str, Exception] = {}
        self.bodies: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.accepted: dict[str, str] = {}
        self.gate = asyncio.Event()
        self.gate.set()
        self.on_ask: Callable[[str], object] | None = None
        self.busy = self.busiest = 0
        self._news = asyncio.Event()

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        assert request.method == "GET"
        assert timeout is not None
        self.asked.append(request.target)
        self.accepted[request.target] = request.accept
        self._news.set()
        self.busy += 1
        self.busiest = max(self.busy, self.busiest)
        try:
            await asyncio.sleep(0)
            await self.gate.wait()
        finally:
            self.busy -= 1
        if self.on_ask:
            self.on_ask(request.target)
        return self._answer(request.target)

    async def until_asked(self, times: int) -> None:
        """Wait until so many requests have come."""
        while len(self.asked) < times:
            self._news.clear()
            await self._news.wait()

    def _answer(self, target: str) -> Response:
        if target in self.errors:
            raise self.errors[target]
        if target in self.bodies:
            return Response(200, (("content-type", "application/json"),), self.bodies[target])
        if target in {"/api", "/apis"} and target not in self.old:
            items = self.core if target == "/api" else self.named
            document: Document = {"kind": "APIGroupDiscoveryList", "metadata": {}, "items": items}
            body = json.dumps(document).encode()
            return Response(200, (("content-type", self.content_type),), body)
        body = json.dumps(self.old_documents()[target]).encode()
        return Response(200, (("content-type", "application/json"),), body)

    def old_documents(self) -> dict[str, Document]:
        """Return everything in the old format, by path."""
        groups = [old_group(each) for each in self.named]
        documents: dict[str, Document] = {
            "/api": {"kind": "APIVersions", "versions": ["v1"]},
            "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups},
        }
        for each in self.core + self.named:
            name = each["metadata"].get("name", "")
            for version in each["versions"]:
                gv = f"{name}/{version['version']}" if name else version["version"]
                path = f"/apis/{gv}" if name else f"/api/{gv}"
                documents[path] = old_resources(gv, version["resources"])
        return documents


def old_group(each: Document) -> Document:
    """Return a group of the aggregated format in the old one."""
    name = each["metadata"]["name"]
    versions = [
        {"groupVersion": f"{name}/{version['version']}", "version": version["version"]}
        for version in each["versions"]
    ]
    return {"name": name, "versions": versions, "preferredVersion": versions[0]}


def old_resources(gv: str, resources: list[Document]) -> Document:
    """Return the resources of a group version of the aggregated format in the old one."""
    entries = []
    for each in resources:
        entry = {
            "name": each["resource"],
            "singularName": each["singularResource"],
            "namespaced": each["scope"] == "Namespaced",
            "kind": each["responseKind"]["kind"],
            "verbs": each["verbs"],
        }
        entries.append(
            entry | {key: each[key] for key in ("shortNames", "categories") if key in each}
        )
        for sub in each.get("subresources", []):
            kind = {key: value for key, value in sub["responseKind"].items() if value}
            place = {"name": f"{each['resource']}/{sub['subresource']}", "verbs": sub["verbs"]}
            entries.append(
                {
                    "singularName": each["singularResource"],
                    "namespaced": entry["namespaced"],
                    **place,
                    **kind,
                }
            )
    return {"kind": "APIResourceList", "groupVersion": gv, "resources": entries}
