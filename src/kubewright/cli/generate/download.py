"""Files from the web: one GET, with a limit on its time and its size."""

import asyncio
from urllib.parse import urljoin, urlsplit, urlunsplit

from kubewright._http.endpoint import Limits
from kubewright.api.requests import Request
from kubewright.cli.loop import loop_factory
from kubewright.client.http_transport import HTTPOptions, HTTPTransport
from kubewright.client.proxy import find_proxy
from kubewright.errors import Attempt, ConfigError, TransportError

__all__ = ["download", "without_secrets"]

_TIMEOUT = 30.0
_MOST_REDIRECTS = 5
_OK = 200
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


def download(url: str, *, limit: int) -> bytes:
    """Return what a GET of *url* answers; redirects are followed.

    Args:
        url: The address, with http or https.
        limit: The largest number of bytes.

    Raises:
        ConfigError: There is no such server or file, it takes too long, or is too large.
    """
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(_download(url, limit))


def without_secrets(url: str) -> str:
    """Return *url* without a user, a password, and the part after a question mark."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


async def _download(url: str, limit: int) -> bytes:
    shown, address = without_secrets(url), url
    for _ in range(_MOST_REDIRECTS + 1):
        status, location, body = await _get(address, shown, limit)
        if status == _OK:
            return body
        if status not in _REDIRECTS or not location:
            raise ConfigError(f"cannot read {shown}: the server answered {status}")
        onward = urljoin(address, location)
        if address.startswith("https:") and not onward.startswith("https:"):
            raise ConfigError(f"cannot read {shown}: it redirects to an address without TLS")
        address = onward
    raise ConfigError(f"cannot read {shown}: it redirects more than {_MOST_REDIRECTS} times")


async def _get(url: str, shown: str, limit: int) -> tuple[int, str, bytes]:
    parts = urlsplit(url)
    if parts.username or parts.password:
        raise ConfigError(f"cannot read {shown}: a URL with a password is not sent")
    server = urlunsplit((parts.scheme, parts.netloc, "", "", ""))
    target = urlunsplit(("", "", parts.path or "/", parts.query, ""))
    options = HTTPOptions(
        timeout=_TIMEOUT, proxy=find_proxy(server), limits=Limits(body=limit, connect=10.0)
    )
    request = Request("GET", target, Attempt("get", shown), accept="*/*")
    try:
        async with HTTPTransport(server, options) as transport:
            response = await transport.send(request)
    except TransportError as error:
        raise ConfigError(f"cannot read {shown}: {error}") from error
    return response.status, response.header("location") or "", response.body
