"""A registry on this machine, as much of one as is asked of it."""

import gzip
import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["RegistryServer", "digest_of", "layer", "serving"]

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"


def digest_of(data: bytes) -> str:
    """Return the digest by which a registry names *data*."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def layer(files: Mapping[str, str], *, packed: bool = True) -> bytes:
    """Return an archive with files."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        for path, content in files.items():
            data = content.encode()
            member = tarfile.TarInfo(path)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(plain.getvalue()) if packed else plain.getvalue()


class RegistryServer:
    """What a registry has; tests may change all of it.

    Attributes:
        blobs: Layers and configurations, by digest.
        manifests: Manifests with their types, by repository and tag or digest.
        token: The token that it wants; empty for none.
        password: What it wants for a token, or, without a token, for everything.
        asked: The paths that were asked for.
        lies: What it sends instead, by path.
        redirects: Where it sends people to, by path.
    """

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}
        self.manifests: dict[str, tuple[str, bytes]] = {}
        self.token = ""
        self.password = ""
        self.asked: list[tuple[str, str]] = []
        self.lies: dict[str, bytes] = {}
        self.redirects: dict[str, str] = {}
        self.host = ""

    def add(self, name: str, *layers: bytes, platform: str = "linux/amd64") -> str:
        """Add an image such as ``shop:v1``; return its digest."""
        system, _, architecture = platform.partition("/")
        config = json.dumps({"os": system, "architecture": architecture}).encode()
        for one in (config, *layers):
            self.blobs[digest_of(one)] = one
        content = {
            "mediaType": MANIFEST,
            "config": {"digest": digest_of(config)},
            "layers": [{"digest": digest_of(one)} for one in layers],
        }
        return self._put(name, MANIFEST, content)

    def add_index(self, name: str, *platforms: str) -> str:
        """Add an image for several platforms; return its digest."""
        listed = []
        for one in platforms:
            system, _, architecture = one.partition("/")
            digest = self.add(name, layer({"manifests/a.yaml": one}), platform=one)
            platform = {"os": system, "architecture": architecture}
            listed.append({"digest": digest, "platform": platform})
        return self._put(name, INDEX, {"mediaType": INDEX, "manifests": listed})

    def _put(self, name: str, kind: str, content: Any) -> str:
        data = json.dumps(content).encode()
        repository, _, tag = name.partition(":")
        for reference in (tag, digest_of(data)):
            self.manifests[f"{repository}/{reference}"] = (kind, data)
        return digest_of(data)


@contextmanager
def serving() -> Iterator[RegistryServer]:
    """Serve a registry at a free port."""
    registry = RegistryServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(registry))
    registry.host = f"localhost:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield registry
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(registry: RegistryServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            who = self.headers.get("Authorization", "")
            registry.asked.append((self.path, who))
            status, headers, body = _answer(registry, path, who)
            self.send_response(status)
            for key, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name
            pass

    return Handler


def _answer(registry: RegistryServer, path: str, who: str) -> tuple[int, dict[str, str], bytes]:
    basic = f"Basic {registry.password}" if registry.password else ""
    if path == "/token":
        if basic and who != basic:
            return 401, {}, b'{"errors": [{"message": "wrong password"}]}'
        return 200, {}, json.dumps({"token": registry.token}).encode()
    if registry.token and who != f"Bearer {registry.token}":
        realm = f'Bearer realm="http://{registry.host}/token",service="here"'
        return 401, {"WWW-Authenticate": realm}, b"{}"
    if basic and not registry.token and who != basic:
        return 401, {"WWW-Authenticate": 'Basic realm="here"'}, b"{}"
    return _content(registry, path)


def _content(registry: RegistryServer, path: str) -> tuple[int, dict[str, str], bytes]:
    if path in registry.redirects:
        return 307, {"Location": registry.redirects[path]}, b""
    if path in registry.lies:
        return 200, {"Content-Type": MANIFEST}, registry.lies[path]
    repository, _, rest = path.removeprefix("/v2/").partition("/manifests/")
    if f"{repository}/{rest}" in registry.manifests:
        kind, data = registry.manifests[f"{repository}/{rest}"]
        return 200, {"Content-Type": kind}, data
    digest = path.rpartition("/blobs/")[2]
    if digest in registry.blobs:
        return 200, {}, registry.blobs[digest]
    return 404, {}, b'{"errors": [{"code": "X", "message": "manifest unknown"}]}'
