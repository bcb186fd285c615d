import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from kubewright.testing import User, probe


class Echo(BaseHTTPRequestHandler):
    """Answers with what it was asked."""

    def do_POST(self) -> None:
        """Answer with the path, the authorization and the body."""
        length = int(self.headers.get("Content-Length") or 0)
        seen = {
            "method": self.command,
            "path": self.path,
            "authorization": self.headers.get("Authorization"),
            "body": self.rfile.read(length).decode(),
        }
        body = json.dumps(seen).encode()
        self.send_response(404 if self.path.endswith("missing") else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST  # noqa: N815  # the standard library asks for this name

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    """The address of a server that echoes."""
    with HTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_body_and_token_are_sent(url: str) -> None:
    """The two things that a test of a server needs."""
    answer = probe.request(url, "POST", "/x", user=User("jane", token="secret"), body={"a": "ü"})

    seen = answer.json()
    assert seen["authorization"] == "Bearer secret"
    assert json.loads(seen["body"]) == {"a": "ü"}


def test_a_path_in_the_address_is_kept(url: str) -> None:
    """Rancher and others serve clusters below a path."""
    answer = probe.request(f"{url}/k8s/clusters/c-1/", "GET", "/version")

    assert answer.json()["path"] == "/k8s/clusters/c-1/version"


def test_an_error_status_is_an_answer(url: str) -> None:
    """The caller decides what 404 means."""
    assert probe.request(url, "GET", "/missing").status == 404


def test_no_answer_is_an_os_error(url: str) -> None:
    """Whoever waits for a server catches one thing."""
    with pytest.raises(OSError, match=r"refused|reset"):
        probe.request("http://127.0.0.1:1", "GET", "/")


def test_an_untrusted_server_is_refused(url: str) -> None:
    """A token must not go to whoever happens to listen on the port."""
    with pytest.raises(OSError, match=r"(?i)ssl|tls|wrong version"):
        probe.request(url.replace("http:", "https:"), "GET", "/", user=User("jane", token="secret"))
