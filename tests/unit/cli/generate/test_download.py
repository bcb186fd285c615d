"""Files from the web, from a server on this machine."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from kubewright.cli.generate.download import download, without_secrets
from kubewright.errors import ConfigError

LIMIT = 1000


class Handler(BaseHTTPRequestHandler):
    """Answers by the path."""

    def do_GET(self) -> None:
        """Answer."""
        path, _, query = self.path.partition("?")
        if path == "/moved":
            self._answer(302, location="/crd.yaml")
        elif path == "/round":
            self._answer(302, location="/round")
        elif path == "/large":
            self._answer(200, b"x" * (LIMIT + 1))
        elif path == "/crd.yaml":
            self._answer(200, f"kind: A {query}".encode())
        else:
            self._answer(404, b"no")

    def _answer(self, status: int, body: bytes = b"", *, location: str = "") -> None:
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name there
        """Say nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    """The address of a server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_file_is_read(url: str) -> None:
    """With the question in its address."""
    assert download(f"{url}/crd.yaml?ref=v1", limit=LIMIT) == b"kind: A ref=v1"


def test_redirects_are_followed(url: str) -> None:
    """Files of releases are always elsewhere."""
    assert download(f"{url}/moved", limit=LIMIT) == b"kind: A "


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/none?token=secret", "cannot read {url}/none: the server answered 404"),
        ("/round", "cannot read {url}/round: it redirects more than 5 times"),
        ("/large", "cannot read {url}/large: "),
    ],
)
def test_what_cannot_be_read_is_said(url: str, path: str, message: str) -> None:
    """Without the part of the address that may be a secret."""
    with pytest.raises(ConfigError) as caught:
        download(url + path, limit=LIMIT)

    assert str(caught.value).startswith(message.format(url=url))
    assert "secret" not in str(caught.value)


def test_a_password_is_not_sent(url: str) -> None:
    """It would go to any server that the address is redirected to, and into the error."""
    with pytest.raises(ConfigError, match="a URL with a password is not sent") as caught:
        download(url.replace("127", "me:secret@127") + "/crd.yaml", limit=LIMIT)

    assert "secret" not in str(caught.value)


def test_no_server_is_said() -> None:
    """Port 1 has none."""
    with pytest.raises(ConfigError, match=r"cannot read http://127\.0\.0\.1:1/a: "):
        download("http://127.0.0.1:1/a", limit=LIMIT)


def test_secrets_are_left_out_of_an_address() -> None:
    """What is written into files and messages is read by others."""
    assert without_secrets("https://me:pw@example.com:1/a?token=x#y") == "https://example.com:1/a"
