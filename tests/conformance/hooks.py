"""A webhook of the tests: HTTPS on loopback, answered by a Python function."""

import base64
import contextlib
import http.server
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from kubewright._pki.authority import Authority

Answer = Callable[[dict[str, Any]], dict[str, Any]]


class Hook:
    """Where the webhook is, what it was asked, and what it answers."""

    def __init__(self, url: str, authority: Authority, answer: Answer) -> None:
        self.url: str = url
        self.answer: Answer = answer
        self.asked: list[dict[str, Any]] = []
        self.ca_data: bytes = authority.certificate
        self._ca = base64.b64encode(authority.certificate).decode()

    def client_config(self, path: str = "/") -> dict[str, str]:
        """Return the clientConfig with which a server calls it."""
        return {"url": self.url + path, "caBundle": self._ca}

    def requests(self, name: str) -> list[dict[str, Any]]:
        """Return the admission requests about objects called *name*."""
        return [one["request"] for one in self.asked if one["request"].get("name") == name]


def allow(review: dict[str, Any]) -> dict[str, Any]:
    """Answer an admission review with yes."""
    return respond(review, allowed=True)


def respond(review: dict[str, Any], **response: Any) -> dict[str, Any]:
    """Answer an admission review."""
    return {
        "apiVersion": review["apiVersion"],
        "kind": "AdmissionReview",
        "response": {"uid": review["request"]["uid"], **response},
    }


def json_patch(*operations: dict[str, Any]) -> dict[str, str]:
    """Return the fields of a response that patches."""
    patch = base64.b64encode(json.dumps(operations).encode()).decode()
    return {"patchType": "JSONPatch", "patch": patch}


@contextlib.contextmanager
def serving(folder: Path, answer: Answer = allow) -> Iterator[Hook]:
    """Serve a webhook while the block runs; its certificates are in *folder*."""
    authority = Authority("webhook-ca")
    pair = authority.serving("127.0.0.1")
    certificate = folder / "hook.pem"
    certificate.write_bytes(pair.certificate + b"\n" + pair.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = _Server(("127.0.0.1", 0), _Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.hook = Hook(f"https://127.0.0.1:{server.server_address[1]}", authority, answer)
    thread = threading.Thread(target=server.serve_forever, name="webhook")
    thread.start()
    try:
        yield server.hook
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # callers keep their connections
    hook: Hook

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a caller that goes away is no error."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:  # the parent asks for it by this name
        """Answer one review."""
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        hook = self.server.hook
        hook.asked.append(review)
        body = json.dumps(hook.answer(review)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the parent's name
        """Keep quiet."""
