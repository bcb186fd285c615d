"""Clients of exec and port-forward that talk nonsense: whatever comes, nothing is left behind."""

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress

import pytest
from websockets.exceptions import ProtocolError
from websockets.frames import Frame, Opcode

from kubewright._aio import Clock
from kubewright._serve.messages import Answer
from kubewright.embedded.kubelet import port_forward, remote_command
from kubewright.embedded.kubelet.options import RemoteOptions
from kubewright.embedded.kubelet.spdy import frames
from kubewright.embedded.node.access import Command, PodConnection
from kubewright.errors import TransportError
from tests.unit.embedded.kubelet.containers import Containers
from tests.unit.embedded.kubelet.wires import SPDY, WEBSOCKET, End, talking

KINDS = ("error", "stdin", "stdout", "stderr", "resize", "data", "odd")
ALL = RemoteOptions(("cat",), stdin=True, stdout=True, stderr=True)
ROUNDS = 400


def command(containers: Containers, headers: dict[str, str]) -> Answer:
    async def start() -> Command:
        return await containers.execute("default", "web", "main", ["cat"], stdin=True)

    return remote_command.answer(headers, ALL, start, clock=Clock())


def forward(containers: Containers, headers: dict[str, str]) -> Answer:
    async def connect(port: int) -> PodConnection:
        return await containers.connect("default", "web", port)

    return port_forward.answer(headers, [7], connect, clock=Clock())


def spdy_words(dice: random.Random) -> bytes:
    """Return frames that are well-formed, in an order that makes no sense."""
    writer, number, wire = frames.FrameWriter(), 1, b""
    for _ in range(dice.randrange(1, 12)):
        stream = dice.randrange(number + 2)
        kind = dice.randrange(7)
        if kind < 3:
            headers = {
                "streamtype": dice.choice(KINDS),
                "port": dice.choice(["7", "9", "x", ""]),
                "requestid": str(dice.randrange(3)),
            }
            wire += writer.open(number, headers, final=dice.random() < 0.1)
            number += 2
        elif kind < 5:
            data = dice.randbytes(dice.randrange(5000))
            wire += frames.data_frame(stream, data, final=dice.random() < 0.3)
        elif kind == 5:
            wire += frames.reset_frame(stream, dice.randrange(12))
            wire += frames.window_frame(stream, dice.randrange(1 << 31))
        else:
            wire += frames.settings_frame(dice.randrange(1 << 31))
            wire += frames.ping_frame(dice.randrange(1 << 32)) + frames.goaway_frame(0, 0)
    return wire


def websocket_words(dice: random.Random) -> bytes:
    """The same of a websocket."""
    wire = b""
    for _ in range(dice.randrange(1, 12)):
        opcode = dice.choice(list(Opcode))
        data = bytes([dice.choice([0, 1, 2, 3, 4, 255])]) + dice.randbytes(dice.randrange(120))
        with suppress(ProtocolError):
            final = opcode >= Opcode.CLOSE or dice.random() < 0.8
            wire += Frame(opcode, data, final).serialize(mask=True)
    return wire


def spoilt(wire: bytes, dice: random.Random) -> bytes:
    """Return *wire* with a few bytes changed, or cut off; sometimes as it is."""
    changed = bytearray(wire)
    if changed and dice.random() < 0.6:
        for _ in range(dice.randrange(1, 6)):
            changed[dice.randrange(len(changed))] = dice.randrange(256)
    if dice.random() < 0.2:
        del changed[dice.randrange(len(changed) + 1) :]
    return bytes(changed)


async def say(end: End, wire: bytes, dice: random.Random) -> None:
    """Send *wire* in pieces, and leave without a goodbye."""
    with suppress(TransportError):  # the server had enough of it
        while wire:
            size = dice.randrange(1, 400)
            await end.write(wire[:size])
            wire = wire[size:]
            await asyncio.sleep(0)
    end.hang_up()


async def listen(end: End) -> None:
    with suppress(TransportError):
        while await end.read():
            pass


@pytest.mark.parametrize(
    ("serve", "words", "headers"),
    [
        (command, spdy_words, SPDY | {"x-stream-protocol-version": "v4.channel.k8s.io"}),
        (forward, spdy_words, SPDY | {"x-stream-protocol-version": "portforward.k8s.io"}),
        (command, websocket_words, WEBSOCKET | {"sec-websocket-protocol": "v5.channel.k8s.io"}),
        (command, websocket_words, WEBSOCKET | {"sec-websocket-protocol": "base64.channel.k8s.io"}),
        (forward, websocket_words, WEBSOCKET | {"sec-websocket-protocol": "v4.channel.k8s.io"}),
        (forward, websocket_words, WEBSOCKET | {"sec-websocket-protocol": port_forward.TUNNEL}),
    ],
)
async def test_nonsense_leaves_nothing_behind(
    serve: Callable[[Containers, dict[str, str]], Answer],
    words: Callable[[random.Random], bytes],
    headers: dict[str, str],
) -> None:
    """No error escapes, each command is ended, each connection closed, and no task stays."""
    before = asyncio.all_tasks()
    for seed in range(ROUNDS):
        dice = random.Random(seed)
        containers = Containers()

        async with talking(serve(containers, headers)) as (end, _):
            listening = asyncio.create_task(listen(end))
            await say(end, spoilt(words(dice), dice), dice)
            await listening

        assert all(command.closed for command in containers.commands), seed
        assert all(connection.closed for connection in containers.connections), seed
        await containers.stop()
    assert asyncio.all_tasks() == before
