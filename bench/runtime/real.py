"""The real server as the contenders find it: the Widget kind, namespaces, objects to work on."""

import http.client
import json
import ssl
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kubewright.testing import RealServer

GROUP = "bench.kubewright.dev"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
ATTEMPTS = 200
WARM_UP = 200
_BOOLEAN, _INTEGER = {"type": "boolean"}, {"type": "integer"}
_SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {"type": "object", "properties": {"size": _INTEGER}},
        "status": {
            "type": "object",
            "properties": {"ready": _BOOLEAN, "observedGeneration": _INTEGER},
            # Kopf keeps its progress there.
            "x-kubernetes-preserve-unknown-fields": True,
        },
    },
}
CRD: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"widgets.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets", "singular": "widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": _SCHEMA},
            }
        ],
    },
}


class Server:
    """A connection to the real server, with nothing of Kubewright's client in it."""

    def __init__(self, server: RealServer) -> None:
        self.kubeconfig: Path = server.kubeconfig_file
        context = ssl.create_default_context(cafile=str(server.ca_file))
        address = urlsplit(server.url).netloc
        self._connection = http.client.HTTPSConnection(address, context=context, timeout=30)
        self._headers = {
            "Authorization": f"Bearer {server.token}",
            "Content-Type": "application/json",
        }
        self._made = 0

    def ask(self, method: str, path: str, body: Any = None, *, media: str = "") -> int:
        """Send one request; return the status of the answer.

        A server may close a connection that has been idle, and current ones do. Then nothing comes
        back, and the request is sent once more, over a new connection.
        """
        headers = self._headers | ({"Content-Type": media} if media else {})
        content = None if body is None else json.dumps(body).encode()
        was_open = self._connection.sock is not None
        try:
            answer = self._answer(method, path, content, headers)
        except (ConnectionError, ssl.SSLEOFError):
            self._connection.close()
            if not was_open:
                raise
            answer = self._answer(method, path, content, headers)
        answer.read()
        return answer.status

    def _answer(
        self, method: str, path: str, content: bytes | None, headers: dict[str, str]
    ) -> http.client.HTTPResponse:
        self._connection.request(method, path, content, headers)
        return self._connection.getresponse()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def create(self, path: str, body: Any) -> None:
        """Create an object; anything but success is an error."""
        status = self.ask("POST", path, body)
        if status != http.client.CREATED:
            raise RuntimeError(f"cannot create {body['kind']} at {path}: {status}")

    def serve_widgets(self) -> None:
        """Create the kind and wait until it is served."""
        self.create(CRDS, CRD)
        for _ in range(ATTEMPTS):
            if self.ask("GET", f"/apis/{GROUP}/v1/widgets") == http.client.OK:
                return
            time.sleep(0.05)
        raise RuntimeError("the server does not serve widgets")

    def warm_up(self) -> None:
        """Do what contenders will do, so that none of them pays for the server's first time."""
        namespace = self.new_namespace()
        self.create_widgets(namespace, WARM_UP)
        for number in range(WARM_UP):
            name = f"widget-{number}"
            child = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
            path = f"/api/v1/namespaces/{namespace}/configmaps/{name}?fieldManager=bench&force=true"
            self.ask("PATCH", path, child | {"data": {"size": "1"}}, media=APPLY_PATCH)
            path = f"/apis/{GROUP}/v1/namespaces/{namespace}/widgets/{name}/status"
            self.ask("PATCH", path, {"status": {"ready": True}}, media=MERGE_PATCH)

    def new_namespace(self) -> str:
        """Create a namespace that nobody has used; return its name."""
        self._made += 1
        name = f"bench-{self._made}"
        metadata = {"name": name}
        self.create(
            "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
        )
        return name

    def create_widgets(self, namespace: str, count: int) -> None:
        """Create *count* widgets."""
        path = f"/apis/{GROUP}/v1/namespaces/{namespace}/widgets"
        for number in range(count):
            metadata = {"name": f"widget-{number}", "namespace": namespace}
            spec = {"size": number % 100}
            body = {"apiVersion": f"{GROUP}/v1", "kind": "Widget"}
            self.create(path, body | {"metadata": metadata, "spec": spec})


@contextmanager
def real_server(assets: Path | None, *flags: str) -> Iterator[Server]:
    """Start etcd and kube-apiserver, with the Widget kind; *flags* are for the latter."""
    with (
        RealServer(assets=assets, apiserver_flags=flags) as started,
        closing(Server(started)) as server,
    ):
        server.serve_widgets()
        server.warm_up()
        yield server
