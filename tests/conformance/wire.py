"""Raw HTTP for the conformance tests: what judges a server shares nothing with our client."""

import contextlib
import http.client
import json
import os
import ssl
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self
from urllib.parse import urlencode, urlsplit

from kubewright.client import Config
from kubewright.testing import Server, User

JSON = "application/json"
PATCHES = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}
TIMEOUT: float = 15


class OwnServer(Server, Protocol):
    """A server that we started: it has users of known rights, and its history can be dropped."""

    reader: User
    nobody: User

    def add_user(self, name: str, groups: Sequence[str] = ()) -> User:
        """Return a new user with a client certificate."""
        ...

    def config(self, user: User | None = None) -> Config:
        """Return the configuration with which a client is *user*."""
        ...

    def compact(self) -> int:
        """Forget all history."""
        ...


@dataclass(frozen=True)
class Reply:
    """An answer, with the words for a failed assertion."""

    asked: str
    status: int
    headers: http.client.HTTPMessage = field(repr=False)
    body: bytes = field(repr=False)

    @property
    def text(self) -> str:
        """The whole answer, for messages."""
        return f"{self.asked} -> {self.status} {self.body[:3000].decode(errors='replace')}"

    def json(self) -> Any:
        """Return the body as JSON, whatever the status."""
        return json.loads(self.body)

    def ok(self, status: int | None = None) -> Any:
        """Return the body of an answer that must be good, or must have *status*."""
        assert self.status in ({status} if status else {200, 201, 202}), self.text
        return self.json()

    def refused(self, status: int, reason: str | None = None) -> dict[str, Any]:
        """Return the Status of an answer that must be this error."""
        assert self.status == status, self.text
        found: dict[str, Any] = self.json()
        assert (found["kind"], found["apiVersion"], found["status"]) == ("Status", "v1", "Failure")
        assert found["code"] == status, self.text
        assert found.get("reason") == reason or reason is None, self.text
        return found

    def causes(self) -> list[tuple[str, str, str]]:
        """Return the causes of a 422 as reason, field and message."""
        found = self.refused(422, "Invalid")["details"]["causes"]
        return [(one["reason"], one.get("field", ""), one["message"]) for one in found]

    def warnings(self) -> list[str]:
        """Return the texts of the Warning headers."""
        found = self.headers.get_all("Warning") or []
        return [json.loads(line.removeprefix("299 - ")) for line in found]


class Wire:
    """Sends requests as one user, on one connection that is kept."""

    def __init__(self, server: Server, user: User | None = None) -> None:
        self.server: Server = server
        self.user: User | None = user
        self._parts = urlsplit(server.url)
        self._context = _context(server.ca_data, user) if self._parts.scheme == "https" else None
        self._kept: http.client.HTTPConnection | None = None
        self._others: list[Self] = []

    def as_user(self, user: User | None) -> Self:
        """Return the same for another user, or for nobody known; it is closed with this one."""
        other = type(self)(self.server, user)
        self._others.append(other)
        return other

    def close(self) -> None:
        """Close the connection."""
        for other in self._others:
            other.close()
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def ask(
        self, method: str, path: str, body: Any = None, *, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Send one request; *body* is bytes, or becomes JSON."""
        payload = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        sent = {"Accept": JSON, "Content-Type": JSON, **self._credentials(), **(headers or {})}
        sent = {name: value for name, value in sent.items() if value}
        response = self._send(method, self._parts.path.rstrip("/") + path, payload, sent)
        return Reply(f"{method} {path}", response.status, response.headers, response.read())

    def get(self, path: str, **query: Any) -> Reply:
        """Read *path*, with *query* encoded."""
        return self.ask("GET", with_query(path, **query))

    def post(self, path: str, body: Any) -> Reply:
        """Create."""
        return self.ask("POST", path, body)

    def put(self, path: str, body: Any) -> Reply:
        """Replace."""
        return self.ask("PUT", path, body)

    def delete(self, path: str, body: Any = None) -> Reply:
        """Delete, with DeleteOptions if given."""
        return self.ask("DELETE", path, body)

    def patch(self, path: str, body: Any, kind: str = "merge") -> Reply:
        """Patch in one of the four ways."""
        return self.ask("PATCH", path, body, headers={"Content-Type": PATCHES[kind]})

    def apply(self, path: str, body: Any, *, owner: str = "test", **query: Any) -> Reply:
        """Apply as the field manager *owner*."""
        return self.patch(with_query(path, fieldManager=owner, **query), body, "apply")

    @contextlib.contextmanager
    def watch(self, path: str, **query: Any) -> Iterator[Iterator[dict[str, Any]]]:
        """Watch *path*: yields the events as they come, for at most a few seconds."""
        address = with_query(path, watch="true", **{"timeoutSeconds": 10, **query})
        connection = self._connect()
        try:
            connection.request("GET", address, headers={"Accept": JSON, **self._credentials()})
            response = connection.getresponse()
            assert response.status == 200, (address, response.status, response.read()[:2000])
            yield (json.loads(line) for line in response)
        finally:
            connection.close()

    def _credentials(self) -> dict[str, str]:
        return (
            {"Authorization": f"Bearer {self.user.token}"} if self.user and self.user.token else {}
        )

    def _send(
        self, method: str, path: str, payload: bytes | None, headers: Mapping[str, str]
    ) -> http.client.HTTPResponse:
        kept, self._kept = self._kept, None
        if kept is not None:
            try:
                kept.request(method, path, payload, headers)
                response = kept.getresponse()
            except ConnectionError:
                kept.close()  # the server closed it while it lay idle
            else:
                self._kept = kept
                return response
        self._kept = self._connect()
        self._kept.request(method, path, payload, headers)
        return self._kept.getresponse()

    def _connect(self) -> http.client.HTTPConnection:
        host = self._parts.hostname or ""
        if self._context is None:
            return http.client.HTTPConnection(host, self._parts.port, timeout=TIMEOUT)
        return http.client.HTTPSConnection(
            host, self._parts.port, timeout=TIMEOUT, context=self._context
        )


def with_query(path: str, **query: Any) -> str:
    """Return *path* with *query*; what is None is left out."""
    given = {name: value for name, value in query.items() if value is not None}
    if not given:
        return path
    return f"{path}{'&' if '?' in path else '?'}{urlencode(given)}"


def _context(ca_data: bytes | None, user: User | None) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=ca_data.decode() if ca_data else None)
    if user and user.certificate and user.key:
        # OpenSSL reads a client certificate from a file only.
        handle, name = tempfile.mkstemp(prefix="kubewright-client-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(user.certificate + b"\n" + user.key)
            context.load_cert_chain(name)
        finally:
            Path(name).unlink()
    return context
