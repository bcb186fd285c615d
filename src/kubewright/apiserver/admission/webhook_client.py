"""The client of webhooks: admission, conversion, and aggregated servers.

Errors are worded as Go words them: people search for these texts, and tests of operators look for
them.
"""

import asyncio
import base64
import binascii
import ipaddress
import re
import socket
import ssl
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from kubewright._aio import Clock
from kubewright._http.endpoint import Endpoint, Limits, Route
from kubewright._http.pool import Pool
from kubewright._json import encode, loads
from kubewright._pki.trust import Trust
from kubewright._serve.messages import JSON, Handler, Request, Response
from kubewright.api.times import format_nanoseconds
from kubewright.apiserver.meta.field import quoted
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj, Reader
from kubewright.errors import DecodeError, TransportError, TransportTimeoutError

_SERVICES = GroupResource("", "services")
_BODY_LIMIT = 64 << 20
_POOLS_KEPT = 64
_OK = range(200, 207)
_FIRST_FAILURE = 500
_NAME_MISMATCH = frozenset({62, 64})
_TIME = frozenset({9, 10})
_GO_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (str, "string"),
    (bool, "bool"),
    ((int, float), "number"),
    (list, "array"),
)
_REFUSED = re.compile("Connect call failed|refused", re.IGNORECASE)
_MESSAGES = {
    400: "the server rejected our request for an unknown reason",
    401: "the server has asked for the client to provide credentials",
    404: "the server could not find the requested resource",
    405: "the server does not allow this method on the requested resource",
    409: "the server reported a conflict",
    422: "the server rejected our request due to an error in our request",
    429: "the server has received too many requests and has asked us to try again later",
    503: "the server is currently unable to handle the request",
    504: (
        "the server was unable to return a response in the time allotted, but may still be"
        " processing the request"
    ),
}


class WebhookError(Exception):
    """A webhook could not be called, or its answer is not valid; the text says why."""


class Address(NamedTuple):
    """Where a service can be reached from this process."""

    host: str
    port: int


class Resolver(Protocol):
    """Finds the address of a service; the embedded cluster has its own way."""

    def resolve(self, namespace: str, name: str, port: int) -> Address:
        """Return where a port of a service is.

        Raises:
            LookupError: It is not known; the text says why.
        """
        ...


class ClusterIPResolver:
    """Finds services as a server inside of a cluster does: at their cluster address."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def resolve(self, namespace: str, name: str, port: int) -> Address:
        """Return the cluster address of a service.

        Raises:
            LookupError: There is no such service, or it has no such port.
        """
        service = self._reader.find_object(_SERVICES, namespace, name)
        if service is None:
            raise LookupError(f'service "{name}" not found')
        spec = service.get("spec") or {}
        kind = spec.get("type") or "ClusterIP"
        if kind == "ExternalName":
            return Address(spec.get("externalName") or "", port)
        if kind not in ("ClusterIP", "NodePort", "LoadBalancer"):
            raise LookupError(f"unsupported service type {quoted(kind)}")
        if not any(one.get("port") == port for one in spec.get("ports") or ()):
            raise LookupError(f'no service port {port} found for service "{name}"')
        address = spec.get("clusterIP") or "None"
        return Address(f"{name}.{namespace}.svc" if address == "None" else address, port)


class NoClusterResolver(ClusterIPResolver):
    """Finds external services only: a server alone has nothing behind cluster addresses.

    On the network of the machine they may belong to somebody else.
    """

    def resolve(self, namespace: str, name: str, port: int) -> Address:
        """Return where an external service is.

        Raises:
            LookupError: The service is not external, or does not exist.
        """
        found = super().resolve(namespace, name, port)
        service = self._reader.find_object(_SERVICES, namespace, name) or {}
        if (service.get("spec") or {}).get("type") == "ExternalName":
            return found
        raise LookupError(
            f'service "{name}" leads nowhere: this API server has no cluster around it; give the'
            " webhook a url"
        )


class _Target(NamedTuple):
    """A webhook's server, and the path on it."""

    endpoint: Endpoint
    server_name: str
    path: str

    @property
    def url(self) -> str:
        return f"{self.endpoint}{self.path}"


class WebhookClient:
    """Posts JSON to webhooks and keeps the connections. It belongs to one event loop; close it.

    Args:
        resolver: Finds the addresses of services.
        clock: On which time-outs run.
        user_agent: The value of the User-Agent header.
        in_process: Webhooks in this process by host and port, which are called without a network,
            and so in virtual time, too.
    """

    def __init__(
        self,
        resolver: Resolver,
        *,
        clock: Clock | None = None,
        user_agent: str = "kube-apiserver-admission",
        in_process: Mapping[str, Handler] | None = None,
    ) -> None:
        self._in_process = in_process if in_process is not None else {}
        self._resolver = resolver
        self._clock = clock or Clock()
        self._agent = user_agent
        self._pools: dict[tuple[Endpoint, str, str], tuple[Pool, Trust]] = {}

    async def call(self, client_config: Obj, body: Obj, *, timeout: float) -> Obj:
        """Post *body* and return the answer, a JSON object.

        Args:
            client_config: A WebhookClientConfig: ``url`` or ``service``, and ``caBundle``.
            body: What is sent.
            timeout: Seconds for all of it.

        Raises:
            WebhookError: No answer came, or the answer is not valid.
        """
        deadline = self._clock.monotonic() + timeout
        query = f"?timeout={format_nanoseconds(int(timeout * 10**9))}"
        target = self._target(client_config, query)
        handler = self._in_process.get(target.endpoint.authority)
        if handler is not None:
            return await self._ask(handler, target, body, timeout)
        pool, trust = await self._pool(target, client_config.get("caBundle") or "")
        content = encode(body)
        head = self._head(target, len(content))
        try:
            try:
                status, headers, answer = await self._post(pool, head, content, deadline)
            except TransportError as error:
                if not await self._learn(target, trust, error, deadline):
                    raise
                status, headers, answer = await self._post(pool, head, content, deadline)
        except TransportError as error:
            said = go_error(error, target.endpoint)
            raise WebhookError(f'Post "{target.url}": {said}') from error
        return decoded(status, dict(headers), answer)

    async def _ask(self, handler: Handler, target: _Target, body: Obj, timeout: float) -> Obj:
        path, _, query = target.path.partition("?")
        headers = {"content-type": JSON, "user-agent": self._agent}
        try:
            async with self._clock.timeout(timeout):
                answer = await handler.handle(Request("POST", path, query, headers, encode(body)))
        except TimeoutError:
            raise WebhookError(f'Post "{target.url}": context deadline exceeded') from None
        if not isinstance(answer, Response):
            raise WebhookError(f'Post "{target.url}": EOF')
        return decoded(answer.status, {"content-type": answer.content_type}, answer.body)

    async def _post(self, pool: Pool, head: bytes, content: bytes, deadline: float) -> Any:
        kept = pool.idle
        try:
            return await pool.request("POST", head, content, deadline=deadline)
        except TransportError as error:
            # The server may have closed a kept connection while our request was on its way; it
            # has not looked at it then.
            if not (kept and error.lost and _is_end(error)):
                raise
        return await pool.request("POST", head, content, deadline=deadline)

    async def _learn(
        self, target: _Target, trust: Trust, error: TransportError, deadline: float
    ) -> bool:
        endpoint = target.endpoint
        try:
            async with asyncio.timeout(deadline - self._clock.monotonic()):
                return await trust.learn(
                    error.__cause__, endpoint.host, endpoint.port, name=target.server_name
                )
        except TimeoutError:
            return False

    def _head(self, target: _Target, size: int) -> bytes:
        return (
            f"POST {target.path} HTTP/1.1\r\nHost: {target.endpoint.authority}\r\n"
            f"User-Agent: {self._agent}\r\nAccept: application/json, */*\r\n"
            f"Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
        ).encode()

    def _target(self, config: Obj, query: str) -> _Target:
        service = config.get("service")
        if service is not None:
            return self._service_target(service, query)
        if not config.get("url"):
            raise WebhookError("webhook configuration must have either service or URL")
        try:
            parts = urlsplit(config["url"])
            host, port = parts.hostname or "", parts.port
        except ValueError as error:
            raise WebhookError(f"Unparsable URL: {error}") from None
        authority = parts.netloc.rpartition("@")[2]
        port = port or (80 if parts.scheme == "http" else 443)
        endpoint = Endpoint(parts.scheme, host, port, authority)
        return _Target(endpoint, host, f"{parts.path or '/'}{query}")

    def _service_target(self, service: Obj, query: str) -> _Target:
        namespace, name = service.get("namespace", ""), service.get("name", "")
        port = service.get("port") or 443
        server_name = f"{name}.{namespace}.svc"
        path = f"/{(service.get('path') or '').lstrip('/')}{query}"
        authority = f"{server_name}:{port}"
        try:
            address = self._resolver.resolve(namespace, name, port)
        except LookupError as error:
            said = error.args[0] if error.args else "no such service"
            raise WebhookError(f'Post "https://{authority}{path}": {said}') from error
        endpoint = Endpoint("https", address.host, address.port, authority)
        return _Target(endpoint, server_name, path)

    async def _pool(self, target: _Target, bundle: str) -> tuple[Pool, Trust]:
        key = (target.endpoint, target.server_name, bundle)
        found = self._pools.get(key)
        if found is None:
            trust = _trust(bundle)
            route = Route(target.endpoint, lambda: trust.context, target.server_name)
            limits = Limits(body=_BODY_LIMIT, connections=None)
            found = self._pools[key] = Pool(route, limits=limits, clock=self._clock), trust
            await self._forget_old()
        return found

    async def _forget_old(self) -> None:
        for key in list(self._pools)[: max(0, len(self._pools) - _POOLS_KEPT)]:
            pool, _ = self._pools[key]
            if len(pool) == pool.idle:
                del self._pools[key]
                await pool.close()

    async def close(self) -> None:
        """Close every connection; calls under way fail."""
        pools, self._pools = list(self._pools.values()), {}
        for pool, _ in pools:
            await pool.close()


def _trust(bundle: str) -> Trust:
    try:
        return Trust(base64.b64decode(bundle, validate=True).decode("ascii"))
    except (binascii.Error, UnicodeError, ssl.SSLError, ValueError):
        raise WebhookError(
            "unable to load root certificates: unable to parse bytes as PEM block"
        ) from None


def decoded(status: int, headers: dict[str, str], body: bytes) -> Obj:
    """Return the JSON object that a webhook has answered.

    Raises:
        WebhookError: It answered something else, or refused.
    """
    try:
        found = loads(body)
    except DecodeError:
        found = ""  # Go reads what is not JSON as YAML, where nearly everything is a string
    if status in _OK:
        if not isinstance(found, dict):
            raise WebhookError(_not_object(found, status, headers, empty=not body))
        return found
    if isinstance(found, dict) and found.get("kind") == "Status" and found.get("message"):
        raise WebhookError(str(found["message"]))
    raise WebhookError(_failure(status, headers, body))


def _not_object(found: Any, status: int, headers: dict[str, str], *, empty: bool) -> str:
    if empty:
        kind = headers.get("content-type", "")
        return f"0-length response with status code: {status} and content type: {kind}"
    kind = next((name for kinds, name in _GO_KINDS if isinstance(found, kinds)), "null")
    return (
        f"couldn't get version/kind; json parse error: json: cannot unmarshal {kind} into Go value"
        ' of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string'
        ' "json:\\"kind,omitempty\\"" }'
    )


def _failure(status: int, headers: dict[str, str], body: bytes) -> str:
    kind = headers.get("content-type", "")
    said = "unknown"
    if not kind or kind.startswith("text/"):
        said = body[:2048].decode(errors="replace").strip()
    if status in _MESSAGES:
        return _MESSAGES[status]
    if status in (403, 406, 415):
        return said
    if status >= _FIRST_FAILURE:
        return f"an error on the server ({quoted(said)}) has prevented the request from succeeding"
    return f"the server responded with the status code {status} but did not return more information"


def _is_end(error: TransportError) -> bool:
    return isinstance(error.__cause__, ConnectionError | EOFError)


def go_error(error: TransportError, endpoint: Endpoint) -> str:
    """Return what Go says in place of *error*."""
    if isinstance(error, TransportTimeoutError):
        return "context deadline exceeded"
    cause = error.__cause__
    if isinstance(cause, ssl.SSLError):
        return _tls_error(cause, endpoint, known=str(error))
    if isinstance(cause, socket.gaierror):
        return f"dial tcp: lookup {endpoint.host}: no such host"
    if isinstance(cause, ConnectionRefusedError) or _REFUSED.search(str(cause or "")):
        return f"dial tcp {endpoint.host_port}: connect: connection refused"
    if isinstance(cause, ConnectionResetError | EOFError):
        return "EOF"
    return str(cause) if cause is not None and str(cause) else str(error)


def _tls_error(cause: ssl.SSLError, endpoint: Endpoint, *, known: str) -> str:
    code = getattr(cause, "verify_code", None)
    if not isinstance(cause, ssl.SSLCertVerificationError):
        plain = "WRONG_VERSION_NUMBER" in str(cause) or "HTTP_REQUEST" in str(cause)
        return "tls: first record does not look like a TLS handshake" if plain else f"tls: {cause}"
    failed = "tls: failed to verify certificate: x509:"
    if code in _TIME:
        return f"{failed} certificate has expired or is not yet valid"
    if code in _NAME_MISMATCH:
        return f"{failed} {_name_error(endpoint, known)}"
    return f"{failed} certificate signed by unknown authority"


def _name_error(endpoint: Endpoint, known: str) -> str:
    found = re.search(r"The certificate is for (.*)\.$", known)
    names = found.group(1).split(", ") if found else []
    host = urlsplit(f"//{endpoint.authority}").hostname or endpoint.host
    if _is_address(host):
        names = [name for name in names if _is_address(name)]
        if not names:
            why = "because it doesn't contain any IP SANs"
            return f"cannot validate certificate for {host} {why}"
    if not names:
        return f"certificate is not valid for any names, but wanted to match {host}"
    return f"certificate is valid for {', '.join(names)}, not {host}"


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
