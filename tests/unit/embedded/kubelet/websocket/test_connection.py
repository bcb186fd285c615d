import asyncio

from websockets.frames import Opcode

from kubewright.client.websocket import accept_for
from kubewright.embedded.kubelet.websocket import connection as websocket
from kubewright.embedded.kubelet.websocket.connection import Tunnel, WebSocket
from tests.unit.embedded.kubelet.wires import WEBSOCKET, WebSocketClient, ends


def test_the_handshake_is_that_of_the_rfc() -> None:
    """The key in it is the one of the RFC's own example."""
    said = dict(websocket.handshake(WEBSOCKET, "v5.channel.k8s.io"))

    assert said["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    assert said["Sec-WebSocket-Accept"] == accept_for(WEBSOCKET["sec-websocket-key"])
    assert said["Sec-WebSocket-Protocol"] == "v5.channel.k8s.io"
    assert "Sec-WebSocket-Protocol" not in dict(websocket.handshake(WEBSOCKET, ""))


def test_who_asks_for_something_else_is_told_apart() -> None:
    """SPDY and plain requests come to the same address."""
    assert websocket.is_websocket({"connection": "keep-alive, Upgrade", "upgrade": "WebSocket"})
    assert not websocket.is_websocket({"connection": "Upgrade", "upgrade": "SPDY/3.1"})
    assert not websocket.is_websocket({"upgrade": "websocket"})
    assert websocket.handshake_problem(WEBSOCKET) == ""
    assert websocket.handshake_problem({**WEBSOCKET, "sec-websocket-version": "8"})
    assert websocket.handshake_problem({**WEBSOCKET, "sec-websocket-key": ""})
    assert websocket.offered_protocols({"sec-websocket-protocol": "a, b,,"}) == ["a", "b"]


async def test_messages_go_both_ways_whatever_parts_they_come_in() -> None:
    """A ping between two parts is answered, and is not a message."""
    near, far = ends()
    client, server = WebSocketClient(near), WebSocket(far)
    await client.send(b"one", fin=False)
    await client.ping(b"there?")
    await client.send_more(b"-two", fin=True)
    await client.send(b"text", text=True)

    messages = [await server.receive(), await server.receive()]
    await server.send(b"answer")
    pong, answer = await client.frame(), await client.frame()

    assert messages == [b"one-two", b"text"]
    assert pong is not None
    assert answer is not None
    assert (pong.opcode, bytes(pong.data)) == (Opcode.PONG, b"there?")
    assert bytes(answer.data) == b"answer"


async def test_a_goodbye_is_answered_and_ends_the_messages() -> None:
    """Clients wait for the answer before they close the socket."""
    near, far = ends()
    client, server = WebSocketClient(near), WebSocket(far)
    await client.send(b"last")
    await client.close()

    assert [await server.receive(), await server.receive()] == [b"last", None]
    assert await client.receive() is None
    assert client.closed_with == 1000


async def test_a_client_that_is_gone_is_an_end_and_no_error() -> None:
    """A laptop was closed; nobody did anything wrong."""
    near, far = ends()
    server = WebSocket(far)
    near.hang_up()

    assert await server.receive() is None
    await server.close()


async def test_nonsense_ends_the_connection_with_a_reason() -> None:
    """A part of no message, or a message that is too large."""
    codes = []
    for wire in (b"\x80\x80\0\0\0\0", b"\x82\x8b\0\0\0\0eleven byte"):
        near, far = ends()
        server = WebSocket(far, limit=10)
        client = WebSocketClient(near)
        await near.write(wire)

        assert await server.receive() is None
        assert await client.receive() is None
        codes.append(client.closed_with)

    assert codes == [1002, 1009]


async def test_parts_count_together_against_the_limit() -> None:
    """Or a message could fill the memory bit by bit."""
    near, far = ends()
    server, client = WebSocket(far, limit=10), WebSocketClient(near)
    await client.send(b"x" * 8, fin=False)
    await client.send_more(b"x" * 8, fin=False)

    assert await server.receive() is None
    assert await client.receive() is None
    assert client.closed_with == 1009


async def test_a_receiver_that_was_cancelled_loses_nothing() -> None:
    """Whoever waits may give up and come again."""
    near, far = ends()
    client, server = WebSocketClient(near), WebSocket(far)
    waiting = asyncio.create_task(server.receive())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait({waiting})

    await client.send(b"here")

    assert await server.receive() == b"here"


async def test_a_tunnel_is_bytes_both_ways() -> None:
    """An empty message is not the end."""
    near, far = ends()
    client, tunnel = WebSocketClient(near), Tunnel(WebSocket(far))
    await client.send(b"")
    await client.send(b"bytes")
    await tunnel.write(b"back")

    assert await tunnel.read() == b"bytes"
    assert await client.receive() == b"back"
    await client.close()
    assert await tunnel.read() == b""
