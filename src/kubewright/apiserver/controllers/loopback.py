"""Requests of the controllers to their own server."""

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import quote

import msgspec

from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.registry import Registry
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.wire.request import Answer, Request, Response

Handle = Callable[[Request], Awaitable[Answer]]
"""Answers a request, as `APIServer.handle` does."""


class Loopback:
    """Asks as a client would, so that admission and audit see it."""

    def __init__(self, handle: Handle, registry: Registry, name: str) -> None:
        self._handle = handle
        self._registry = registry
        self._headers = {
            "user-agent": f"kubewright/{name}",
            # So that the audit log tells the controllers from the administrator.
            "impersonate-user": f"system:serviceaccount:kube-system:{name}",
            "impersonate-group": "system:masters",
        }

    def path(self, resource: GroupResource, namespace: str, name: str = "") -> str | None:
        """Return the path of an object or collection; ``None`` if it is no longer served."""
        registry = self._registry
        # Objects may be stored in a version that is not served.
        served, hub = registry.versions_of(resource), registry.find_hub(resource)
        if hub is None or not served:
            return None
        return path_of(hub if hub in served else served[0], namespace, name)

    async def ask(self, method: str, path: str, body: Any = None, *, media: str = "") -> Response:
        """Send a request, and return the answer."""
        headers = {**self._headers, "content-type": media or "application/json"}
        data = b"" if body is None else msgspec.json.encode(body)
        path, _, query = path.partition("?")
        answer = await self._handle(
            Request(method, path, query, headers=headers, body=data, trusted=True)
        )
        assert isinstance(answer, Response)
        return answer


def path_of(resource: Resource, namespace: str, name: str = "") -> str:
    """Return the path of an object or collection."""
    root = f"/apis/{resource.group}" if resource.group else "/api"
    path = f"{root}/{resource.version}"
    if resource.namespaced and namespace:
        path += f"/namespaces/{namespace}"
    path += f"/{resource.plural}"
    return f"{path}/{quote(name, safe='')}" if name else path
