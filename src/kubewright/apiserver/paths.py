"""What is served at paths that are not resources: discovery, health, version, metrics, schemas."""

import hashlib
import platform
import sys
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from kubewright._version import VERSION
from kubewright.apiserver.aggregation.remote import Remotes
from kubewright.apiserver.authentication.serviceaccount import ServiceAccountTokens
from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.backend import Backend
from kubewright.apiserver.meta import status
from kubewright.apiserver.metrics import Metrics
from kubewright.apiserver.serving import Serving
from kubewright.apiserver.wire import problem
from kubewright.apiserver.wire.negotiation import accepted
from kubewright.apiserver.wire.request import Request, Response
from kubewright.apiserver.wire.route import Route

if TYPE_CHECKING:
    from kubewright.apiserver.openapi import OpenAPI
    from kubewright.apiserver.registry.discovery import Discovery

MAJOR, MINOR = "1", "37"
CHECKS: tuple[str, ...] = (
    "ping",
    "log",
    "etcd",
    "informer-sync",
    "poststarthook/crd-informer-synced",
)
OPENID, OPENID_KEYS = "/.well-known/openid-configuration", "/openid/v1/jwks"
GROUP = 2  # how many parts /apis/<group> has


class Paths:
    """Answers requests to paths that are not resources.

    Args:
        backend: What is stored and served.
        remotes: What other servers answer.
        accounts: Whose keys are published.
        metrics: What ``/metrics`` shows.
        serving: Knows the address of the server.
    """

    def __init__(
        self,
        backend: Backend,
        remotes: Remotes,
        *,
        accounts: ServiceAccountTokens,
        metrics: Metrics,
        serving: Serving,
    ) -> None:
        self._store = backend.store
        self._registry = backend.registry
        self._remotes = remotes
        self._accounts = accounts
        self._metrics = metrics
        self._serving = serving

    # Made with the first request for them, to keep the start of a server short.

    @cached_property
    def _discovery(self) -> "Discovery":
        from kubewright.apiserver.registry.discovery import Discovery

        return Discovery(self._registry, self._remotes)

    @cached_property
    def _openapi(self) -> "OpenAPI":
        from kubewright.apiserver.openapi import OpenAPI

        return OpenAPI(self._registry, self._remotes)

    async def answer(self, request: Request, route: Route, user: UserInfo) -> Response:
        """Answer, with 404 where nothing is served."""
        if request.method not in ("GET", "HEAD"):
            raise status.unsupported_method()
        path = "/" + route.path.strip("/")
        first = path.split("/")[1]
        if first in ("api", "apis"):
            return self._discover(request, path)
        if first in ("healthz", "livez", "readyz"):
            return _health(path, request)
        if first == "openapi":
            return self._openapi.answer(request, path)
        return self._other(path)

    def _other(self, path: str) -> Response:
        if path == "/version":
            return _json(version())
        if path == "/metrics":
            return Response(200, self._metrics.text(self._gauges()), "text/plain; version=0.0.4")
        if path in (OPENID, OPENID_KEYS):
            return self._openid(path)
        if path == "/":
            return _json({"paths": self._known()})
        body = msgspec.json.encode({"paths": self._known()})
        return Response(404, body)

    def _openid(self, path: str) -> Response:
        from kubewright.apiserver.authentication.reviews import openid_configuration, openid_keys

        accounts = self._accounts
        if path == OPENID:
            return _json(openid_configuration(accounts, self._serving.find_url() or ""))
        return Response(200, msgspec.json.encode(openid_keys(accounts)), "application/jwk-set+json")

    def _known(self) -> list[str]:
        groups = self._registry.groups
        found = [OPENID, "/api", "/api/v1", "/apis", "/apis/"]
        found += [f"/apis/{group}" for group in groups if group]
        found += [f"/apis/{group}/{one}" for group in groups if group for one in groups[group]]
        found += ["/healthz", "/livez", "/metrics", "/openapi/v2", "/openapi/v3"]
        return sorted([*found, OPENID_KEYS, "/readyz", "/version"])

    def _gauges(self) -> dict[str, float]:
        store = self._store
        found = {
            f'apiserver_storage_objects{{resource="{resource}"}}': float(
                len(store.collection(resource))
            )
            for resource in store.resources()
        }
        return {**found, "apiserver_storage_revision": float(store.revision)}

    def _discover(self, request: Request, path: str) -> Response:
        parts = path.strip("/").split("/")
        core = parts[0] == "api"
        if len(parts) == 1:
            form = accepted(request.headers.get("accept", ""), "discovery")
            if form.form == "discovery":
                body = self._discovery.aggregated(core=core, version=form.version)
                media = (
                    "application/json;g=apidiscovery.k8s.io;"
                    f"v={form.version};as=APIGroupDiscoveryList"
                )
                return _tagged(request, body, media)
            address = (self._serving.find_url() or "").partition("://")[2]
            found = self._discovery.core_versions(address) if core else self._discovery.groups()
            return Response(200, found)
        if core:
            return Response(200, self._discovery.resources("", parts[1]))
        if not self._discovery.has_group(parts[1]):
            return problem.NOT_FOUND
        if len(parts) == GROUP:
            return Response(200, self._discovery.group(parts[1]))
        return Response(200, self._discovery.resources(parts[1], parts[2]))


def version() -> dict[str, str]:
    """Return what ``/version`` says: the Kubernetes that we behave like."""
    return {
        "major": MAJOR,
        "minor": MINOR,
        "gitVersion": f"v{MAJOR}.{MINOR}.0+kubewright-{VERSION}",
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{sys.platform}/{platform.machine()}",
    }


def _tagged(request: Request, body: bytes, media: str) -> Response:
    """Answer with *body*, or with 304 if the client has it already."""
    tag = f'"{hashlib.sha256(body).hexdigest().upper()}"'
    headers = (("ETag", tag), ("Vary", "Accept"), ("Cache-Control", "public"))
    if request.headers.get("if-none-match") == tag:
        return Response(304, b"", media, headers)
    return Response(200, body, media, headers)


def _json(content: object) -> Response:
    return Response(200, msgspec.json.encode(content))


def _health(path: str, request: Request) -> Response:
    name, _, check = path.strip("/").partition("/")
    if check:
        if check not in CHECKS:
            return problem.NOT_FOUND
        return Response(200, b"ok", problem.TEXT)
    if "verbose" not in request.query:
        return Response(200, b"ok", problem.TEXT)
    lines = [f"[+]{check} ok" for check in CHECKS]
    return Response(200, "\n".join([*lines, f"{name} check passed\n"]).encode(), problem.TEXT)
