"""What runs in containers, through kubectl of every version at hand and through our own client."""

import asyncio
import hashlib
import os
import pty
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kubewright.client import Client, Config
from kubewright.embedded import InProcessTransport
from kubewright.embedded.node.access import AccessError
from kubewright.errors import BadRequestError, TransportError
from tests.cluster.processes import ProcessContainers
from tests.cluster.streams import PATIENCE, EmbeddedTown, Town, kubectls, town
from tests.unit.embedded.kubelet.containers import Containers

ALL = kubectls()
KUBECTL = ALL[0] if ALL else "kubectl"
MEGABYTE = b"0123456789abcdef" * 65536

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(not ALL, reason="kubectl is not installed"),
]
each = pytest.mark.parametrize("kubectl", ALL, ids=lambda path: Path(path).name)


@pytest.fixture
async def containers() -> ProcessContainers:
    """Commands run as processes of this machine; logs are in memory."""
    return ProcessContainers()


@pytest.fixture
async def made(containers: ProcessContainers, tmp_path: Path) -> AsyncIterator[EmbeddedTown]:
    """An API server with a pod called web, and one called two with two containers."""
    async with town(containers, tmp_path) as made:
        yield made


# --- Logs ---


async def test_kubectl_logs_prints_what_a_container_wrote(
    made: Town, containers: Containers
) -> None:
    """Every flag reaches the node."""
    before = datetime.now(UTC)

    done = await made.run(
        KUBECTL, "logs", "web", "--tail=5", "--timestamps", "--since=1h", "--limit-bytes=100"
    )

    assert (done.code, done.out) == (0, "one\ntwo\n")
    options = containers.asked[0][3]
    assert (options.tail_lines, options.timestamps, options.limit_bytes) == (5, True, 100)
    assert options.since is not None
    assert abs(options.since - before + timedelta(hours=1)) < timedelta(minutes=1)


async def test_kubectl_logs_follows_until_the_container_ends(
    made: Town, containers: Containers
) -> None:
    """Lines come as they are written, and not at the end."""
    process = await made.start(KUBECTL, "logs", "-f", "web")
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        first = [await process.stdout.readline(), await process.stdout.readline()]
        containers.more.set()
        rest, _ = await process.communicate()

    assert (first, rest, process.returncode) == ([b"one\n", b"two\n"], b"more\n", 0)


async def test_kubectl_logs_that_is_ended_lets_go_of_the_log(
    made: Town, containers: Containers
) -> None:
    """Otherwise each one that somebody ends with Ctrl-C would stay."""
    process = await made.start(KUBECTL, "logs", "-f", "web")
    assert process.stdout is not None
    await process.stdout.readline()

    process.terminate()
    await process.communicate()

    async with asyncio.timeout(PATIENCE):
        while not containers.log_closed:  # noqa: ASYNC110  # the double has no event for it
            await asyncio.sleep(0.01)


async def test_kubectl_logs_tells_why_there_are_none(made: Town, containers: Containers) -> None:
    """In the words that people know."""
    waiting = 'container "main" in pod "web" is waiting to start: ContainerCreating'
    previous = 'previous terminated container "main" in pod "web" not found'
    containers.log_error = AccessError(400, waiting)
    first = await made.run(KUBECTL, "logs", "web")
    containers.log_error = AccessError(400, previous)
    second = await made.run(KUBECTL, "logs", "web", "--previous")

    assert (first.code, first.err) == (1, f"Error from server (BadRequest): {waiting}\n")
    assert (second.code, second.err) == (1, f"Error from server (BadRequest): {previous}\n")
    assert containers.asked[-1][3].previous


async def test_kubectl_logs_of_all_containers_asks_for_each(
    made: Town, containers: Containers
) -> None:
    """It names them itself."""
    done = await made.run(KUBECTL, "logs", "two", "--all-containers", "--prefix")

    assert done.code == 0
    assert "[pod/two/side] one\n" in done.out
    assert {asked[2] for asked in containers.asked} == {"main", "side"}


# --- Commands ---


@each
async def test_kubectl_exec_brings_output_and_exit_code(made: Town, kubectl: str) -> None:
    """Over SPDY up to 1.30, over a websocket since 1.31."""
    script = "echo out; echo err >&2; exit 3"

    done = await made.run(kubectl, "exec", "web", "--", "sh", "-c", script)

    assert (done.code, done.out) == (3, "out\n")
    assert done.err == "err\ncommand terminated with exit code 3\n"


@each
async def test_kubectl_exec_passes_stdin_to_its_end(made: Town, kubectl: str) -> None:
    """A command that reads to the end of its input ends then; megabytes arrive whole."""
    data = MEGABYTE * 8

    done = await made.run(kubectl, "exec", "-i", "web", "--", "sha256sum", stdin=data)

    assert done.code == 0, done.err
    assert done.out.split()[0] == hashlib.sha256(data).hexdigest()


@each
async def test_kubectl_exec_brings_megabytes_of_output(made: Town, kubectl: str) -> None:
    """Whole, and in order."""
    script = "i=0; while [ $i -lt 200000 ]; do echo $i; i=$((i+1)); done"

    done = await made.run(kubectl, "exec", "web", "--", "sh", "-c", script)

    assert done.code == 0, done.err
    assert done.out == "".join(f"{number}\n" for number in range(200000))


@each
async def test_kubectl_exec_with_a_terminal_has_its_size(made: Town, kubectl: str) -> None:
    """What a person types goes in, and the command sees a terminal as large as theirs."""
    # The size comes a moment after the start, here as with any kubelet.
    sized = 'while [ "$(stty size)" = "0 0" ]; do sleep 0.02; done; stty size'
    script = f"{sized}; read line; echo got $line; exit 4"

    code, screen = await in_terminal(made, kubectl, "exec", "-it", "web", "--", "sh", "-c", script)

    assert "37 91" in screen
    assert "got typed" in screen
    assert code == 4


async def in_terminal(made: Town, *words: str) -> tuple[int, str]:
    """Run a program in a terminal of 37 rows, and type once it has written something."""
    outer, inner = pty.openpty()
    os.set_blocking(outer, False)
    await made.run("stty", "-F", os.ttyname(inner), "rows", "37", "cols", "91")
    process = await asyncio.create_subprocess_exec(
        *words, stdin=inner, stdout=inner, stderr=inner, env=made.environment
    )
    os.close(inner)
    screen = b""
    typed = False
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    screen += os.read(outer, 65536)
                except BlockingIOError:
                    await asyncio.sleep(0.01)
                except OSError:  # nobody has the other side any more
                    return await process.wait(), screen.decode()
                if b"91" in screen and not typed:
                    typed = True
                    os.write(outer, b"typed\r")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        os.close(outer)


async def test_kubectl_exec_tells_what_cannot_be_run(made: Town) -> None:
    """No such program, no such container."""
    program = await made.run(KUBECTL, "exec", "web", "--", "no-such-program")
    container = await made.run(KUBECTL, "exec", "web", "-c", "none", "--", "ls")

    assert program.code == 1
    assert "executable file not found: no-such-program" in program.err
    assert (container.code, "container not found" in container.err) == (1, False)
    assert "none" in container.err


async def test_kubectl_attach_reads_and_writes_along(made: Town) -> None:
    """Here the container's process is one that says what it reads."""
    done = await made.run(KUBECTL, "attach", "-i", "web", stdin=b"hello\n")

    assert (done.code, done.out) == (0, "hello\n")


@pytest.mark.parametrize("direction", ["to", "from"])
async def test_kubectl_cp_copies_files(made: Town, tmp_path: Path, direction: str) -> None:
    """It is exec of tar, with much input or much output."""
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(MEGABYTE * 4)

    places = [str(source), f"web:{target}"] if direction == "to" else [f"web:{source}", "target"]
    done = await made.run(KUBECTL, "cp", *places)

    assert done.code == 0, done.err
    assert target.read_bytes() == source.read_bytes()


# --- Ports ---


async def serve_http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer with a greeting, with megabytes, or with how many bytes came."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        if "get /large" in head:
            writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")
            for _ in range(int(head.split("/large/")[1].split()[0])):
                writer.write(MEGABYTE)
                await writer.drain()
        else:
            length = re.search(r"content-length: (\d+)", head)
            got = await reader.readexactly(int(length[1])) if length else b""
            writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\ngot %d" % len(got))
        await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


@asynccontextmanager
async def http_server() -> AsyncIterator[int]:
    server = await asyncio.start_server(serve_http, "127.0.0.1", 0, limit=32 << 20)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def fetch(port: int, path: str = "/", body: bytes = b"") -> bytes:
    """Return the body of an answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=32 << 20)
    head = f"POST {path} HTTP/1.1\r\ncontent-length: {len(body)}\r\n\r\n"
    writer.write((head if body else f"GET {path} HTTP/1.1\r\n\r\n").encode() + body)
    try:
        async with asyncio.timeout(PATIENCE):
            await writer.drain()
            return (await reader.read(-1)).partition(b"\r\n\r\n")[2]
    finally:
        writer.close()


@asynccontextmanager
async def forwarding(made: Town, kubectl: str, port: int) -> AsyncIterator[int]:
    process = await made.start(kubectl, "port-forward", "pod/web", f":{port}")
    assert process.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE):
            line = (await process.stdout.readline()).decode()
        found = re.search(r"127\.0\.0\.1:(\d+) ->", line)
        assert found, line
        yield int(found[1])
    finally:
        process.terminate()
        await process.communicate()


@each
async def test_kubectl_port_forward_carries_http(made: Town, kubectl: str) -> None:
    """Many requests at once, and megabytes in both directions."""
    async with http_server() as port, forwarding(made, kubectl, port) as local:
        small = await asyncio.gather(*[fetch(local) for _ in range(20)])
        large = await fetch(local, "/large/20")
        sent = await fetch(local, "/", MEGABYTE * 20)

    assert set(small) == {b"got 0"}
    assert large == MEGABYTE * 20
    assert sent == b"got %d" % (20 << 20)


async def version(made: Town, kubectl: str) -> tuple[int, int]:
    """Return the version of a kubectl."""
    done = await made.run(kubectl, "version", "--client")
    found = re.search(r"v(\d+)\.(\d+)|Minor:\"(\d+)", done.out)
    assert found, done
    return int(found[1] or 1), int(found[2] or found[3])


async def test_kubectl_port_forward_survives_a_client_that_breaks_off(made: Town) -> None:
    """A browser that is closed must not block the other connections.

    Before 1.32 it blocks kubectl itself, whatever is at the other end.
    """
    if await version(made, KUBECTL) < (1, 32):
        pytest.skip("this kubectl has a fault that newer ones have not")
    async with http_server() as port, forwarding(made, KUBECTL, port) as local:
        for _ in range(5):
            _, writer = await asyncio.open_connection("127.0.0.1", local)
            writer.write(b"GET /large/50 HTTP/1.1\r\n\r\n")
            await writer.drain()
            writer.transport.abort()

        assert await fetch(local) == b"got 0"


async def test_kubectl_get_raw_goes_through_the_proxies(made: Town) -> None:
    """To a pod and to a node."""
    pods = "/api/v1/namespaces/default/pods"
    async with http_server() as port:
        pod = await made.run(KUBECTL, "get", "--raw", f"{pods}/web:{port}/proxy/x")
        node = await made.run(KUBECTL, "get", "--raw", "/api/v1/nodes/node-1/proxy/healthz")
        none = await made.run(KUBECTL, "get", "--raw", f"{pods}/web:1/proxy/x")

    assert (pod.out, node.out) == ("got 0", "ok")
    assert "error trying to reach service" in none.err


# --- Our own client ---


@pytest.fixture(params=["https", "in process"])
async def client(made: EmbeddedTown, request: pytest.FixtureRequest) -> AsyncIterator[Client]:
    """Our own client, over both of its transports."""
    if request.param == "https":
        found = made.client()
    else:
        config = Config(server="http://in-process", namespace="default")
        found = Client(config, transport=InProcessTransport(made.api))
    async with found:
        yield found


async def test_our_client_reads_logs(client: Client, containers: Containers) -> None:
    """As a text, and line by line as they come."""
    whole = await client.logs("web", tail=3)
    containers.more.set()
    lines = [line async for line in client.logs("web", follow=True)]
    with pytest.raises(BadRequestError, match=r"choose one of: \[main side\]"):
        await client.logs("two")

    assert whole == "one\ntwo\n"
    assert lines == ["one", "two", "more"]


async def test_our_client_runs_commands(client: Client) -> None:
    """With output, input and exit code."""
    failed = await client.exec("web", ["sh", "-c", "echo out; echo err >&2; exit 3"])
    echoed = await client.exec("web", ["cat"], stdin=MEGABYTE * 4)

    assert (failed.stdout, failed.stderr, failed.exit_code) == (b"out\n", b"err\n", 3)
    assert (echoed.stdout == MEGABYTE * 4, echoed.exit_code) == (True, 0)
    async with client.attach("web", stdin=True) as process:
        await process.write_stdin(b"hello")
        assert (await anext(process)).data == b"hello"


async def test_our_client_forwards_ports(client: Client) -> None:
    """A connection to use here, and a port for others."""
    async with http_server() as port, client.port_forward("web", port) as forward:
        local = await forward.listen()
        assert await fetch(local) == b"got 0"
        assert await fetch(local, "/large/20") == MEGABYTE * 20
        assert await fetch(local, "/", MEGABYTE * 20) == b"got %d" % (20 << 20)

    async with client.port_forward("web", 1) as forward, await forward.connect() as connection:
        with pytest.raises(TransportError, match="dial tcp4"):
            await connection.read()
