"""The server a connection goes to, and the route it takes."""

import ssl
from base64 import b64encode
from collections.abc import Callable
from urllib.parse import SplitResult, quote, unquote, urlsplit

import msgspec

from kubewright.errors import ConfigError

_DEFAULT_PORTS = {"http": 80, "https": 443}
_IN_PATHS = "/%:@!$&'()*+,;=~"  # besides letters and digits; encoded characters stay encoded


class Endpoint(msgspec.Struct, frozen=True):
    """A server: ``https://host:port``."""

    scheme: str
    host: str
    port: int
    authority: str  # host and port as they stand in the URL, for the Host header

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def secure(self) -> bool:
        """Whether the connection is inside TLS."""
        return self.scheme == "https"

    @property
    def host_port(self) -> str:
        """The host with its port, always both, as CONNECT wants it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


class Proxy(msgspec.Struct, frozen=True):
    """An HTTP proxy, and what to tell it about us."""

    endpoint: Endpoint
    authorization: str = ""  # the value of Proxy-Authorization

    def __repr__(self) -> str:
        secret = ", authorization=***" if self.authorization else ""
        return f"Proxy({str(self.endpoint)!r}{secret})"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("", repr(self))]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds on times and sizes; the times are client-go's."""

    connect: float = 30.0
    """Seconds for name lookup and TCP."""
    handshake: float = 10.0
    """Seconds for TLS."""
    idle: float = 90.0
    """Seconds after which an unused connection is closed."""
    idle_connections: int = 25
    """How many unused connections are kept."""
    connections: int | None = 100
    """How many requests may be under way at once; the others wait. Streams are not counted."""
    head: int = 1 << 20
    """Bytes that the headers of an answer may take."""
    body: int | None = 1 << 30
    """Bytes that an answer may take, after decompression; streams are not counted."""
    stream_buffer: int = 1 << 20
    """Bytes of a stream that are buffered for a slow reader before we stop reading."""


class Route(msgspec.Struct, frozen=True):
    """A server, with the proxy and the TLS settings to reach it."""

    endpoint: Endpoint
    context: Callable[[], ssl.SSLContext]  # called for each connection: files may change
    server_name: str | None = None
    proxy: Proxy | None = None
    proxy_context: Callable[[], ssl.SSLContext] | None = None

    def __str__(self) -> str:
        return (
            f"{self.endpoint} through {self.proxy.endpoint}" if self.proxy else f"{self.endpoint}"
        )


def endpoint_of(url: str) -> tuple[Endpoint, str]:
    """Return the server of *url*, and the path that is put before every request's path.

    Raises:
        ConfigError: It is not a URL of an HTTP server.
    """
    what = "server address"
    parts = _split(url, what=what)
    try:
        path = quote(parts.path, safe=_IN_PATHS)
    except UnicodeError:
        raise ConfigError(f"cannot use {_shown(url)!r} as a {what}: its path is not text") from None
    return _endpoint(parts, what=what), path.rstrip("/")


def proxy_of(url: str) -> Proxy:
    """Return the proxy at *url*; a user and password in it become basic authorization.

    Raises:
        ConfigError: It is not a URL of an HTTP proxy.
    """
    what = "proxy address"
    parts = _split(url, what=what)
    if parts.username is None:
        return Proxy(_endpoint(parts, what=what))

    user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return Proxy(_endpoint(parts, what=what), f"Basic {b64encode(user.encode()).decode()}")


def _split(url: str, *, what: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # the property parses it, and may raise
    except ValueError as error:
        raise ConfigError(f"cannot use {_shown(url)!r} as a {what}: {error}") from error
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        raise ConfigError(
            f"cannot use {_shown(url)!r} as a {what}: it must begin with https:// or http:// and"
            " name a host, such as https://10.0.0.1:6443"
        )
    return parts


def _shown(url: str) -> str:
    """Return *url* without anything that may be a password."""
    before, at, after = url.rpartition("@")
    return f"{before.partition('://')[0]}://***@{after}" if at else url


def _endpoint(parts: SplitResult, *, what: str) -> Endpoint:
    host, authority = parts.hostname or "", parts.netloc.rpartition("@")[2]
    port = f":{parts.port}" if parts.port else ""
    if not host.isascii():
        host = _punycode(host, what=what)
        authority = f"{host}{port}"
    elif ":" in host and "%" in host:
        # The zone names a network interface of this machine; the server has no use for it.
        address, _, zone = host.partition("%")
        host = f"{address}%{unquote(zone.removeprefix('25') or zone)}"
        authority = f"[{address}]{port}"
    return Endpoint(parts.scheme, host, parts.port or _DEFAULT_PORTS[parts.scheme], authority)


def _punycode(host: str, *, what: str) -> str:
    try:
        return host.encode("idna").decode()
    except UnicodeError as error:
        raise ConfigError(
            f"cannot use the host {host!r} as a {what}: it is not a domain name ({error})"
        ) from None
