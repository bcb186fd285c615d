"""Ports of pods: over SPDY, over SPDY inside of a websocket, and over channels of a websocket."""

from collections.abc import Awaitable, Callable, Sequence

from kubewright._aio import Clock
from kubewright._serve.messages import Answer, Duplex, Headers, Response
from kubewright.embedded.kubelet.spdy.forward import SPDYForwarder
from kubewright.embedded.kubelet.upgrade import agree
from kubewright.embedded.kubelet.websocket.channel import Channels
from kubewright.embedded.kubelet.websocket.connection import Tunnel, WebSocket
from kubewright.embedded.kubelet.websocket.forward import WebSocketForwarder
from kubewright.embedded.node.access import AccessError, PodConnection

Connect = Callable[[int], Awaitable[PodConnection]]
"""Connects to a port of the pod in question; raises `AccessError`."""

TUNNEL: str = "SPDY/3.1+portforward.k8s.io"
SPDY: tuple[str, ...] = ("portforward.k8s.io",)
WEBSOCKETS: tuple[str, ...] = (TUNNEL, "v4.channel.k8s.io", "v4.base64.channel.k8s.io", "")


def answer(headers: Headers, ports: Sequence[int], connect: Connect, *, clock: Clock) -> Answer:
    """Answer a request to forward ports of a pod.

    Args:
        headers: Those of the request.
        ports: Which ports, for clients that cannot name them later.
        connect: Connects to one.
        clock: Where time-outs come from.

    Raises:
        AccessError: The request is invalid.
    """
    agreed = agree(headers, websockets=WEBSOCKETS, spdy=SPDY)
    if isinstance(agreed, Response):
        return agreed
    protocol = agreed.protocol

    async def talk_spdy(duplex: Duplex) -> None:
        await SPDYForwarder(duplex, connect, clock=clock).run()

    async def talk_tunnel(duplex: Duplex) -> None:
        socket = WebSocket(duplex)
        await SPDYForwarder(Tunnel(socket), connect, clock=clock).run()
        await socket.close()

    async def talk_channels(duplex: Duplex) -> None:
        channels = Channels(WebSocket(duplex), protocol)
        await WebSocketForwarder(channels, ports, connect, clock=clock).run()

    if agreed.carrier == "spdy":
        return agreed.upgrade(talk_spdy)
    if protocol == TUNNEL:
        return agreed.upgrade(talk_tunnel)
    if not ports:
        raise AccessError(400, 'query parameter "port" is required')
    return agreed.upgrade(talk_channels)
