"""Port-forward over channels of a websocket: two for each port, each port one connection."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from kubewright._aio import Clock, TaskSet
from kubewright.embedded.kubelet.probe import wait_until_gone
from kubewright.embedded.kubelet.websocket.channel import Channels
from kubewright.embedded.node.access import BROKEN, PodConnection
from kubewright.errors import TransportError

_GOODBYE = 2.0  # seconds that a client has to answer our close


class WebSocketForwarder:
    """Serves one client until all of its ports are closed, or it is gone."""

    def __init__(
        self,
        channels: Channels,
        ports: Sequence[int],
        connect: Callable[[int], Awaitable[PodConnection]],
        *,
        clock: Clock,
    ) -> None:
        self._channels = channels
        self._ports = ports
        self._connect = connect
        self._clock = clock
        self._pods: dict[int, PodConnection] = {}

    async def run(self) -> None:
        """Serve until the pod has closed all connections, or the client is gone."""
        with suppress(TransportError):
            try:
                await self._open()
                async with TaskSet() as tasks:
                    up = tasks.start(self._upload(), name="from a client")
                    down = tasks.start(self._download_all(), name="from a pod")
                    probe = tasks.start(
                        wait_until_gone(self._channels.ping, self._clock), name="pings"
                    )
                    await asyncio.wait({up, down, probe}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for pod in self._pods.values():
                    await pod.close()
            await self._hang_up()

    async def _open(self) -> None:
        for index, port in enumerate(self._ports):
            for channel in (2 * index, 2 * index + 1):
                await self._channels.send(channel, port.to_bytes(2, "little"))
        for index, port in enumerate(self._ports):
            try:
                self._pods[2 * index] = await self._connect(port)
            except BROKEN as problem:
                text = f"error forwarding port {port}: {problem}"
                await self._channels.send(2 * index + 1, text.encode())

    async def _upload(self) -> None:
        deaf: set[int] = set()
        while (message := await self._channels.receive()) is not None:
            channel, data = message
            if channel in deaf or channel not in self._pods or not data:
                continue
            try:
                await self._pods[channel].write(data)
            except BROKEN:
                deaf.add(channel)  # what it sent before is still on its way

    async def _download_all(self) -> None:
        async with asyncio.TaskGroup() as group:
            for channel in self._pods:
                group.create_task(self._download(channel))

    async def _download(self, channel: int) -> None:
        with suppress(*BROKEN):
            while data := await self._pods[channel].read():
                await self._channels.send(channel, data)

    async def _hang_up(self) -> None:
        await self._channels.close()
        with suppress(TimeoutError):
            async with self._clock.timeout(_GOODBYE):
                while await self._channels.receive() is not None:
                    pass
