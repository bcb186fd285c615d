"""The websocket: its handshake, its frames, its end."""

import asyncio
import base64
import pickle
import sys
from collections.abc import AsyncIterator

import pytest
from websockets.asyncio.server import ServerConnection

from kubewright.client.rest import RESTClient
from kubewright.client.websocket import accept_for, open_websocket
from kubewright.errors import (
    APIError,
    BadRequestError,
    ConfigError,
    ForbiddenError,
    NotFoundError,
    Status,
    TransportError,
)
from tests.unit._http.servers import Peer, serving
from tests.unit.client.websocket_server import (
    REQUEST,
    V4,
    V5,
    leaving_no_task,
    passes,
    refusing,
    rest_to,
    switching,
    websockets_at,
)

OFFER = (V5, V4)


@pytest.fixture(autouse=True)
async def no_task_is_left() -> AsyncIterator[None]:
    """Fail if the test leaves a task behind."""
    async with leaving_no_task():
        yield


async def echo(socket: ServerConnection) -> None:
    """Send back what comes."""
    async for message in socket:
        await socket.send(message)


async def hang(socket: ServerConnection) -> None:
    """Say nothing until the client goes."""
    await socket.wait_closed()


async def failure(rest: RESTClient) -> Exception:
    """Return the error of a handshake that must fail."""
    with pytest.raises((APIError, TransportError)) as caught:
        async with open_websocket(rest, REQUEST, subprotocols=OFFER):
            pass
    return caught.value


async def test_messages_go_both_ways() -> None:
    """What is sent as one message arrives as one, whatever bytes are in it."""
    sent = [b"", b"\x00\xff", "žluť".encode(), bytes(range(256)) * 1000]

    async with (
        websockets_at(echo) as server,
        rest_to(server.port) as rest,
        open_websocket(rest, REQUEST, subprotocols=OFFER) as socket,
    ):
        received = []
        for message in sent:
            await socket.send(message)
            received.append(await socket.receive())

    assert received == sent


async def test_the_server_chooses_among_the_offered_protocols() -> None:
    """Old servers speak only the older one."""
    async with (
        websockets_at(echo, subprotocols=(V4,)) as server,
        rest_to(server.port) as rest,
        open_websocket(rest, REQUEST, subprotocols=OFFER) as socket,
    ):
        assert socket.subprotocol == V4


async def test_the_handshake_is_the_one_of_the_rfc() -> None:
    """A fresh key of 16 bytes, version 13, all protocols in order of preference."""
    async with serving(switching()) as server, rest_to(server.port) as rest:
        for _ in range(2):
            async with open_websocket(rest, REQUEST, subprotocols=OFFER):
                server.peers[-1].reset()

        first, second = (
            dict(line.split(": ", 1) for line in request.decode().split("\r\n")[1:] if line)
            for request in server.requests
        )

    assert first["Upgrade"] == "websocket"
    assert first["Connection"] == "Upgrade"
    assert first["Sec-WebSocket-Version"] == "13"
    assert first["Sec-WebSocket-Protocol"] == f"{V5}, {V4}"
    assert len(base64.b64decode(first["Sec-WebSocket-Key"])) == 16
    assert first["Sec-WebSocket-Key"] != second["Sec-WebSocket-Key"]


def test_the_accept_value_is_that_of_the_rfc() -> None:
    """The example of RFC 6455, section 1.3."""
    assert accept_for("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


async def test_a_fragmented_message_arrives_whole() -> None:
    """Proxies may cut messages, and the first byte names the channel only once."""

    async def play(socket: ServerConnection) -> None:
        await socket.send([b"\x01one ", b"two ", b"three"])

    async with (
        websockets_at(play) as server,
        rest_to(server.port) as rest,
        open_websocket(rest, REQUEST, subprotocols=OFFER) as socket,
    ):
        assert await socket.receive() == b"\x01one two three"
        assert await socket.receive() is None


async def test_a_ping_is_answered_while_we_wait_for_a_message() -> None:
    """A server that gets no pong takes us for dead."""

    async def play(socket: ServerConnection) -> None:
        await (await socket.ping())
        await socket.send(b"alive")

    async with (
        websockets_at(play) as server,
        rest_to(server.port) as rest,
        open_websocket(rest, REQUEST, subprotocols=OFFER) as socket,
    ):
        assert await socket.receive() == b"alive"


async def test_a_silent_connection_is_kept_alive_by_pings() -> None:
    """Load balancers drop connections on which nothing moves."""
    pinged = asyncio.Event()

    async def script(peer: Peer) -> None:
        await switching(b"\x81\x00")(peer)
        head = await peer.reader.readexactly(2)
        assert head == b"\x89\x80"
        pinged.set()
        await peer.gone()

    async with (
        serving(script) as server,
        rest_to(server.port) as rest,
        open_websocket(rest, REQUEST, subprotocols=OFFER, keepalive=0.001),
    ):
        await pinged.wait()
        server.peers[0].reset()


async def test_leaving_the_block_closes_in_good_order() -> None:
    """The server can tell a client that is done from one that was lost."""
    async with websockets_at(hang) as server, rest_to(server.port) as rest:
        async with open_websocket(rest, REQUEST, subprotocols=OFFER):
            pass
        await server.empty()

        assert server.sockets[0].close_code == 1000


async def test_an_error_in_the_block_comes_out_as_it_is() -> None:
    """Nobody wants to unpack an ExceptionGroup to find their own error."""
    async with websockets_at(hang) as server, rest_to(server.port) as rest:
        with pytest.raises(KeyError):
            async with open_websocket(rest, REQUEST, subprotocols=OFFER):
                raise KeyError("mine")
        await server.empty()


async def test_a_forbidden_error_of_the_block_is_left_alone() -> None:
    """It is about something else than the websocket."""
    mine = ForbiddenError(REQUEST.attempt, Status())

    async with websockets_at(hang) as server, rest_to(server.port) as rest:
        with pytest.raises(ForbiddenError) as caught:
            async with open_websocket(rest, REQUEST, subprotocols=OFFER):
                raise mine

    assert caught.value is mine


async def test_a_goodbye_of_the_server_is_the_end_and_stays_it() -> None:
    """Asking again must not hang."""

    async def play(socket: ServerConnection) -> None:
        await socket.send(b"last")

    async with (
        websockets_at(play) as server,
        rest_to(server.port) as rest,
        open_websocket(rest, REQUEST, subprotocols=OFFER) as socket,
    ):
        assert [await socket.receive() for _ in range(3)] == [b"last", None, None]
        with pytest.raises(TransportError, match="the websocket is closed"):
            await socket.send(b"too late")


async def test_a_close_with_a_failure_code_says_which() -> None:
    """1011 is the server's way to say that something went wrong on its side."""

    async def play(socket: ServerConnection) -> None:
        await socket.close(1011, "kubelet went away")

    async with (
        websockets_at(play) as server,
        rest_to(server.port) as rest,
        open_websocket(rest, REQUEST, subprotocols=OFFER) as socket,
    ):
        with pytest.raises(TransportError, match="with code 1011: kubelet went away") as caught:
            await socket.receive()

    assert caught.value.lost


@pytest.mark.parametrize(
    ("after", "problem"),
    [
        (b"\x82\x05hel", "the connection ended without a goodbye"),
        (b"\x82\x80\x00\x00\x00\x00", "the server broke the websocket protocol"),
        (b"\x83\x00", "the server broke the websocket protocol"),
        (b"\x82\x7e\xff\xff" + b"x" * 65535, "over size limit|exceeds"),
    ],
    ids=["cut", "masked", "opcode", "large"],
)
async def test_broken_frames_are_an_error(after: bytes, problem: str) -> None:
    """A half message must never pass for a whole one."""
    async with (
        serving(switching(after)) as server,
        rest_to(server.port) as rest,
        open_websocket(rest, REQUEST, subprotocols=OFFER, max_message=1000) as socket,
    ):
        with pytest.raises(TransportError, match=problem):
            await socket.receive()


@pytest.mark.parametrize(
    ("headers", "problem"),
    [
        ({"sec_websocket_accept": "bm9uc2Vuc2U="}, "does not fit our key"),
        ({"sec_websocket_accept": ""}, "does not fit our key"),
        ({"sec_websocket_protocol": "v3.channel.k8s.io"}, "it chose v3.channel.k8s.io protocol"),
        ({"sec_websocket_protocol": ""}, "it chose no protocol, and we speak v5"),
        ({"sec_websocket_extensions": "permessage-deflate"}, "extensions that we did not offer"),
        ({"upgrade": "SPDY/3.1"}, "it switched to 'SPDY/3.1'"),
    ],
)
async def test_an_answer_that_is_not_to_our_handshake_is_refused(
    headers: dict[str, str], problem: str
) -> None:
    """Bytes of another protocol would be read as frames."""
    async with serving(switching(**headers)) as server, rest_to(server.port) as rest:
        error = await failure(rest)
        await server.empty()

    assert isinstance(error, TransportError)
    assert problem in str(error)


@pytest.mark.parametrize(
    ("code", "reason", "kind"),
    [(400, "BadRequest", BadRequestError), (404, "NotFound", NotFoundError)],
)
async def test_a_refusal_is_the_error_that_its_status_says(
    code: int, reason: str, kind: type[APIError]
) -> None:
    """A pod that is not there is a 404 here as everywhere."""
    status = {"status": "Failure", "reason": reason, "message": "no such thing", "code": code}

    async with serving(refusing(code, status)) as server, rest_to(server.port) as rest:
        error = await failure(rest)
        await server.empty()

    assert type(error) is kind
    assert str(error) == "cannot create pods/exec 'web' in namespace 'shop': no such thing"


async def test_a_forbidden_websocket_prints_the_rule_with_both_verbs() -> None:
    """Servers ask for get, and newer ones for create as well: one of them is not enough."""
    said = 'pods "web" is forbidden: User "me" cannot get resource "pods/exec"'
    status = {"status": "Failure", "reason": "Forbidden", "message": said, "code": 403}

    async with serving(refusing(403, status)) as server, rest_to(server.port) as rest:
        error = await failure(rest)

    assert isinstance(error, ForbiddenError)
    assert str(pickle.loads(pickle.dumps(error))) == (
        f"cannot create pods/exec 'web' in namespace 'shop': {said}"
        "\nAdd this rule to the operator's Role:"
        '\n  - apiGroups: [""]'
        '\n    resources: ["pods/exec"]'
        '\n    verbs: ["create", "get"]'
    )


async def test_an_answer_without_a_switch_names_the_likely_culprit() -> None:
    """Proxies that know no websockets answer with a page of their own."""
    async with serving(refusing(200, {})) as server, rest_to(server.port) as rest:
        error = await failure(rest)

    assert isinstance(error, TransportError)
    assert "answered HTTP 200 where it should have switched" in str(error)


async def test_without_the_library_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is an extra, and its name is not that of the package."""
    monkeypatch.setitem(sys.modules, "websockets.protocol", None)

    async with rest_to(1) as rest:
        with pytest.raises(ConfigError, match=r"pip install kubewright\[exec\]"):
            async with open_websocket(rest, REQUEST, subprotocols=OFFER):
                pass


async def test_a_cancelled_receive_loses_no_message() -> None:
    """Waiting with a timeout, again and again, is an ordinary way to read."""
    go = asyncio.Event()

    async def play(socket: ServerConnection) -> None:
        await go.wait()
        await socket.send(b"here")

    async with (
        websockets_at(play) as server,
        rest_to(server.port) as rest,
        open_websocket(rest, REQUEST, subprotocols=OFFER) as socket,
    ):
        for _ in range(3):
            waiting = asyncio.create_task(socket.receive())
            await passes(5)
            waiting.cancel()
            await asyncio.wait([waiting])
        go.set()
        assert await socket.receive() == b"here"


async def test_a_cancelled_send_leaves_whole_frames_behind() -> None:
    """Half a frame would make nonsense of all that follows."""
    go = asyncio.Event()
    received: list[bytes] = []

    async def play(socket: ServerConnection) -> None:
        await go.wait()
        async for message in socket:
            assert isinstance(message, bytes)
            received.append(message)

    async with websockets_at(play) as server, rest_to(server.port) as rest:
        async with open_websocket(rest, REQUEST, subprotocols=OFFER) as socket:
            sending = [asyncio.create_task(socket.send(b"x" * 900_000)) for _ in range(30)]
            await passes()
            for task in sending:
                task.cancel()
            await asyncio.wait(sending)
            assert any(task.cancelled() for task in sending)
            go.set()
            await socket.send(b"end")
        await server.empty()

    assert received[-1] == b"end"
    assert {len(message) for message in received[:-1]} <= {900_000}


async def test_a_server_that_does_not_read_slows_the_sender_down() -> None:
    """What is not sent yet must not pile up in memory."""
    sent = 0
    async with (
        websockets_at(hang) as server,
        rest_to(server.port) as rest,
        open_websocket(rest, REQUEST, subprotocols=OFFER) as socket,
    ):

        async def send_all() -> None:
            nonlocal sent
            for sent in range(2000):  # noqa: B007  # read from outside
                await socket.send(b"x" * 65536)

        sending = asyncio.create_task(send_all())
        before = -1
        while before != sent:
            before = sent
            await passes(2000)
        sending.cancel()
        await asyncio.wait([sending])
        server.sockets[0].transport.abort()

    assert sending.cancelled()
    assert 10 < sent < 1999


async def test_a_client_that_does_not_read_slows_the_server_down() -> None:
    """A pod that writes without end must not fill the memory of who looks at it."""
    sent = 0

    async def play(socket: ServerConnection) -> None:
        nonlocal sent
        for sent in range(2000):  # noqa: B007  # read from outside
            await socket.send(b"x" * 65536)

    async with (
        websockets_at(play) as server,
        rest_to(server.port) as rest,
        open_websocket(rest, REQUEST, subprotocols=OFFER) as socket,
    ):
        await socket.receive()
        before = -1
        while before != sent:
            before = sent
            await passes(2000)
        stalled_at = sent
        server.sockets[0].transport.abort()

    assert 10 < stalled_at < 1999


async def test_cancelling_the_handshake_leaves_nothing_behind() -> None:
    """A server may take the connection and never answer."""
    asked = asyncio.Event()

    async def script(peer: Peer) -> None:
        await peer.request()
        asked.set()
        await peer.gone()

    async with serving(script) as server, rest_to(server.port) as rest:
        opening = asyncio.create_task(failure(rest))
        await asked.wait()
        opening.cancel()
        await asyncio.wait([opening])
        await server.empty()

    assert opening.cancelled()


async def test_the_block_can_be_left_while_another_task_receives() -> None:
    """The one that waits learns that it is over; the one that leaves is not disturbed."""
    async with websockets_at(hang) as server, rest_to(server.port) as rest:
        async with open_websocket(rest, REQUEST, subprotocols=OFFER) as socket:
            waiting = asyncio.create_task(socket.receive())
            await passes(5)
        await server.empty()
        await asyncio.wait([waiting])

    assert waiting.exception() is None or isinstance(waiting.exception(), TransportError)
