import base64

import pytest

from kubewright._json import loads
from kubewright.embedded.kubelet.options import RemoteOptions
from kubewright.embedded.kubelet.remote_command import WEBSOCKETS
from kubewright.embedded.kubelet.websocket.connection import WebSocket
from kubewright.embedded.kubelet.websocket.streams import WebSocketStreams
from tests.unit.embedded.kubelet.containers import MemoryCommand, idle
from tests.unit.embedded.kubelet.wires import WebSocketClient, ends

ALL = RemoteOptions(("cat",), stdin=True, stdout=True, stderr=True)
TTY = RemoteOptions(("sh",), stdin=True, stdout=True, tty=True)


def pair(protocol: str, options: RemoteOptions = ALL) -> tuple[WebSocketClient, WebSocketStreams]:
    near, far = ends()
    return WebSocketClient(near), WebSocketStreams(WebSocket(far), protocol, options)


@pytest.mark.parametrize("protocol", WEBSOCKETS)
async def test_every_dialect_carries_the_three_streams(protocol: str) -> None:
    """Old ones say a success by saying nothing."""
    client, streams = pair(protocol)
    command = MemoryCommand(idle)
    text = "base64" in protocol
    message = b"0" + base64.b64encode(b"in") if text else b"\0in"
    await client.send(message, text=text)
    await client.close()

    await streams.greet()
    await streams.serve_input(command)
    said = await command.stdin.read()
    got = await client.receive()

    assert said == b"in"
    assert got == (b"1" if text else b"\1")
    await command.close()


async def test_stdin_can_be_closed_since_v5() -> None:
    """In older dialects the same bytes mean nothing."""
    for protocol, closed in (("v5.channel.k8s.io", True), ("v4.channel.k8s.io", False)):
        client, streams = pair(protocol)
        command = MemoryCommand(idle)
        await client.send(b"\xff\0")
        await client.send(b"\0late")
        await client.close()

        await streams.serve_input(command)

        assert (await command.stdin.read() == b"") is closed
        await command.close()


async def test_a_terminal_has_a_size_and_one_output() -> None:
    """What the command writes to stderr comes out of the terminal, too."""
    client, streams = pair("v5.channel.k8s.io", TTY)
    command = MemoryCommand(idle)
    await client.send(b'\x04{"Width":80,"Height":24}')
    await client.close()

    await streams.write("stderr", b"oops")
    await streams.serve_input(command)

    assert await client.receive() == b"\1oops"
    assert command.sizes == [(80, 24)]
    await command.close()


async def test_only_what_was_asked_for_is_sent() -> None:
    """And nothing is passed on from a client that did not announce it."""
    client, streams = pair("v4.channel.k8s.io", RemoteOptions(("cat",), stderr=True))
    command = MemoryCommand(idle)
    await client.send(b"\0unasked")
    await client.send(b"\x04{}")

    await streams.greet()
    await streams.write("stdout", b"unasked")
    await streams.write("stderr", b"err")
    await streams.finish({"metadata": {}, "status": "Success"})
    got = [await client.receive(), await client.receive(), await client.receive()]
    await client.close()
    await streams.serve_input(command)
    await streams.wait_gone()

    assert got[:2] == [b"\2", b"\2err"]
    assert loads((got[2] or b"?")[1:])["status"] == "Success"
    assert await client.receive() is None
    assert client.closed_with == 1000
    command.stdin.end()
    assert await command.stdin.read() == b""
    await command.close()
