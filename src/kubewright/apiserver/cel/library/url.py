"""URLs: ``url('https://example.com:80/a?b=c').getHost()``, read as Go reads them."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote_plus, unquote_to_bytes

from kubewright.apiserver.cel.celtype import Type
from kubewright.apiserver.cel.declarations import Overload, declare
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.values import TYPES
from kubewright.apiserver.meta.field import quoted

_NAME: Final = "kubernetes.URL"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+\-.]*):", re.ASCII)
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_BAD_HOST = re.compile(r"[^A-Za-z0-9\-_.~!$&'()*+,;=:\[\]<>\"%\u0080-\U0010ffff]")
_ENCODED_PATH = re.compile(r"(?:[A-Za-z0-9\-_.~!$&'()*+,;=:@\[\]/]|%[0-9A-Fa-f]{2})*", re.ASCII)
_PLAIN_PATH: Final = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~$&+,/:;=@"
)


@dataclass(frozen=True, slots=True)
class URL:
    """The parts of a URL; the path is kept as written."""

    scheme: str = ""
    user: str = ""
    host: str = ""
    path: str = ""
    query: str = ""
    fragment: str = ""

    @property
    def hostname(self) -> str:
        """The host without port and brackets."""
        host = self.host
        if host.startswith("[") and "]" in host:
            return host[1 : host.index("]")]
        return host.rpartition(":")[0] if self.port or host.endswith(":") else host

    @property
    def port(self) -> str:
        """The port, or ``""``."""
        tail = self.host.rpartition("]")[2] if self.host.startswith("[") else self.host
        port = tail.rpartition(":")[2] if ":" in tail else ""
        return port if port.isascii() and port.isdigit() else ""

    @property
    def escaped_path(self) -> str:
        """The path with special characters escaped."""
        if self.path == "*" or _ENCODED_PATH.fullmatch(self.path):
            return self.path
        data = unquote_to_bytes(self.path)
        return "".join(chr(b) if b in _PLAIN_PATH else f"%{b:02X}" for b in data)

    def queries(self) -> dict[str, list[str]]:
        """Return the values of each key in the query; malformed pairs are left out."""
        found: dict[str, list[str]] = {}
        for pair in self.query.split("&"):
            if not pair or ";" in pair or _BAD_ESCAPE.search(pair):
                continue
            key, _, value = pair.partition("=")
            found.setdefault(unquote_plus(key), []).append(unquote_plus(value))
        return found


TYPES[URL] = Type("object", _NAME)


class _URLError(ValueError):
    """The text is not a URL."""


def parse_url(text: str) -> URL:
    """Read a URL: absolute, or a path.

    Raises:
        ValueError: It is not a URL; the text is Go's.
    """
    try:
        _parsed(text, request=True)
        head, _, fragment = text.partition("#")
        url = _parsed(head, request=False)
        _check_escapes(fragment)
    except _URLError as error:
        raise ValueError(f"parse {quoted(text)}: {error}") from None
    return URL(url.scheme, url.user, url.host, url.path, url.query, fragment)


def uri_problem(text: str) -> str:
    """Return why *text* is not a request URI, or ``""``."""
    try:
        _parsed(text, request=True)
    except _URLError as error:
        return f"parse {quoted(text)}: {error}"
    return ""


def _parsed(text: str, *, request: bool) -> URL:
    if _CONTROL.search(text):
        raise _URLError("net/url: invalid control character in URL")
    if not text and request:
        raise _URLError("empty url")
    if text == "*":
        return URL(path="*")
    scheme, rest = _scheme(text)
    rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        if scheme:
            return URL(scheme=scheme, query=query)
        if request:
            raise _URLError("invalid URI for request")
        if ":" in rest.split("/", 1)[0]:
            raise _URLError("first path segment in URL cannot contain colon")
    user = host = ""
    if rest.startswith("//") and (scheme or (not request and not rest.startswith("///"))):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        user, host = _authority(authority)
    _check_escapes(rest)
    return URL(scheme, user, host, rest, query)


def _scheme(text: str) -> tuple[str, str]:
    if text.startswith(":"):
        raise _URLError("missing protocol scheme")
    match = _SCHEME.match(text)
    return (match[1].lower(), text[match.end() :]) if match else ("", text)


def _authority(text: str) -> tuple[str, str]:
    user, at, host = text.rpartition("@")
    if at and not re.fullmatch(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*", user):
        raise _URLError("net/url: invalid userinfo")
    _check_escapes(user)
    if host.startswith("["):
        closing = host.rfind("]")
        if closing < 0:
            raise _URLError("missing ']' in host")
        tail = host[closing + 1 :]
    else:
        colon = host.rfind(":")
        tail = host[colon:] if colon >= 0 else ""
    if not re.fullmatch(r"(?::[0-9]*)?", tail, re.ASCII):
        raise _URLError(f"invalid port {quoted(tail)} after host")
    if bad := _BAD_HOST.search(host):
        raise _URLError(f"invalid character {quoted(bad[0])} in host name")
    _check_escapes(host)
    return user, host


def _check_escapes(text: str) -> None:
    if bad := _BAD_ESCAPE.search(text):
        raise _URLError(f"invalid URL escape {quoted(bad[0])}")


def _url(text: str) -> URL:
    try:
        return parse_url(text)
    except ValueError as error:
        shown = f"URL parse error during conversion from string: {error}"
        raise EvaluationError(shown) from None


declare(
    {
        "url": [Overload("string_to_url", f"(string) -> {_NAME}", _url)],
        "isURL": [
            Overload("is_url_string", "(string) -> bool", lambda text: not uri_problem(text))
        ],
        "getScheme": [Overload("url_get_scheme", f"{_NAME}.() -> string", lambda url: url.scheme)],
        "getHost": [Overload("url_get_host", f"{_NAME}.() -> string", lambda url: url.host)],
        "getHostname": [
            Overload("url_get_hostname", f"{_NAME}.() -> string", lambda url: url.hostname)
        ],
        "getPort": [Overload("url_get_port", f"{_NAME}.() -> string", lambda url: url.port)],
        "getEscapedPath": [
            Overload("url_get_escaped_path", f"{_NAME}.() -> string", lambda url: url.escaped_path)
        ],
        "getQuery": [
            Overload("url_get_query", f"{_NAME}.() -> map(string, list(string))", URL.queries)
        ],
    }
)
