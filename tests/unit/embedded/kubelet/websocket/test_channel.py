import pytest

from kubewright.embedded.kubelet.websocket.channel import Channels
from kubewright.embedded.kubelet.websocket.connection import WebSocket
from tests.unit.embedded.kubelet.wires import WebSocketClient, ends


@pytest.mark.parametrize(
    ("protocol", "wire"), [("v4.channel.k8s.io", b"\x02hi"), ("base64.channel.k8s.io", b"2aGk=")]
)
async def test_each_message_begins_with_its_channel(protocol: str, wire: bytes) -> None:
    """As a byte, or as a digit before base64."""
    near, far = ends()
    client, channels = WebSocketClient(near), Channels(WebSocket(far), protocol)

    await client.send(wire, text="base64" in protocol)
    await channels.send(2, b"hi")

    assert await channels.receive() == (2, b"hi")
    assert await client.receive() == wire


async def test_large_data_goes_in_pieces_and_nothing_in_one() -> None:
    """An empty message shows that a channel is open."""
    near, far = ends()
    client, channels = WebSocketClient(near), Channels(WebSocket(far), "v4.channel.k8s.io")

    await channels.send(1, b"")
    await channels.send(1, b"x" * 70000)

    sizes = [len(await client.receive() or b"") for _ in range(4)]
    assert sizes == [1, 32769, 32769, 70000 - 2 * 32768 + 1]


async def test_nonsense_is_skipped_and_a_goodbye_is_the_end() -> None:
    """An empty message has no channel, and not all text is base64."""
    near, far = ends()
    client, channels = WebSocketClient(near), Channels(WebSocket(far), "base64.channel.k8s.io")
    for wire in (b"", b"0!!!", b"0aGk="):
        await client.send(wire, text=True)
    await client.close()

    assert [await channels.receive(), await channels.receive()] == [(0, b"hi"), None]
    await channels.close()
