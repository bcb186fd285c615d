"""Services of the embedded cluster, through the addresses at which programs look for them."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from kubewright.api.unstructured import Unstructured
from kubewright.client import Client
from kubewright.embedded import LocalCluster
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import Service

pytestmark = pytest.mark.timeout(60)

PORT = 8000


async def make_shop(client: Client, replicas: int) -> str:
    """Make a Deployment and its Service; return the address of the Service."""
    labels = {"app": "shop"}
    template = {
        "metadata": {"labels": labels},
        "spec": {
            "containers": [{"name": "main", "image": "shop", "ports": [{"containerPort": 8080}]}]
        },
    }
    spec: dict[str, Any] = {
        "replicas": replicas,
        "selector": {"matchLabels": labels},
        "template": template,
    }
    meta = {"name": "shop", "namespace": "default"}
    await client.create(
        Unstructured(apiVersion="apps/v1", kind="Deployment", metadata=meta, spec=spec)
    )
    ports = [{"port": PORT, "targetPort": 8080}]
    service = {"selector": labels, "ports": ports}
    await client.create(Unstructured(apiVersion="v1", kind="Service", metadata=meta, spec=service))
    return (await client.get(Service, "shop")).spec.cluster_ip or ""


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something holds; the time limit of the test is the bound."""
    while not await holds():  # noqa: ASYNC110  # what is looked at is behind a socket
        await asyncio.sleep(0.02)


async def rolled_out(client: Client, replicas: int) -> bool:
    """Return whether the rollout is over."""
    found = await client.get(Deployment, "shop")
    status = found.status
    counts = (status.replicas, status.updated_replicas, status.available_replicas)
    current = status.observed_generation == found.metadata.generation
    return current and counts == (replicas, replicas, replicas)


async def ask(address: str) -> bytes:
    """Send a request, and return the body of the answer."""
    reader, writer = await asyncio.open_connection(address, PORT)
    try:
        writer.write(b"GET / HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n")
        answer = await reader.read(-1)
    finally:
        writer.close()
    assert answer.startswith(b"HTTP/1.1 200"), answer
    return answer.partition(b"\r\n\r\n")[2]


class Customer:
    """Sends one request after the other; `more` fails once one of them has."""

    def __init__(self, address: str) -> None:
        self.answers: list[bytes] = []
        self._address = address
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while True:
            async with asyncio.timeout(10):
                self.answers.append(await ask(self._address))
            await asyncio.sleep(0.001)

    async def more(self) -> None:
        """Wait for twenty more answers."""
        wanted = len(self.answers) + 20
        while len(self.answers) < wanted:
            await asyncio.sleep(0.01)
            if self._task.done():
                self._task.result()

    async def leave(self) -> None:
        """Send no more."""
        self._task.cancel()
        await asyncio.wait({self._task})


async def test_no_request_fails_while_pods_come_and_go() -> None:
    """Scaled up, scaled down, and replaced one by one."""
    async with LocalCluster() as cluster, cluster.client() as client:
        address = await make_shop(client, 2)
        await until(lambda: rolled_out(client, 2))
        await until(lambda: reachable(address))

        customer = Customer(address)
        try:
            for replicas in (5, 1, 3):
                await client.patch(Deployment, "shop", {"spec": {"replicas": replicas}})
                await until(partial(rolled_out, client, replicas))
                await customer.more()
            annotations = {"metadata": {"annotations": {"restarted": "yes"}}}
            await client.patch(Deployment, "shop", {"spec": {"template": annotations}})
            await until(partial(rolled_out, client, 3))
            await customer.more()
        finally:
            await customer.leave()

    assert len(set(customer.answers)) > 1


async def unreachable(address: str) -> bool:
    """Return whether nobody answers."""
    return not await reachable(address)


async def reachable(address: str) -> bool:
    """Return whether somebody answers."""
    try:
        await ask(address)
    except (OSError, AssertionError):
        return False
    return True


async def test_nobody_answers_for_a_service_that_is_gone() -> None:
    """Its address is free again."""
    async with LocalCluster() as cluster, cluster.client() as client:
        address = await make_shop(client, 1)
        await until(lambda: reachable(address))

        await client.delete(Service, "shop")

        await until(lambda: unreachable(address))
        with pytest.raises(ConnectionRefusedError):
            await ask(address)
