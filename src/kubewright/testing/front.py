"""One address for two servers: custom resources go to one of them, everything else to the other.

This is what the aggregation layer of a whole cluster does, as far as tests need it. It uses threads
and the standard library, and nothing of the client that tests may judge.
"""

import http.client
import http.server
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

__all__ = ["Front"]

CUSTOM_GROUP: str = "apiextensions.k8s.io"
CHUNK: int = 65536
HOP_BY_HOP: frozenset[str] = frozenset({"connection", "keep-alive", "transfer-encoding", "host"})


class Front:
    """Serves the core server at *core* and the custom-resource server at *custom* as one.

    Args:
        core: The address of the server of built-in kinds.
        custom: The address of the server of custom resources.
        token: The token of a user who may list CustomResourceDefinitions.
        folder: Where ``ca.crt`` is, the authority of both, and ``serving.crt`` with its key.
    """

    def __init__(self, core: str, custom: str, *, token: str, folder: Path) -> None:
        self.core: str = core
        self.custom: str = custom
        self._trust = ssl.create_default_context(cafile=folder / "ca.crt")
        self._token = token
        self._built_in: frozenset[str] | None = None
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._server.tls.load_cert_chain(folder / "serving.crt", folder / "serving.key")
        self._thread = threading.Thread(target=self._server.serve_forever, name="front")

    @property
    def url(self) -> str:
        """The one address."""
        return f"https://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> None:
        """Answer requests until `stop`."""
        self._thread.daemon = True  # a test run that dies must not hang here
        self._thread.start()

    def stop(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def upstream(self, path: str) -> str:
        """Return the address of the server that answers *path*."""
        parts = path.partition("?")[0].strip("/").split("/")
        if parts[0] in ("version", "openapi"):
            return self.custom
        if parts[0] == "apis" and len(parts) > 1 and parts[1] not in self._core_groups():
            return self.custom
        return self.core

    def connect(self, url: str) -> http.client.HTTPConnection:
        """Return a connection to one of the servers."""
        parts = urlsplit(url)
        return http.client.HTTPSConnection(parts.hostname or "", parts.port, context=self._trust)

    def groups(self) -> dict[str, Any]:
        """Return the index of groups: the core server's, and those of the established CRDs."""
        index: dict[str, Any] = self._get(self.core, "/apis")
        mine = [group for group in index["groups"] if group["name"] in self._core_groups()]
        found = (self._get(self.custom, f"/apis/{name}") for name in self._custom_groups())
        index["groups"] = mine + [group for group in found if group.get("kind") == "APIGroup"]
        return index

    def _core_groups(self) -> frozenset[str]:
        if self._built_in is None:
            groups = self._get(self.core, "/apis")["groups"]
            self._built_in = frozenset(group["name"] for group in groups) - {CUSTOM_GROUP}
        return self._built_in

    def _custom_groups(self) -> list[str]:
        path = f"/apis/{CUSTOM_GROUP}/v1/customresourcedefinitions"
        crds = self._get(self.custom, path)["items"]
        return [CUSTOM_GROUP, *sorted({crd["spec"]["group"] for crd in crds})]

    def _get(self, url: str, path: str) -> Any:
        connection = self.connect(url)
        try:
            headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
            connection.request("GET", path, headers=headers)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a watch may be open for minutes

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)

    def get_request(self) -> tuple[ssl.SSLSocket, Any]:
        """Accept; the handshake waits for the thread of the connection."""
        accepted, address = super().get_request()
        # Without this a kept connection waits 40 ms for every answer of two pieces.
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        wrapped = self.tls.wrap_socket(accepted, server_side=True, do_handshake_on_connect=False)
        return wrapped, address

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore it: a client that goes away is not an error."""


def _handler(front: Front) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(_Handler):
        pass

    Handler.front = front
    return Handler


class _Handler(http.server.BaseHTTPRequestHandler):
    front: Front
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self._open: dict[str, http.client.HTTPConnection] = {}

    def finish(self) -> None:
        for connection in self._open.values():
            connection.close()
        super().finish()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name is the parent's
        """Log nothing: the servers behind it have logs of their own."""

    def _forward(self) -> None:
        body = self._body()
        if self.path.partition("?")[0] == "/apis":  # neither server knows all groups
            self._say(json.dumps(self.front.groups()).encode())
            return
        self._pass_on(self._ask(body))

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_HEAD = _forward  # noqa: N815  # the parent asks for them by these names

    def _ask(self, body: bytes) -> http.client.HTTPResponse:
        url = self.front.upstream(self.path)
        kept = self._open.pop(url, None)
        if kept is not None:
            try:
                return self._send(url, kept, body)
            except ConnectionError:
                kept.close()  # closed while it was idle; nothing of this request was read
        return self._send(url, self.front.connect(url), body)

    def _send(
        self, url: str, connection: http.client.HTTPConnection, body: bytes
    ) -> http.client.HTTPResponse:
        headers = {k: v for k, v in self.headers.items() if k.lower() not in HOP_BY_HOP}
        connection.request(self.command, self.path, body or None, headers)
        response = connection.getresponse()
        self._open[url] = connection
        return response

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return b"".join(self._chunks())
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass

    def _say(self, body: bytes) -> None:
        self.send_response(http.client.OK)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _pass_on(self, response: http.client.HTTPResponse) -> None:
        self.send_response_only(response.status, response.reason)
        whole = response.headers.get("Content-Length") is not None or response.length == 0
        for name, value in response.headers.items():
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        if not whole:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        # read1 returns what has arrived, so that the events of a watch go out one by one.
        while piece := response.read1(CHUNK):
            self.wfile.write(piece if whole else b"%x\r\n%b\r\n" % (len(piece), piece))
        response.close()  # http.client does not close it at its end
        if not whole:
            self.wfile.write(b"0\r\n\r\n")
