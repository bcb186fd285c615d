import asyncio

import pytest

from kubewright._aio import Clock
from kubewright._serve.messages import Answer
from kubewright.embedded.kubelet import port_forward
from kubewright.embedded.node.access import AccessError, PodConnection
from tests.unit.embedded.kubelet.containers import Containers
from tests.unit.embedded.kubelet.wires import (
    SPDY,
    WEBSOCKET,
    End,
    SPDYClient,
    WebSocketClient,
    ends,
    talking,
)


def forward(containers: Containers, headers: dict[str, str], *ports: int) -> Answer:
    async def connect(port: int) -> PodConnection:
        return await containers.connect("default", "web", port)

    return port_forward.answer(headers, ports, connect, clock=Clock())


async def echoed(client: SPDYClient) -> bytes:
    error = await client.open(streamtype="error", port="7", requestid="0")
    data = await client.open(streamtype="data", port="7", requestid="0")
    await client.write(data, b"hello", final=True)
    await client.read_until(lambda: {error, data} <= client.ended)
    return client.got[data]


async def test_spdy_is_spoken_directly() -> None:
    """As kubectl before 1.31 does."""
    containers = Containers()
    headers = {**SPDY, "x-stream-protocol-version": "portforward.k8s.io"}

    async with talking(forward(containers, headers)) as (end, _):
        assert await echoed(SPDYClient(end)) == b"hello"

    await containers.stop()


async def test_spdy_is_spoken_inside_of_a_websocket() -> None:
    """As kubectl since 1.31 does."""
    containers = Containers()
    headers = {**WEBSOCKET, "sec-websocket-protocol": "SPDY/3.1+portforward.k8s.io"}

    async with talking(forward(containers, headers)) as (end, task):
        outer = WebSocketClient(end)
        near, far = ends()
        pumps = [asyncio.create_task(into(far, outer)), asyncio.create_task(out_of(outer, far))]

        assert await echoed(SPDYClient(near)) == b"hello"

        await outer.close()
        await task
        for pump in pumps:
            pump.cancel()
    await containers.stop()


async def into(end: End, client: WebSocketClient) -> None:
    while data := await end.read():
        await client.send(data)


async def out_of(client: WebSocketClient, end: End) -> None:
    while (data := await client.receive()) is not None:
        await end.write(data)


async def test_channels_are_spoken_to_those_who_name_their_ports() -> None:
    """As our own client does."""
    containers = Containers()
    headers = {**WEBSOCKET, "sec-websocket-protocol": "v4.channel.k8s.io"}

    async with talking(forward(containers, headers, 7)) as (end, _):
        client = WebSocketClient(end)
        await client.send(b"\0hello")
        got = [await client.receive() for _ in range(3)]
        await client.close()

    assert got == [b"\0\7\0", b"\1\7\0", b"\0hello"]
    await containers.stop()


def test_a_request_that_makes_no_sense_is_refused() -> None:
    """No upgrade at all, or channels of no port."""
    channels = {**WEBSOCKET, "sec-websocket-protocol": "v4.channel.k8s.io"}

    for headers in ({}, channels):
        with pytest.raises(AccessError):
            forward(Containers(), headers)
