import asyncio

import pytest

from kubewright.embedded.node.simulated.listener import Listener, StreamConnection
from kubewright.kinds.core.v1 import Container, ContainerPort
from tests.unit.embedded.node.processes import a_pod

PORT = 18080


def listener(address: str) -> Listener:
    """Return the listener of a container."""
    container = Container(
        name="main", image="memcached", ports=[ContainerPort(container_port=PORT)]
    )
    return Listener(a_pod(container), container, address)


async def get(address: str) -> bytes:
    """Return the answer of a request, on a connection of its own."""
    connection = StreamConnection(*await asyncio.open_connection(address, PORT))
    await connection.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    answer = await connection.read()
    await connection.end()
    assert await connection.read() == b""
    await connection.close()
    return answer


async def test_two_pods_listen_on_one_port() -> None:
    """Each at its own loopback address."""
    first, second = listener("127.77.0.1"), listener("127.77.0.2")
    await first.open()
    await second.open()

    answers = [await get(address) for address in ("127.77.0.1", "127.77.0.2")]

    assert all(b"simulated by Kubewright" in answer for answer in answers)
    first.close()
    second.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.77.0.1", PORT)


async def test_a_port_that_is_taken_is_left_out() -> None:
    """The pod runs all the same; the log says so."""
    first, second = listener("127.77.0.3"), listener("127.77.0.3")
    await first.open()

    await second.open()

    assert b"200 OK" in await get("127.77.0.3")
    second.close()
    first.close()


async def test_the_end_of_a_container_ends_its_connections() -> None:
    """Connected clients must notice that it is gone."""
    made = listener("127.77.0.4")
    await made.open()
    connection = StreamConnection(*await asyncio.open_connection("127.77.0.4", PORT))
    await connection.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    await connection.read()

    made.close()

    assert await connection.read() == b""
    await connection.close()
