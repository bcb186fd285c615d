"""The bench's own connection to the real server."""

import http.client
import socket
import ssl
import threading
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from bench.runtime.real import Server
from kubewright._pki.authority import Authority

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


class ForgetfulServer:
    """A TLS server that answers what is in *answers*, then closes the connection, unannounced."""

    def __init__(self, folder: Path, *answers: bytes) -> None:
        authority = Authority()
        pair = authority.serving("127.0.0.1")
        (folder / "ca.pem").write_bytes(authority.certificate)
        (folder / "pair.pem").write_bytes(pair.certificate + pair.key)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(folder / "pair.pem")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(10)  # for whoever does not come
        self._answers = answers
        self._thread = threading.Thread(target=self._serve)
        self.requests: list[bytes] = []
        port = self._listener.getsockname()[1]
        self.facts: Any = SimpleNamespace(
            kubeconfig_file=folder / "kubeconfig",
            ca_file=folder / "ca.pem",
            url=f"https://127.0.0.1:{port}",
            token="token",
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()
        self._listener.close()

    def _serve(self) -> None:
        for answer in self._answers:
            with (
                self._listener.accept()[0] as plain,
                self._context.wrap_socket(plain, server_side=True) as secure,
            ):
                self.requests.append(secure.recv(65536).partition(b"\r\n")[0])
                secure.sendall(answer)


def test_a_connection_that_was_closed_while_idle_is_opened_anew(tmp_path: Path) -> None:
    """A server closes what is idle; a bench whose contenders take long must not die of it."""
    with (
        ForgetfulServer(tmp_path, OK, OK, OK) as forgetful,
        closing(Server(forgetful.facts)) as server,
    ):
        statuses = [server.ask("GET", f"/{number}") for number in range(3)]

    assert statuses == [200, 200, 200]
    assert forgetful.requests == [f"GET /{number} HTTP/1.1".encode() for number in range(3)]


def test_a_fresh_connection_that_is_closed_is_an_error(tmp_path: Path) -> None:
    """A server that answers nobody is not asked for ever."""
    with (
        ForgetfulServer(tmp_path, b"") as forgetful,
        closing(Server(forgetful.facts)) as server,
        pytest.raises(ConnectionError),
    ):
        server.ask("GET", "/")


def test_an_answer_that_breaks_off_is_not_asked_for_again(tmp_path: Path) -> None:
    """The server has done then what was asked; a second time would be another measurement."""
    broken = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"

    with (
        ForgetfulServer(tmp_path, broken) as forgetful,
        closing(Server(forgetful.facts)) as server,
        pytest.raises(http.client.IncompleteRead),
    ):
        server.ask("GET", "/")
