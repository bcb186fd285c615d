"""From a configuration to a transport that reaches the server."""

import asyncio

import pytest

from kubewright.client import Client, Config
from kubewright.client.connect import connect
from kubewright.errors import ConfigError, TransportError
from kubewright.kinds.core.v1 import ConfigMap

BODY = b'{"kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}}'


async def test_a_request_carries_who_asks_and_with_what() -> None:
    """Token and user agent come from the configuration."""
    heads: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        writer.write(head % len(BODY) + BODY)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    config = Config(server=f"http://127.0.0.1:{port}/prefix", token="secret", user_agent="me/1")

    async with server, Client(config) as client:
        found = await client.get(ConfigMap, "a")

    assert found.data == {"k": "v"}
    assert heads[0].startswith(b"GET /prefix/api/v1/namespaces/default/configmaps/a HTTP/1.1\r\n")
    assert b"Authorization: Bearer secret\r\n" in heads[0]
    assert b"User-Agent: me/1\r\n" in heads[0]


async def test_a_server_that_is_not_there_is_named() -> None:
    """The first thing to check is the address."""
    config = Config(server="http://127.0.0.1:1")

    async with Client(config) as client:
        with pytest.raises(TransportError, match=r"127\.0\.0\.1:1"):
            await client.get(ConfigMap, "a")


def test_a_proxy_that_cannot_be_used_is_refused_at_once() -> None:
    """Not at the first request, which may come much later."""
    with pytest.raises(ConfigError, match="socks5"):
        connect(Config(server="https://example.com", proxy_url="socks5://localhost:1080"))


@pytest.mark.parametrize(("setting", "limit"), [(0, None), (7, 7)])
def test_the_number_of_connections_is_passed_on(setting: int, limit: int | None) -> None:
    """0 stands for no limit, as a number in a file has to stand for it."""
    transport = connect(Config(server="http://127.0.0.1:1", connections=setting))

    assert transport._options.limits.connections == limit
