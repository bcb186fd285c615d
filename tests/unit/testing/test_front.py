import http.client
import http.server
import json
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kubewright._pki.authority import Authority
from kubewright.testing.front import Front

GROUPS = {
    "/apis": {
        "kind": "APIGroupList",
        "groups": [{"name": "apps"}, {"name": "apiextensions.k8s.io"}],
    },
    "/apis/apiextensions.k8s.io": {"kind": "APIGroup", "name": "apiextensions.k8s.io"},
    "/apis/example.com": {"kind": "APIGroup", "name": "example.com"},
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions": {
        "items": [{"spec": {"group": "example.com"}}, {"spec": {"group": "example.com"}}]
    },
}


class Upstream(http.server.BaseHTTPRequestHandler):
    """Says who it is and what it was asked, or streams."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:  # the parent asks for it by this name
        """Answer with JSON, or with three chunks for a watch."""
        if "watch" in self.path:
            self._stream()
            return
        known = GROUPS.get(self.path)
        self._say(known or {"server": self.server.name, "path": self.path})  # type: ignore[attr-defined]  # ours

    def do_POST(self) -> None:  # the parent asks for it by this name
        """Send the body back."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._say({"got": body.decode(), "token": self.headers["Authorization"]})

    def _say(self, found: Any) -> None:
        body = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in (b"one\n", b"two\n"):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the parent's name
        """Keep quiet."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Certificates, as a real server keeps them."""
    authority = Authority()
    pair = authority.serving("127.0.0.1")
    (tmp_path / "ca.crt").write_bytes(authority.certificate)
    (tmp_path / "serving.crt").write_bytes(pair.certificate)
    (tmp_path / "serving.key").write_bytes(pair.key)
    return tmp_path


@pytest.fixture
def front(folder: Path) -> Iterator[Front]:
    """A front for two servers that only echo."""
    servers = []
    for name in ("core", "custom"):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
        server.daemon_threads, server.block_on_close = True, False
        server.name = name  # type: ignore[attr-defined]  # ours
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "serving.crt", folder / "serving.key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
    core, custom = (f"https://127.0.0.1:{server.server_address[1]}" for server in servers)
    front = Front(core, custom, token="t", folder=folder)
    front.start()
    yield front
    front.stop()
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def connection(front: Front, folder: Path) -> Iterator[http.client.HTTPSConnection]:
    """One connection to the front, kept for the whole test."""
    port = int(front.url.rpartition(":")[2])
    context = ssl.create_default_context(cafile=folder / "ca.crt")
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=10)
    yield connection
    connection.close()


def get(connection: http.client.HTTPSConnection, path: str) -> Any:
    """Ask on the kept connection."""
    connection.request("GET", path)
    return json.loads(connection.getresponse().read())


@pytest.mark.parametrize(
    ("path", "server"),
    [
        ("/api/v1/pods", "core"),
        ("/apis/apps/v1/deployments?limit=1", "core"),
        ("/apis/apiextensions.k8s.io/v1", "custom"),
        ("/apis/example.com/v1/things", "custom"),
        ("/version", "custom"),
        ("/openapi/v3", "custom"),
        ("/healthz", "core"),
    ],
)
def test_each_path_has_its_server(
    connection: http.client.HTTPSConnection, path: str, server: str
) -> None:
    """Built-in groups are the core server's, and all other groups are custom."""
    assert get(connection, path) == {"server": server, "path": path}


def test_the_index_has_the_groups_of_both(connection: http.client.HTTPSConnection) -> None:
    """Neither server knows all of them; each group comes once."""
    found = get(connection, "/apis")

    names = [group["name"] for group in found["groups"]]
    assert names == ["apps", "apiextensions.k8s.io", "example.com"]


def test_bodies_and_credentials_are_passed_on(connection: http.client.HTTPSConnection) -> None:
    """Also when the client sends the body in chunks."""
    headers = {"Authorization": "Bearer x"}
    connection.request("POST", "/api/v1/pods", b"whole", headers)
    whole = json.loads(connection.getresponse().read())
    connection.request(
        "POST", "/api/v1/pods", iter([b"in ", b"parts"]), headers, encode_chunked=True
    )
    parts = json.loads(connection.getresponse().read())

    assert whole == {"got": "whole", "token": "Bearer x"}
    assert parts == {"got": "in parts", "token": "Bearer x"}


def test_a_stream_is_passed_on_and_the_connection_kept(
    connection: http.client.HTTPSConnection,
) -> None:
    """A watch ends, and the next request goes over the same connections."""
    connection.request("GET", "/api/v1/pods?watch=true")
    streamed = connection.getresponse().read()

    assert streamed == b"one\ntwo\n"
    assert get(connection, "/api/v1/pods")["server"] == "core"
