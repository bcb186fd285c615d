"""After much work and many broken clients the server is as it was: no task, socket or byte more."""

import asyncio
import contextlib
import gc
import random
from pathlib import Path

from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire.http import HTTPServer
from tests.robustness.test_watchers import until, watchers
from tests.robustness.wire import CONFIG_MAPS, MERGE, Wire

NOISE = (
    b"\x00" * 50,
    b"GET",
    b"GET / HTTP/9.9\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc",
    b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    b"POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
    b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9999999\r\n\r\n",
    b"GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 1000,
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
    b"GET /%00%ff/..//%2e%2e HTTP/1.1\r\nHost: \xff\r\n\r\n",
    b"GET /api/v1/pods?%ff=%00&&=&limit HTTP/1.1\r\nHost: a\r\n\r\n",
    b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
    b"TRACE / HTTP/1.1\r\nHost: a\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" * 200,
    b"GET /api/v1/pods HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81",
)


def sockets() -> int:
    """Return how many files and sockets this process has open."""
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


async def misbehave(wire: Wire, data: bytes, *, wait: bool) -> None:
    """Send *data*, perhaps look at the answer, and go away without a word."""
    reader, writer = await wire.connect()
    with contextlib.suppress(OSError):
        writer.write(data)
        await writer.drain()
        if wait:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.02):
                    await reader.read(1)
    writer.transport.abort()


async def test_noise_on_the_socket_leaves_nothing_behind(
    api: APIServer, front: HTTPServer, wire: Wire
) -> None:
    """Whatever comes in, the next client is served, and the one before is forgotten."""
    await wire.ask("GET", "/healthz")
    tasks, files, own = len(asyncio.all_tasks()), sockets(), watchers(api)
    chance = random.Random(7)

    for data in NOISE:
        cut = data[: chance.randrange(len(data))]
        await asyncio.gather(
            *(misbehave(wire, one, wait=wait) for one in (data, cut) for wait in (True, False))
        )
        assert (await wire.ask("GET", "/healthz")).body == b"ok"

    await until(lambda: len(front._connections) == 1)
    await until(lambda: len(asyncio.all_tasks()) == tasks and watchers(api) == own)
    await until(lambda: sockets() == files)


async def work(wire: Wire, rounds: int) -> None:
    """Do some of everything, and undo it."""
    for n in range(rounds):
        one = f"{CONFIG_MAPS}/a{n % 7}"
        await wire.ask("POST", CONFIG_MAPS, {"metadata": {"name": f"a{n % 7}"}})
        await wire.ask("PATCH", one, {"data": {"k": "v" * 100}}, media=MERGE)
        await wire.ask("GET", f"{one}?unknown={n}")
        await wire.ask("GET", f"/api/v1/unknown{n}/a{n}")
        await wire.ask("GET", f"{CONFIG_MAPS}?labelSelector=a{n}%3Db&limit={n % 3}")
        await wire.ask("GET", CONFIG_MAPS, Accept=f"application/json;n={n}")
        await wire.ask("GET", f"/nothing/{n}", User_Agent=f"agent/{n}")
        await wire.ask("DELETE", one)


async def test_thousands_of_requests_leave_no_objects_behind(api: APIServer, wire: Wire) -> None:
    """Beyond what is bounded (audit, history), nothing is kept: no path, selector or agent."""
    await work(wire, 150)
    before = _alive(api)

    await work(wire, 450)

    assert _alive(api) - before < 300


def _alive(api: APIServer) -> int:
    api.audit.clear()
    api.store.compact()
    for collection in api.store._collections.values():
        collection._hot.clear()
    gc.collect()
    return len(gc.get_objects())


async def test_long_addresses_and_names_are_kept_in_part(api: APIServer, wire: Wire) -> None:
    """The audit keeps thousands of calls, so each must be small, whatever a client sends."""
    long = "a" * 200_000

    await wire.ask("GET", f"{CONFIG_MAPS}/{long}?{long}", User_Agent=long)

    event = api.audit.events()[-1]
    assert event.uri.startswith(f"{CONFIG_MAPS}/aaa")
    assert len(str(event)) < 20_000
