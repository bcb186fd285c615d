"""`Proxy`: passes the requests of runs on to the API server."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, ClassVar

from kubewright._aio import Clock
from kubewright._serve.limits import Limits
from kubewright._serve.messages import Answer, Duplex, Request, Response, Stream, Upgrade
from kubewright._serve.server import HTTPServer
from kubewright._serve.tls import ServerTLS
from kubewright.ansible.proxy import forwarding, metrics
from kubewright.ansible.proxy.grant import Grant
from kubewright.ansible.proxy.injection import with_owner
from kubewright.ansible.proxy.owner import Owner
from kubewright.ansible.proxy.place import Place, is_true, place_of
from kubewright.errors import ConfigError, TransportError
from kubewright.log import get_logger
from kubewright.runnable import Stage

if TYPE_CHECKING:
    from kubewright.ansible.children import Children
    from kubewright.client import Client

__all__ = ["Proxy"]

_HOST = "127.0.0.1"
_log = get_logger(__name__)


class Proxy:
    """Serves the requests of runs on this machine, each with the token of its run.

    A request goes on with our own credentials. What it makes gets its owner, and what belongs to
    the object of the run is noted, so that it can be watched.

    Args:
        clock: Where time comes from.
    """

    stage: ClassVar[Stage] = Stage.SERVERS
    """When a manager starts it: before there are runs."""

    def __init__(self, clock: Clock) -> None:
        from kubewright._pki.authority import Authority

        authority = Authority("kubewright-ansible")
        pair = authority.serving(_HOST)
        self.certificate: bytes = authority.certificate
        """The authority to trust, in PEM."""
        self._server = HTTPServer(
            self,
            host=_HOST,
            tls=ServerTLS(pair.certificate, pair.key),
            clock=clock,
            limits=Limits(gives_way=True),
        )
        self._clock = clock
        self._grants: dict[str, Grant] = {}
        self._listens = asyncio.Event()

    @property
    def url(self) -> str:
        """Where it listens."""
        return self._server.url

    async def run(self) -> None:
        """Serve until cancelled."""
        async with self._server:
            self._listens.set()
            _log.debug("proxy for runs listens", url=self.url)
            await self._clock.sleep(float("inf"))

    async def wait_ready(self) -> None:
        """Return once it listens."""
        await self._listens.wait()

    def grant(
        self, client: "Client", owner: Owner, children: "Children", *, inject_owners: bool
    ) -> Grant:
        """Let a run in, until `revoke`."""
        made = Grant(secrets.token_urlsafe(32), client, owner, children, inject_owners)
        self._grants[made.token] = made
        return made

    def revoke(self, grant: Grant) -> None:
        """Refuse all further requests of a run, and end those that are still open."""
        self._grants.pop(grant.token, None)
        grant.end()

    async def handle(self, request: Request) -> Answer:
        """Answer a request of a run."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        grant = self._grants.get(token.strip())
        if grant is None or scheme.lower() != "bearer":
            return forwarding.refusal(401, "Unauthorized", "there is no run with this token")
        if request.path == metrics.PATH:
            return metrics.answer(request)
        try:
            return await self._pass_on(request, grant)
        except TransportError as error:
            return forwarding.refusal(502, "InternalError", str(error))
        except (ConfigError, ValueError) as error:  # a header or a path that nobody can send
            return forwarding.refusal(400, "BadRequest", str(error))

    async def _pass_on(self, request: Request, grant: Grant) -> Answer:
        place = place_of(request.path)
        if "upgrade" in request.headers:
            return await self._upgrade(request, grant, place)
        if request.method == "GET" and _is_endless(request, place):
            return await self._stream(request, grant, place)
        if place is not None and grant.inject_owners:
            request = await with_owner(request, place, grant)
        sent = forwarding.request_for(request, place)
        answer = await grant.client.rest.transport.send(sent)
        if place is not None:
            grant.note_answer(request, place, answer.status, answer.body)
        return forwarding.whole(answer)

    async def _stream(self, request: Request, grant: Grant, place: Place | None) -> Answer:
        stack = AsyncExitStack()
        transport = grant.client.rest.transport
        stream = await stack.enter_async_context(
            transport.stream(forwarding.request_for(request, place))
        )
        pieces = aiter(stream)

        async def chunks() -> AsyncIterator[bytes]:
            async with stack:
                while (chunk := await grant.unless_ended(anext(pieces, None))) is not None:
                    yield chunk

        content_type, headers = forwarding.headers_of(stream.headers)
        return Stream(chunks(), stream.status, content_type, headers)

    async def _upgrade(self, request: Request, grant: Grant, place: Place | None) -> Answer:
        stack = AsyncExitStack()
        transport = grant.client.rest.transport
        sent = forwarding.request_for(request, place, upgrade=True)
        there = await stack.enter_async_context(transport.upgrade(sent))
        content_type, headers = forwarding.headers_of(there.headers)
        if there.status != forwarding.SWITCHING:
            async with stack:
                return Response(there.status, await there.read(), content_type, headers)

        async def talk(here: Duplex) -> None:
            async with stack:
                await grant.unless_ended(forwarding.connect(here, there))

        return Upgrade(talk, headers)


def _is_endless(request: Request, place: Place | None) -> bool:
    """Say whether the answer comes bit by bit, which old clients ask for by the path."""
    by_path = place is not None and place.resource == "watch" and not place.namespace
    return by_path or is_true(request, "watch", "follow")
