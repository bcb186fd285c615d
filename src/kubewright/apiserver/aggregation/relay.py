"""Passes requests on to aggregated API servers, in the name of the user who asked."""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import quote

from kubewright._aio import Clock
from kubewright._http.connection import ClientConnection
from kubewright._http.duplex import RawConnection
from kubewright._http.endpoint import Endpoint, Limits, Route
from kubewright._http.pool import Pool
from kubewright._http.stream import BodyStream
from kubewright._pki.keypair import KeyPair
from kubewright._pki.trust import Trust
from kubewright._serve.tls import load_pair
from kubewright.apiserver.admission.webhook_client import Resolver, WebhookError, go_error
from kubewright.apiserver.aggregation.remote import Remote
from kubewright.apiserver.authentication.user import MASTERS, UserInfo
from kubewright.apiserver.wire import problem
from kubewright.apiserver.wire.request import Answer, Duplex, Request, Response, Stream, Upgrade
from kubewright.apiserver.wire.route import is_true, parse_query
from kubewright.errors import TransportError

AGGREGATOR: UserInfo = UserInfo("system:kube-aggregator", groups=(MASTERS,))
"""The user of requests that this server makes for itself."""

CHECK_TIME: float = 5.0
REQUEST_TIME: float = 60.0
_LIMITS = Limits(body=64 << 20, connections=None)
_UPSTREAMS_KEPT = 64
_BODILESS = frozenset({204, 304})
_UNAVAILABLE = 503
# Hop-by-hop headers, headers that name the user, and headers that ask for an encoding which we
# would have to undo.
_NEIGHBOURS = frozenset(
    {
        "accept-encoding", "authorization", "connection", "content-length", "cookie", "expect",
        "host", "http2-settings", "keep-alive", "proxy-authenticate", "proxy-authorization",
        "proxy-connection", "te",  # codespell:ignore te
        "trailer", "transfer-encoding", "upgrade",
    }
)  # fmt: skip
_IDENTITY = ("x-remote-", "impersonate-", "x-forwarded-")


class Found(NamedTuple):
    """A whole answer of another server."""

    status: int
    headers: dict[str, str]
    body: bytes


class _Upstream(NamedTuple):
    """How a server is reached, and how it is known to be the right one."""

    endpoint: Endpoint
    pool: Pool
    trust: Trust


class Relay:
    """Keeps connections to aggregated API servers. It belongs to one event loop; close it.

    Args:
        resolver: Finds the addresses of services.
        clock: On which time-outs run.
        pair: Proves that we may speak for users; other servers do not believe us without it.
    """

    def __init__(self, resolver: Resolver, *, clock: Clock, pair: KeyPair | None = None) -> None:
        self._resolver = resolver
        self._clock = clock
        self._pair = pair
        self._upstreams: dict[tuple[Endpoint, str, bool], _Upstream] = {}

    async def ask(self, remote: Remote, path: str, **headers: str) -> Found:
        """Get *path* as a user who may see everything.

        Raises:
            LookupError: The service cannot be found; the text says why.
            WebhookError: No answer came; the text says why, in the words of Go.
        """
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        upstream = await self._upstream(remote)
        head = _head(Request("GET", path, headers=named), AGGREGATOR, upstream.endpoint)
        try:
            return await self._found(upstream, head)
        except TransportError as error:
            host, port = upstream.endpoint.host, upstream.endpoint.port
            name = remote.server_name
            if not await upstream.trust.learn(error.__cause__, host, port, name=name):
                raise _failed(error, upstream, path) from error
        try:
            return await self._found(upstream, head)
        except TransportError as error:
            raise _failed(error, upstream, path) from error

    async def _found(self, upstream: "_Upstream", head: bytes) -> Found:
        deadline = self._clock.monotonic() + CHECK_TIME
        status, headers, body = await upstream.pool.request("GET", head, b"", deadline=deadline)
        assert isinstance(body, bytes)
        return Found(status, dict(headers), body)

    async def answer(self, remote: Remote, request: Request, user: UserInfo) -> Answer:
        """Pass *request* on for *user*, and answer with what comes back."""
        if not remote.available:
            return _refused("service unavailable")
        try:
            upstream = await self._upstream(remote)
        except LookupError:
            return _refused("service unavailable")
        except WebhookError as error:
            return _refused(str(error), status=500)
        upgrade = request.headers.get("upgrade", "")
        head = _head(request, user, upstream.endpoint, upgrade)
        try:
            if upgrade or _is_long(request):
                return await self._stream(upstream.pool, request, head, upgrade=bool(upgrade))
            return await self._whole(upstream.pool, request, head)
        except TransportError as error:
            return _refused(f"error trying to reach service: {go_error(error, upstream.endpoint)}")

    async def _whole(self, pool: Pool, request: Request, head: bytes) -> Answer:
        deadline = self._clock.monotonic() + REQUEST_TIME
        found = await pool.request(request.method, head, request.body, deadline=deadline)
        status, headers, body = found
        assert isinstance(body, bytes)
        kind, rest = _passed_on(headers)
        return Response(status, body, kind, rest)

    async def _stream(self, pool: Pool, request: Request, head: bytes, *, upgrade: bool) -> Answer:
        deadline = self._clock.monotonic() + REQUEST_TIME
        connection, answer = await pool.open(
            request.method, head, request.body, deadline=deadline, upgrade=upgrade
        )
        status, headers, body = answer
        kind, rest = _passed_on(headers)
        if isinstance(body, RawConnection):
            kept = [(n, v) for n, v in headers if n == "upgrade" or n.startswith("sec-websocket")]
            return Upgrade(_Talk(body), (*kept, *rest))
        if status in _BODILESS:
            connection.abort()
            return Response(status, b"", kind, rest)
        assert isinstance(body, BodyStream)
        return Stream(_chunks(connection, body), status, kind, rest)

    async def _upstream(self, remote: Remote) -> "_Upstream":
        address = self._resolver.resolve(remote.namespace, remote.service, remote.port)
        authority = f"{remote.server_name}:{remote.port}"
        endpoint = Endpoint("https", address.host, address.port, authority)
        key = (endpoint, remote.bundle, remote.insecure)
        found = self._upstreams.get(key)
        if found is None:
            trust = self._trust(remote)
            route = Route(endpoint, lambda: trust.context, remote.server_name)
            pool = Pool(route, limits=_LIMITS, clock=self._clock)
            found = self._upstreams[key] = _Upstream(endpoint, pool, trust)
            await self._forget_old()
        return found

    def _trust(self, remote: Remote) -> Trust:
        try:
            trust = Trust(base64.b64decode(remote.bundle, validate=True).decode("ascii"))
        except (ValueError, ssl.SSLError):
            raise WebhookError(
                "unable to load root certificates: unable to parse bytes as PEM block"
            ) from None
        if remote.insecure:
            trust.context.check_hostname = False
            trust.context.verify_mode = ssl.CERT_NONE
        if self._pair is not None:
            load_pair(trust.context, self._pair.certificate + b"\n" + self._pair.key)
        return trust

    async def _forget_old(self) -> None:
        for key in list(self._upstreams)[: max(0, len(self._upstreams) - _UPSTREAMS_KEPT)]:
            if len(self._upstreams[key].pool) == self._upstreams[key].pool.idle:
                await self._upstreams.pop(key).pool.close()

    async def close(self) -> None:
        """Close every connection; requests under way fail."""
        upstreams, self._upstreams = list(self._upstreams.values()), {}
        for upstream in upstreams:
            await upstream.pool.close()


class _Talk:
    """Carries bytes both ways until one side ends."""

    def __init__(self, remote: RawConnection) -> None:
        self._remote = remote

    async def __call__(self, client: Duplex) -> None:
        both = [
            asyncio.ensure_future(_copy(client, self._remote)),
            asyncio.ensure_future(_copy(self._remote, client)),
        ]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in both:
                one.cancel()
            await asyncio.gather(*both, return_exceptions=True)
            self._remote.close()


async def _copy(source: Duplex, sink: Duplex) -> None:
    with suppress(TransportError, ConnectionError):  # an end like any other
        while data := await source.read():
            await sink.write(data)


async def _chunks(connection: ClientConnection, body: BodyStream) -> AsyncIterator[bytes]:
    try:
        async for chunk in body:
            yield chunk
    except TransportError:
        pass  # the client sees a stream that ended, and resumes it
    finally:
        connection.abort()


def _is_long(request: Request) -> bool:
    """Whether the answer may take any time, as a watch does."""
    query = parse_query(request.query)
    return any(is_true(query.get(name, "") or "0") for name in ("watch", "follow")) or (
        "/watch/" in request.path
    )


def _head(request: Request, user: UserInfo, endpoint: Endpoint, upgrade: str = "") -> bytes:
    target = f"{request.path}?{request.query}" if request.query else request.path
    lines = [f"{request.method} {target} HTTP/1.1", f"host: {endpoint.authority}"]
    lines += [f"{name}: {value}" for name, value in _kept(request)]
    lines += [f"{name}: {value}" for name, value in _remote_user(user)]
    if upgrade:
        lines += ["connection: Upgrade", f"upgrade: {upgrade}"]
    if request.peer:
        lines.append(f"x-forwarded-for: {request.peer.rpartition(':')[0]}")
    if request.body or request.method in {"POST", "PUT", "PATCH"}:
        lines.append(f"content-length: {len(request.body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "replace")


def _kept(request: Request) -> Iterator[tuple[str, str]]:
    for name, value in request.headers.items():
        if name not in _NEIGHBOURS and not name.startswith(_IDENTITY):
            yield name, value


def _remote_user(user: UserInfo) -> Iterator[tuple[str, str]]:
    """Yield the headers by which a front proxy says for whom it asks."""
    yield "x-remote-user", _line(user.name)
    if user.uid:
        yield "x-remote-uid", _line(user.uid)
    for group in user.groups:
        yield "x-remote-group", _line(group)
    for key, values in user.extra.items():
        for value in values:
            yield f"x-remote-extra-{quote(key.lower(), safe='')}", _line(value)


def _line(text: str) -> str:
    # A name may come from a certificate, and must not become a header of its own.
    return "".join(one for one in text if one.isprintable())


def _passed_on(headers: Iterable[tuple[str, str]]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the content type, and the headers that are not hop-by-hop."""
    kind, rest = "", []
    for name, value in headers:
        if name == "content-type":
            kind = value
        elif name not in _NEIGHBOURS and name not in ("date", "content-encoding"):
            rest.append((name, value))
    return kind, tuple(rest)


def _failed(error: TransportError, upstream: _Upstream, path: str) -> WebhookError:
    return WebhookError(f'Get "{upstream.endpoint}{path}": {go_error(error, upstream.endpoint)}')


def _refused(why: str, *, status: int = _UNAVAILABLE) -> Response:
    return Response(status, f"{why}\n".encode(), problem.TEXT)
