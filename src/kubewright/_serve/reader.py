"""Turns bytes into requests, without any I/O: httptools' parser, and the checks it lacks.

The parser's callbacks run for each request and each header, so they do as little as they can.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from kubewright._serve.limits import Limits
from kubewright._serve.messages import Request, Response, combined
from kubewright._serve.refusals import Refusals

_NAMES: dict[bytes, str] = {}
_NAMES_KEPT = 256
_NO_HOST_BEFORE = "1.1"


class Incoming(NamedTuple):
    """A request from a client, or bytes that get a refusal.

    Attributes:
        request: The request; if it is refused, the part that could be read.
        refusal: The answer to a bad request. It is the last one on the connection.
        keep_alive: Whether the client wants to keep the connection after the answer.
        old: Whether the client speaks HTTP/1.0.
        upgrade: Whether the client asks for an upgrade; nothing is read before the answer.
    """

    request: Request
    refusal: Response | None = None
    keep_alive: bool = True
    old: bool = False
    upgrade: bool = False


class RequestReader:
    """Reads the requests of one connection, and passes each complete one to *put*.

    Attributes:
        partial: Whether a request has begun and is not complete yet.
        heading: Whether its head is not complete yet.
        expects: Whether the client waits for ``100 Continue`` before it sends the body.
        rest: Bytes after a request to upgrade; they belong to the other protocol.
    """

    __slots__ = (
        "_body", "_certificate", "_feed", "_head_size", "_headers", "_limits", "_most", "_parser",
        "_peer", "_put", "_refusals", "_size", "_url", "expects", "heading", "partial", "rest",
    )  # fmt: skip

    def __init__(
        self,
        limits: Limits,
        put: Callable[[Incoming], None],
        *,
        refusals: Refusals = Refusals(),  # noqa: B008  # has no state
        peer: str = "",
        certificate: bytes | None = None,
    ) -> None:
        self._limits = limits
        self._put = put
        self._refusals = refusals
        self._peer = peer
        self._certificate = certificate
        self._url = b""
        self._headers: dict[str, str] = {}
        self._body: bytes | bytearray = b""
        self._size = 0
        self._most = limits.body
        self._head_size = 0
        self._parser: Any = None
        self._feed: Callable[[bytes], object] = _ignore
        self.partial: bool = False
        self.heading: bool = False
        self.expects: bool = False
        self.rest: bytearray = bytearray()
        self.resume()

    # --- What the connection calls ---

    def feed(self, data: bytes) -> None:
        """Parse *data* from the client."""
        try:
            self._feed(data)
        except Exception as error:  # noqa: BLE001  # httptools' errors share no base of their own
            self._handle_stop(error, data)
        if self.partial and self.heading:
            self._head_size += len(data)
            if self._head_size > self._limits.head:
                self.refuse(self._refusals.malformed(431, "Request Header Fields Too Large"))

    def resume(self) -> None:
        """Continue with HTTP after an upgrade was refused."""
        import httptools

        self._parser = httptools.HttpRequestParser(self)
        self._feed = self._parser.feed_data
        rest, self.rest = bytes(self.rest), bytearray()
        if rest:
            self.feed(rest)

    @property
    def held(self) -> int:
        """How many bytes of an incomplete request have arrived."""
        return self._head_size + len(self._body) if self.partial else 0

    def refuse(self, refusal: Response) -> None:
        """Answer with *refusal*, and stop reading."""
        self._body = b""
        request = self._request()
        self.partial = False
        self.close()
        self._put(Incoming(request, refusal, keep_alive=False))

    def close(self) -> None:
        """Ignore further data, and break the reference cycle with the parser."""
        self._feed, self._parser = _ignore, None

    # --- What the parser calls ---

    def on_message_begin(self) -> None:
        """Reset the state for a new request."""
        if self._parser is None:
            raise RuntimeError("no more requests are read")  # ends in _handle_stop
        self._url = b""
        self._headers = {}
        self._body = b""
        self._size = self._head_size = 0
        self.partial = self.heading = True
        self.expects = False

    def on_url(self, url: bytes) -> None:
        """Add a part of the request target."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add one header."""
        if not self.heading:
            return  # trailers are ignored
        known = _NAMES.get(name) or _lowered(name)
        text = value.decode("utf-8", "replace")  # as Go reads them
        headers = self._headers
        headers[known] = combined(known, headers[known], text) if known in headers else text

    def on_headers_complete(self) -> None:
        """Check the head before the body arrives."""
        self.heading = False
        headers = self._headers
        if self._limits.bodies:
            path = self._url.decode("latin-1").partition("?")[0]
            self._most = self._limits.bodies.get(path, self._limits.body)
        if "host" not in headers and self._parser.get_http_version() >= _NO_HOST_BEFORE:
            self.refuse(self._refusals.malformed(what="Bad Request: missing required Host header"))
        elif "content-length" in headers and int(headers["content-length"]) > self._most:
            self.refuse(self._refusals.too_large(self._most))
        elif "expect" in headers:
            self._check_expectation(headers["expect"])

    def _check_expectation(self, what: str) -> None:
        if what.lower() == "100-continue":
            self.expects = self._parser.get_http_version() >= _NO_HOST_BEFORE
        else:
            self.refuse(self._refusals.malformed(417, "Expectation Failed"))

    def on_body(self, data: bytes) -> None:
        """Add a part of the body."""
        self.expects = False  # the client did not wait for 100 Continue
        self._size += len(data)
        if self._size <= self._most:
            self._body = _joined(self._body, data)
        elif self.partial:
            self.refuse(self._refusals.too_large(self._most))

    def on_message_complete(self) -> None:
        """Pass the complete request on."""
        if not self.partial:
            return  # it was refused
        parser = self._parser
        upgrade = parser.should_upgrade()
        if upgrade and self._has_body():
            return  # see _without_upgrade
        self.partial = self.expects = False
        request = self._request()
        if request.path[:1] != "/":
            self.refuse(self._refusals.malformed())
            return
        keep_alive = parser.should_keep_alive()
        old = parser.get_http_version() < _NO_HOST_BEFORE
        if not keep_alive and not upgrade:
            self.close()  # the client said that this request is its last
        self._put(Incoming(request, None, keep_alive, old, upgrade))

    # --- Small things ---

    def _request(self) -> Request:
        path, _, query = self._url.decode("latin-1").partition("?")
        if path[:1] != "/" and "://" in path:
            path = "/" + path.partition("://")[2].partition("/")[2]  # the form for proxies
        headers, self._headers = self._headers, {}
        body, self._body = self._body, b""  # an idle client keeps no body in memory
        return Request(
            self._parser.get_method().decode("latin-1") if self._parser else "",
            path,
            query,
            headers,
            body if isinstance(body, bytes) else bytes(body),
            self._certificate,
            self._peer,
        )

    def _has_body(self) -> bool:
        headers = self._headers
        return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"

    def _handle_stop(self, error: Exception, data: bytes) -> None:
        """Handle the parser's *error*: an upgrade, or a malformed request."""
        import httptools

        if self._parser is None:
            return  # closed in a callback, while the parser was still at work
        if isinstance(error, httptools.HttpParserUpgrade):
            after = data[error.args[0] :]
            if self.partial:
                self._without_upgrade(after)
            else:
                self.rest += after
                self._feed = self.rest.extend
        else:
            self.refuse(self._refusals.malformed())

    def _without_upgrade(self, body: bytes) -> None:
        """Read a request with a body as if it did not ask for an upgrade.

        The parser does not read such a body: it takes the rest for the other protocol. Such a
        request comes from an ordinary client that offers to switch to HTTP/2.
        """
        method = self._parser.get_method()
        kept = [(name, value) for name, value in self._headers.items() if name != "upgrade"]
        lines = "".join(f"{name}: {value}\r\n" for name, value in kept).encode()
        self.rest += b"%b %b HTTP/1.1\r\n%b\r\n" % (method, self._url, lines) + body
        self.resume()


def _lowered(name: bytes) -> str:
    """Return *name* in lower case; clients send the same few names again and again."""
    lowered = name.decode("latin-1").lower()
    if len(_NAMES) < _NAMES_KEPT:
        _NAMES[name] = lowered
    return lowered


def _joined(body: bytes | bytearray, data: bytes) -> bytes | bytearray:
    """Return *body* with *data* appended; a bytearray keeps thousands of small parts cheap."""
    if not body:
        return data
    if isinstance(body, bytes):
        body = bytearray(body)
    body += data
    return body


def _ignore(data: bytes) -> None:
    """Ignore *data*; stands in for a parser."""
