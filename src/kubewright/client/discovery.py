"""Discovery: asks a server for its groups, resources, its version and its OpenAPI documents."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from typing import Any, Protocol, TypeVar

import msgspec

from kubewright import _json
from kubewright.api.kind import GroupVersion
from kubewright.api.requests import Request
from kubewright.client.discovery_format import (
    APIGroup,
    APIResource,
    APISubresource,
    Discovery,
    Failures,
    Resources,
    checked,
    decode_aggregated,
    decode_groups,
    decode_resources,
    decode_versions,
)
from kubewright.client.transport import Response
from kubewright.errors import (
    APIError,
    Attempt,
    DecodeError,
    NoMatchError,
    NotFoundError,
    TransportError,
)

__all__ = [
    "APIGroup",
    "APIResource",
    "APISubresource",
    "Discovery",
    "DiscoveryClient",
    "DiscoverySource",
    "Sender",
    "ServerVersion",
]

T = TypeVar("T")

_AGGREGATED = "APIGroupDiscoveryList"
# Servers look for the parameters in exactly this order.
_ACCEPT = ",".join((
    f"application/json;g=apidiscovery.k8s.io;v=v2;as={_AGGREGATED}",
    f"application/json;g=apidiscovery.k8s.io;v=v2beta1;as={_AGGREGATED}",
    "application/json",
))  # fmt: skip
_TRIES = 2  # of the old format, in which a group can vanish between two requests
_FAILURES = (APIError, TransportError, DecodeError)


class Sender(Protocol):
    """Sends requests; a `RESTClient` does."""

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send *request*; raise `APIError` or `TransportError` unless it succeeded."""
        ...


class DiscoverySource(Protocol):
    """Where discovery comes from: a server, or a cache in front of one."""

    @property
    def fresh(self) -> bool:
        """Whether everything returned so far came from the server, not from an older store."""
        ...

    async def discover(self) -> Discovery:
        """Return everything that the server serves."""
        ...

    async def resources(self, gv: GroupVersion) -> tuple[APIResource, ...]:
        """Return what the server serves in one group version."""
        ...

    def invalidate(self) -> None:
        """Forget everything stored before now."""
        ...


class ServerVersion(msgspec.Struct, frozen=True, rename="camel"):
    """What a server says about its own build."""

    major: str = ""
    minor: str = ""
    git_version: str = ""
    git_commit: str = ""
    git_tree_state: str = ""
    build_date: str = ""
    go_version: str = ""
    compiler: str = ""
    platform: str = ""

    def __str__(self) -> str:
        return self.git_version


class _Location(msgspec.Struct, frozen=True):
    url: str = msgspec.field(name="serverRelativeURL")


class _OpenAPIPaths(msgspec.Struct, frozen=True):
    paths: dict[str, _Location]


class DiscoveryClient:
    """Asks a server what it serves; caches nothing.

    Args:
        sender: Where requests go.
        concurrency: How many group versions are requested at once from an old server.
        timeout: Seconds within which each request must be answered; client-go's default.
    """

    def __init__(self, sender: Sender, *, concurrency: int = 16, timeout: float = 32.0) -> None:
        self._sender = sender
        self._concurrency = concurrency
        self._timeout = timeout

    @property
    def fresh(self) -> bool:
        """Always true: nothing is remembered."""
        return True

    def invalidate(self) -> None:
        """Do nothing: nothing is remembered."""

    async def discover(self) -> Discovery:
        """Return all groups and resources, in two requests where the server can do that.

        A group version that cannot be read is in the result's `failures`; the rest is complete.

        Raises:
            APIError: The server refused to say what groups it has.
            TransportError: There was no answer.
            DecodeError: The answer is not a discovery document.
        """
        for _ in range(_TRIES - 1):
            found = await self._discover_once()
            if not any(isinstance(error, NotFoundError) for error in found.failures.values()):
                return found
            # A group was removed after we read the list of groups. A new list will not have it.
        return await self._discover_once()

    async def _discover_once(self) -> Discovery:
        parts = await _all((_try(self._fetch_core), _try(self._fetch_groups)))
        # Each root answers for its own groups: /apis must not replace the core group.
        core, named = (
            _only(_unwrapped(parts[0]), core=True),
            _only(_unwrapped(parts[1]), core=False),
        )
        known = Discovery(
            core.groups + named.groups,
            core.resources | named.resources,
            core.failures | named.failures,
        )
        return await self._complete(checked(known))

    async def _fetch_core(self) -> Discovery:
        try:
            response = await self._get("/api", accept=_ACCEPT)
        except NotFoundError:
            return Discovery()  # a standalone extension API server has no core group
        if _is_aggregated(response):
            return decode_aggregated(response.body)
        return Discovery(decode_versions(response.body))

    async def _fetch_groups(self) -> Discovery:
        response = await self._get("/apis", accept=_ACCEPT)
        if _is_aggregated(response):
            return decode_aggregated(response.body)
        return Discovery(decode_groups(response.body))

    async def _complete(self, known: Discovery) -> Discovery:
        """Return *known* with the resources that an answer in the old format left out."""
        missing = [
            gv
            for group in known.groups
            for gv in group.group_versions
            if gv not in known.resources and gv not in known.failures
        ]
        if not missing:
            return known
        slots = asyncio.Semaphore(self._concurrency)

        async def ask(gv: GroupVersion) -> tuple[APIResource, ...] | Exception:
            async with slots:
                return await _try(partial(self.resources, gv))

        return _merged(known, zip(missing, await _all(map(ask, missing)), strict=True))

    async def resources(self, gv: GroupVersion) -> tuple[APIResource, ...]:
        """Return the resources of one group version.

        Raises:
            NotFoundError: The server does not serve it.
        """
        return decode_resources((await self._get(gv.path)).body, gv)

    async def server_version(self) -> ServerVersion:
        """Return the version of the server."""
        return _json.decode((await self._get("/version")).body, ServerVersion)

    async def openapi_v2(self) -> bytes:
        """Return the OpenAPI v2 document of all resources, as JSON; it has several megabytes."""
        return (await self._get("/openapi/v2")).body

    async def openapi_v3_paths(self) -> dict[str, str]:
        """Return the URL of the OpenAPI v3 document of each path, such as ``apis/apps/v1``.

        A URL holds a hash of the document, so an unchanged URL means an unchanged document.
        """
        body = (await self._get("/openapi/v3")).body
        return {path: at.url for path, at in _json.decode(body, _OpenAPIPaths).paths.items()}

    async def openapi_v3(self, path: str) -> bytes:
        """Return the OpenAPI v3 document of one path, such as ``apis/apps/v1``, as JSON.

        Raises:
            NoMatchError: The server has no document for the path.
        """
        paths = await self.openapi_v3_paths()
        if path not in paths:
            from difflib import get_close_matches

            close = ", ".join(get_close_matches(path, paths)) or "none is like it"
            raise NoMatchError(f"the server has no OpenAPI document for {path!r}; nearest: {close}")
        # Behind a proxy that adds a prefix, some servers put the prefix into the URL and some do
        # not. The transport adds it, so it must not be there twice.
        url = paths[path]
        return (await self._get(url[max(url.find("/openapi/v3"), 0) :])).body

    async def _get(self, target: str, *, accept: str = "application/json") -> Response:
        attempt = Attempt("get", target.partition("?")[0])
        request = Request("GET", target, attempt, accept=accept)
        return await self._sender.send(request, timeout=self._timeout)


class _AnyKind(msgspec.Struct, frozen=True):
    kind: str = ""


def _is_aggregated(response: Response) -> bool:
    parameters = (response.header("content-type") or "").replace(" ", "").split(";")[1:]
    if f"as={_AGGREGATED}" in parameters:
        return True
    # Some proxies cut the parameters off. Read in the old format, such a document would be empty.
    return _json.decode(response.body, _AnyKind).kind == _AGGREGATED


def _merged(
    known: Discovery,
    answers: Iterable[tuple[GroupVersion, tuple[APIResource, ...] | Exception]],
) -> Discovery:
    resources: Resources = dict(known.resources)
    failures: Failures = dict(known.failures)
    for gv, answer in answers:
        if isinstance(answer, Exception):
            failures[gv] = answer
        else:
            resources[gv] = answer
    return Discovery(known.groups, resources, failures)


async def _try(ask: Callable[[], Coroutine[Any, Any, T]]) -> T | Exception:
    """Return the answer, or its error as a value, so that one failure does not end the others."""
    try:
        return await ask()
    except _FAILURES as error:
        return error


def _only(found: Discovery, *, core: bool) -> Discovery:
    """Return the core group of *found*, or all but it; the core group has no name."""
    return Discovery(
        tuple(group for group in found.groups if (not group.name) is core),
        {gv: each for gv, each in found.resources.items() if (not gv.group) is core},
        {gv: each for gv, each in found.failures.items() if (not gv.group) is core},
    )


def _unwrapped(answer: T | Exception) -> T:
    if isinstance(answer, Exception):
        raise answer
    return answer


async def _all(questions: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Return all answers, or raise the first error itself, as callers expect."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(question) for question in questions]
    except BaseExceptionGroup as failed:
        first = failed.exceptions[0]
    else:
        return [task.result() for task in tasks]
    raise first
