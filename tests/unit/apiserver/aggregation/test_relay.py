"""How requests are passed on."""

import asyncio

from kubewright._pki.authority import Authority
from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire.request import Request, Response, Stream, Upgrade
from tests.unit.apiserver.aggregation.orchard import (
    APPLES,
    SERVER_NAME,
    Orchard,
    condition,
    register,
)
from tests.unit.apiserver.asking import ask, asked

USER = UserInfo("ann", "u-1", ("dev", "ops"), {"Scopes.example/x": ("a", "b")})


async def pass_on(server: APIServer, request: Request, user: UserInfo = USER) -> Response:
    """Pass *request* on for *user*."""
    (remote,) = server.aggregation.remotes.found.values()
    answer = await server.aggregation.answer(remote, request, user)
    assert isinstance(answer, Response)
    return answer


async def test_the_other_server_learns_for_whom_we_ask(server: APIServer, other: Orchard) -> None:
    """It decides by the user's rights, not by ours."""
    await register(server, other)
    await condition(server, reason="Passed")

    await pass_on(server, asked("GET", APPLES))

    headers = other.last().headers
    assert headers["x-remote-user"] == "ann"
    assert headers["x-remote-uid"] == "u-1"
    assert headers["x-remote-group"] == "dev, ops"
    assert headers["x-remote-extra-scopes.example%2fx"] == "a, b"
    assert headers["host"].startswith(f"{SERVER_NAME}:")


async def test_nothing_that_a_client_says_of_itself_gets_through(
    server: APIServer, other: Orchard
) -> None:
    """Whoever could send these headers along would be whom they like."""
    await register(server, other)
    await condition(server, reason="Passed")
    forged = {
        "authorization": "Bearer t", "cookie": "c=1", "impersonate-user": "root",
        "impersonate-group": "system:masters", "x-remote-user": "root",
        "x-remote-group": "system:masters", "x-remote-extra-a": "1", "x-forwarded-for": "1.1.1.1",
        "accept": "application/json",
    }  # fmt: skip

    await pass_on(server, Request("GET", APPLES, headers=forged))

    headers = other.last().headers
    assert headers["accept"] == "application/json"
    assert (headers["x-remote-user"], headers["x-remote-group"]) == ("ann", "dev, ops")
    assert not {"authorization", "cookie", "x-remote-extra-a", "x-forwarded-for"} & set(headers)
    assert not [name for name in headers if name.startswith("impersonate")]


async def test_a_name_cannot_become_a_header(server: APIServer, other: Orchard) -> None:
    """Names come from certificates and tokens, and may have any character."""
    await register(server, other)
    await condition(server, reason="Passed")

    await pass_on(server, asked("GET", APPLES), UserInfo("ann\r\nx-remote-group: system:masters"))

    headers = other.last().headers
    assert headers["x-remote-user"] == "annx-remote-group: system:masters"
    assert "x-remote-group" not in headers


async def test_a_watch_is_passed_on_as_it_arrives(server: APIServer, other: Orchard) -> None:
    """It may take hours, and nobody waits for its end."""
    await register(server, other)
    await condition(server, reason="Passed")

    answer = await server.handle(asked("GET", f"{APPLES}?watch=1"))

    assert isinstance(answer, Stream)
    lines = b"".join([chunk async for chunk in answer.chunks]).splitlines()
    assert lines == [b'{"type":"ADDED"}', b'{"type":"DELETED"}']


class Client:
    """The end of a connection that belongs to a client; it leaves after the first answer."""

    def __init__(self) -> None:
        self.heard = b""
        self._sent = False
        self._answered = asyncio.Event()

    async def read(self) -> bytes:
        if self._sent:
            await self._answered.wait()
            return b""
        self._sent = True
        return b"hello"

    async def write(self, data: bytes) -> None:
        self.heard += data
        self._answered.set()


async def test_protocols_are_switched_through_us(server: APIServer, other: Orchard) -> None:
    """As exec and port-forward of an aggregated API do it."""
    await register(server, other)
    await condition(server, reason="Passed")
    client = Client()

    answer = await server.handle(asked("GET", APPLES, connection="Upgrade", upgrade="echo"))
    assert isinstance(answer, Upgrade)
    await answer.talk(client)

    assert client.heard == b"HELLO"
    assert ("upgrade", "echo") in answer.headers


async def test_a_server_that_shows_another_certificate_gets_nothing(
    server: APIServer, other: Orchard
) -> None:
    """What users send is for the server that the cluster's administrator named."""
    other.authority = Authority("stranger")  # what the API service says; the server is as it was

    await register(server, other)
    found = await condition(server, reason="FailedDiscoveryCheck")

    assert "x509: certificate signed by unknown authority" in found["message"]
    assert other.asked == []


async def test_a_server_need_not_be_verified_if_so_wished(
    server: APIServer, other: Orchard
) -> None:
    """As metrics-server is deployed nearly everywhere."""
    await register(server, other, caBundle=None, insecureSkipTLSVerify=True)

    assert (await condition(server, reason="Passed"))["status"] == "True"


async def test_a_connection_that_breaks_is_an_answer(server: APIServer, other: Orchard) -> None:
    """The user reads that it is the other server that is away."""
    await register(server, other)
    await condition(server, reason="Passed")
    other.port = 0
    (remote,) = server.aggregation.remotes.found.values()
    nowhere = type(remote)(
        remote.name, remote.group, remote.version, remote.namespace, remote.service, 1,
        remote.bundle, remote.insecure, remote.priority, available=True,
    )  # fmt: skip

    answer = await server.aggregation.answer(nowhere, asked("GET", APPLES), USER)

    assert isinstance(answer, Response)
    assert answer.status == 503
    assert answer.body.startswith(b"error trying to reach service: dial tcp")
    assert (await ask(server, "GET", APPLES)).status == 200
