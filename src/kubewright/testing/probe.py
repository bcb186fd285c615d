"""Plain HTTP requests, without any code of Kubewright's client.

What starts a server, or judges a client, must not depend on that client. So this uses the standard
library only: one connection per request, no retries, no pool.
"""

import http.client
import json
import os
import ssl
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from kubewright.testing.server import Server, User

__all__ = ["Answer", "ask", "request"]


class Answer(NamedTuple):
    """The status and the body of an answer."""

    status: int
    body: bytes

    def json(self) -> Any:
        """Return the body as JSON."""
        return json.loads(self.body)


def ask(server: Server, method: str, path: str, *, body: Any = None, timeout: float = 10) -> Answer:
    """Send one request to *server* as its administrator."""
    return request(
        server.url,
        method,
        path,
        user=server.admin,
        ca_data=server.ca_data,
        body=body,
        timeout=timeout,
    )


def request(  # noqa: PLR0913  # a request has as many parts
    url: str,
    method: str,
    path: str,
    *,
    user: User | None = None,
    ca_data: bytes | None = None,
    body: Any = None,
    timeout: float = 10,
) -> Answer:
    """Send one request to *url* and return the answer, whatever its status.

    Raises:
        OSError: No answer came: refused, reset, too late, or not trusted.
        http.client.HTTPException: The answer is not HTTP.
    """
    connection = _connection(url, user, ca_data=ca_data, timeout=timeout)
    try:
        payload = None if body is None else json.dumps(body)
        connection.request(method, urlsplit(url).path.rstrip("/") + path, payload, _headers(user))
        response = connection.getresponse()
        return Answer(response.status, response.read())
    finally:
        connection.close()


def _headers(user: User | None) -> Mapping[str, str]:
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    if user and user.token:
        headers["Authorization"] = f"Bearer {user.token}"
    return headers


def _connection(
    url: str, user: User | None, *, ca_data: bytes | None, timeout: float
) -> http.client.HTTPConnection:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "http":
        return http.client.HTTPConnection(host, parts.port, timeout=timeout)
    context = ssl.create_default_context(cadata=ca_data.decode() if ca_data else None)
    if user and user.certificate and user.key:
        _present(context, user.certificate + b"\n" + user.key)
    return http.client.HTTPSConnection(host, parts.port, timeout=timeout, context=context)


def _present(context: ssl.SSLContext, pem: bytes) -> None:
    # OpenSSL reads a client certificate only from a file; other users cannot read one of mkstemp.
    handle, name = tempfile.mkstemp(prefix="kubewright-client-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
        context.load_cert_chain(name)
    finally:
        Path(name).unlink()
