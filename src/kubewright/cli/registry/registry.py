"""`Registry`: asks a registry for manifests and blobs, by the protocol of the Open Containers."""

import hashlib
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urlencode, urljoin, urlsplit, urlunsplit

from kubewright import _json
from kubewright._http.endpoint import Limits
from kubewright.api.requests import Request
from kubewright.cli.registry.challenge import Challenge, parse_challenge
from kubewright.cli.registry.place import ImagePlace
from kubewright.client.http_transport import HTTPOptions, HTTPTransport
from kubewright.client.proxy import find_proxy
from kubewright.client.transport import Response
from kubewright.errors import Attempt, ConfigError, DecodeError, TransportError

__all__ = ["INDEXES", "Manifest", "Registry"]

INDEXES: frozenset[str] = frozenset({
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.index.v1+json",
})  # fmt: skip
"""Types of manifests that stand for several, one for each architecture."""
_MANIFESTS = ", ".join([
    *sorted(INDEXES),
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
])  # fmt: skip
_TIMEOUT = 30.0
_MANIFEST_LIMIT = 4 << 20
_MOST_REDIRECTS = 5
_OK, _UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 200, 401, 403, 404
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SHA256 = "sha256:"

Headers = tuple[tuple[str, str], ...]


class Manifest(NamedTuple):
    """What a registry says an image consists of.

    Attributes:
        digest: The digest by which it is named.
        kind: Its type; see `INDEXES`.
        content: The manifest.
    """

    digest: str
    kind: str
    content: dict[str, Any]


class Registry:
    """Reads images of one repository; use it as ``async with Registry(place) as registry:``.

    Args:
        place: An image in it.
        login: Returns what to say to a registry that wants a password; empty for nothing.
    """

    def __init__(self, place: ImagePlace, *, login: Callable[[str], str] = lambda host: "") -> None:
        self._place = place
        self._login = login
        self._authorization: Headers = ()
        self._transports: dict[str, HTTPTransport] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for one in self._transports.values():
            await one.close()

    async def manifest(self, reference: str = "") -> Manifest:
        """Return the manifest of the image, or of another one by its tag or digest.

        Raises:
            ConfigError: There is none, the registry does not answer or does not let us, or what
                it sends has another digest.
        """
        reference = reference or self._place.reference
        answer = await self._get(f"manifests/{reference}", _MANIFESTS, _MANIFEST_LIMIT)
        digest = f"{_SHA256}{hashlib.sha256(answer.body).hexdigest()}"
        if reference.startswith(_SHA256) and reference != digest:
            raise self._error(f"it sends {digest} for {reference}")
        try:
            content = _json.loads(answer.body)
        except DecodeError:
            content = None
        if not isinstance(content, dict):
            raise self._error("what it sends is not a manifest")
        header = (answer.header("content-type") or "").partition(";")[0].strip()
        return Manifest(digest, str(content.get("mediaType") or header), content)

    async def blob(self, digest: str, *, limit: int) -> bytes:
        """Return a layer or a configuration.

        Args:
            digest: Its digest.
            limit: The largest number of bytes.

        Raises:
            ConfigError: The registry does not send it, or it is too large or another one.
        """
        body = (await self._get(f"blobs/{digest}", "*/*", limit)).body
        if f"{_SHA256}{hashlib.sha256(body).hexdigest()}" != digest:
            raise self._error(f"it sends something else for {digest}")
        return body

    async def _get(self, path: str, accept: str, limit: int) -> Response:
        url = f"{self._place.server}/v2/{self._place.repository}/{path}"
        answer = await self._follow(url, accept, limit)
        if answer.status == _UNAUTHORIZED and not self._authorization:
            await self._identify(parse_challenge(answer.header("www-authenticate") or ""))
            answer = await self._follow(url, accept, limit)
        if answer.status != _OK:
            raise self._error(_refusal(answer, path))
        return answer

    async def _follow(self, url: str, accept: str, limit: int) -> Response:
        own = urlsplit(url).netloc
        for _ in range(_MOST_REDIRECTS + 1):
            # Nobody else gets the password: blobs are often kept by another service.
            headers = self._authorization if urlsplit(url).netloc == own else ()
            answer = await self._send(url, accept, limit, headers)
            onward = answer.header("location") or ""
            if answer.status not in _REDIRECTS or not onward:
                return answer
            onward = urljoin(url, onward)
            if url.startswith("https:") and not onward.startswith("https:"):
                raise self._error("it redirects to an address without TLS")
            url = onward
        raise self._error(f"it redirects more than {_MOST_REDIRECTS} times")

    async def _identify(self, challenge: Challenge) -> None:
        login = self._login(self._place.host)
        basic: Headers = (("Authorization", f"Basic {login}"),) if login else ()
        if challenge.scheme == "basic":
            self._authorization = basic
        elif challenge.scheme == "bearer" and challenge.realm:
            self._authorization = await self._token(challenge, basic)

    async def _token(self, challenge: Challenge, basic: Headers) -> Headers:
        query = {"service": challenge.service, "scope": self._place.scope}
        wanted = urlencode({key: one for key, one in query.items() if one})
        is_plain = not challenge.realm.startswith("https:")
        if is_plain and self._place.server.startswith("https:"):
            raise self._error(f"it hands out tokens without TLS, at {challenge.realm}")
        sign = "&" if "?" in challenge.realm else "?"
        answer = await self._send(
            f"{challenge.realm}{sign}{wanted}", "application/json", _MANIFEST_LIMIT, basic
        )
        said = _decoded(answer.body) if answer.status == _OK else {}
        token = said.get("token") or said.get("access_token")
        if not isinstance(token, str):
            raise self._error(f"it gives no token: {_refusal(answer, 'token')}")
        return (("Authorization", f"Bearer {token}"),)

    async def _send(self, url: str, accept: str, limit: int, headers: Headers) -> Response:
        parts = urlsplit(url)
        server = urlunsplit((parts.scheme, parts.netloc, "", "", ""))
        target = urlunsplit(("", "", parts.path or "/", parts.query, ""))
        request = Request(
            "GET", target, Attempt("get", f"{server}{parts.path}"), accept=accept, headers=headers
        )

        async def send(transport: HTTPTransport) -> Response:
            return await transport.send(request)

        return await self._reaching(server, limit, send)

    async def _reaching(
        self, server: str, limit: int, send: Callable[[HTTPTransport], Awaitable[Response]]
    ) -> Response:
        key = f"{server} {limit}"
        try:
            if key not in self._transports:
                options = HTTPOptions(
                    timeout=_TIMEOUT,
                    proxy=find_proxy(server),
                    limits=Limits(body=limit, connect=10.0),
                )
                self._transports[key] = HTTPTransport(server, options)
            return await send(self._transports[key])
        except TransportError as error:
            raise self._error(str(error)) from error

    def _error(self, why: str) -> ConfigError:
        place = self._place
        sign = "@" if ":" in place.reference else ":"
        return ConfigError(
            f"cannot read the image {place.host}/{place.repository}{sign}{place.reference} from"
            f" {place.server}: {why}"
        )


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        found = _json.loads(body)
    except DecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _refusal(answer: Response, path: str) -> str:
    listed = _decoded(answer.body).get("errors")
    first = listed[0] if isinstance(listed, list) and listed else {}
    said = first.get("message") if isinstance(first, dict) else ""
    why = f" ({said})" if isinstance(said, str) and said else ""
    if answer.status == _NOT_FOUND:
        what = "image" if path.startswith("manifests/") else "layer"
        return f"there is no such {what}{why}. Is it pushed?"
    if answer.status in {_UNAUTHORIZED, _FORBIDDEN}:
        return f"it does not let us{why}. Log in first: docker login"
    return f"it answered {answer.status}{why}"
