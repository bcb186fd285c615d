import asyncio
from contextlib import AsyncExitStack

import pytest

from kubewright._aio import Clock
from kubewright._serve.messages import Handler, Request, Response
from kubewright._serve.server import HTTPServer
from kubewright.errors import ConfigError
from kubewright.manager import LeaderElection
from kubewright.manager.address import BindAddress
from kubewright.manager.metrics_certificate import make_certificate
from kubewright.manager.metrics_server import Pages, PageServers, Protection, metrics_page
from tests.unit._serve.clients import Peer, Scripted

ANY = BindAddress("127.0.0.1", 0)


def hello(request: Request) -> Response:
    """Answer with the path."""
    return Response(200, request.path.encode(), "text/plain")


async def handled(method: str, path: str) -> Response:
    """Return what the pages answer."""
    answer = await Pages({"hello": hello, "metrics": metrics_page}).handle(Request(method, path))
    assert isinstance(answer, Response)
    return answer


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/hello", 200),
        ("HEAD", "/hello", 200),
        ("GET", "/hello/you", 200),
        ("POST", "/hello", 405),
        ("GET", "/", 404),
        ("GET", "/other", 404),
        ("OPTIONS", "*", 404),
        ("GET", "/metrics/below", 404),
    ],
)
async def test_a_page_is_found_by_its_path(method: str, path: str, code: int) -> None:
    """What there is not, is answered in words; whoever asks."""
    assert (await handled(method, path)).status == code


async def test_metrics_are_in_the_format_of_prometheus() -> None:
    """With all families of the process, those of leader election too."""
    LeaderElection("a")  # its metrics are there once it is used

    answer = await handled("GET", "/metrics")

    assert answer.content_type.startswith("text/plain; version=0.0.4")
    assert b"# TYPE leader_election_master_status gauge" in answer.body


async def test_pages_are_served_until_the_stack_is_left() -> None:
    """And the port is known when it was chosen by the system."""
    servers = PageServers(clock=Clock())
    servers.add("health", ANY, {"hello": hello})

    async with AsyncExitStack() as stack:
        await servers.start(stack)
        url = servers.url("health")

    assert url is not None
    assert url.startswith("http://127.0.0.1:")
    assert servers.url("health") is None


async def test_pages_of_one_address_share_a_port() -> None:
    """One port for all is what many deployments want; two sockets could not have it."""
    async with HTTPServer(Scripted(Response(200))) as taken:
        _, port = taken.address
    address = BindAddress("127.0.0.1", port)
    servers = PageServers(clock=Clock())
    servers.add("metrics", address, {"metrics": metrics_page})
    servers.add("health", address, {"hello": hello})

    async with AsyncExitStack() as stack:
        await servers.start(stack)

        assert servers.url("metrics") == servers.url("health")


async def test_a_protected_page_has_tls_and_its_guard_comes_first() -> None:
    """What is put before the pages of a port knows that they are not for everybody."""
    asked: list[tuple[Handler, bool]] = []

    def front(pages: Handler, *, private: bool) -> Handler:
        asked.append((pages, private))
        return pages

    guard = Scripted(Response(401))
    servers = PageServers(clock=Clock())
    protection = Protection(make_certificate, lambda _: guard)
    servers.add("metrics", ANY, {"metrics": metrics_page}, protection=protection)
    servers.add("health", ANY, {"hello": hello})

    async with AsyncExitStack() as stack:
        await servers.start(stack, front)
        urls = servers.url("metrics"), servers.url("health")

    assert [str(url).partition(":")[0] for url in urls] == ["https", "http"]
    assert asked[0] == (guard, True)
    assert asked[1][1] is False


def test_a_protected_port_is_not_shared_with_open_pages() -> None:
    """Probes have no token: they would fail, or the page would be open."""
    address = BindAddress("", 8080)
    servers = PageServers(clock=Clock())
    protection = Protection(make_certificate, lambda _: Scripted(Response(401)))
    servers.add("metrics", address, {"metrics": metrics_page}, protection=protection)

    with pytest.raises(ConfigError) as caught:
        servers.add("health", address, {"hello": hello})

    assert str(caught.value) == (
        "health: the port 8080 is that of metrics. Only one of the two asks for a token, and"
        " probes have none. Choose another port."
    )


async def test_two_free_ports_are_two() -> None:
    """Zero is no port that could be shared."""
    servers = PageServers(clock=Clock())
    servers.add("metrics", ANY, {"metrics": metrics_page})
    servers.add("health", ANY, {"hello": hello})

    async with AsyncExitStack() as stack:
        await servers.start(stack)

        assert servers.url("metrics") != servers.url("health")


async def test_no_host_means_every_address() -> None:
    """As in Go; also the loopback of IPv4."""
    servers = PageServers(clock=Clock())
    servers.add("health", BindAddress("", 0), {"hello": hello})

    async with AsyncExitStack() as stack:
        await servers.start(stack)
        (server,) = servers._servers.values()
        peer = Peer(*await asyncio.open_connection("127.0.0.1", server.address[1]))
        await peer.send(b"GET /hello HTTP/1.1\r\nHost: t\r\n\r\n")
        _, body = await peer.answer()
        await peer.close()

    assert body == b"/hello"


async def test_a_port_that_is_taken_is_named_with_its_option() -> None:
    """There are several ports; the message says which flag to change."""
    async with HTTPServer(Scripted(Response(200))) as taken:
        servers = PageServers(clock=Clock())
        servers.add("metrics_bind_address", BindAddress(*taken.address), {"hello": hello})

        with pytest.raises(ConfigError) as caught:
            async with AsyncExitStack() as stack:
                await servers.start(stack)

    assert str(caught.value) == (
        f"metrics_bind_address: cannot listen on 127.0.0.1:{taken._port}: Address already in use."
        " Choose another port, or end the program that has this one."
    )
