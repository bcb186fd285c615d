"""The replay server on a loopback socket, with the certificate and kubeconfig that clients get."""

import asyncio
import base64
import json
import ssl
from contextlib import suppress
from pathlib import Path

from bench import data
from bench.certificate import write_certificate, write_kubeconfig
from bench.playback import CONFIG_MAP, Playback
from bench.replay import Connection


def server_context(certificate: Path) -> ssl.SSLContext:
    """Return the server's side of TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def client_context(kubeconfig: Path) -> ssl.SSLContext:
    """Return a strict client's side of TLS that trusts what the kubeconfig says."""
    cluster = json.loads(kubeconfig.read_text())["clusters"][0]["cluster"]
    authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
    context = ssl.create_default_context(cadata=authority)
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    return context


async def test_a_verifying_client_makes_two_requests_on_one_connection(tmp_path: Path) -> None:
    """Peers verify certificates and keep connections; both must work or they measure otherwise."""
    certificate, kubeconfig = tmp_path / "server.pem", tmp_path / "kubeconfig"
    pem = write_certificate(certificate)
    playback = Playback(data.pods(1), delay=0)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Connection(playback), "127.0.0.1", 0, ssl=server_context(certificate)
    )
    port = server.sockets[0].getsockname()[1]
    write_kubeconfig(kubeconfig, port=port, certificate=pem)
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", port, ssl=client_context(kubeconfig)
    )

    writer.write(b"GET %s HTTP/1.1\r\nHost: bench\r\n\r\n" % CONFIG_MAP.encode())
    first = await reader.readuntil(b"\r\n\r\n")
    body = await reader.readexactly(len(data.config_map()))
    writer.write(b"GET /api/v1/pods?limit=1 HTTP/1.1\r\nHost: bench\r\n\r\n")
    second = await reader.readuntil(b"0\r\n\r\n")

    assert first.startswith(b"HTTP/1.1 200 OK\r\n")
    assert body == data.config_map()
    assert b'"kind":"PodList"' in second
    writer.close()
    await writer.wait_closed()
    server.close()


async def test_what_is_not_http_ends_the_connection() -> None:
    """A broken client is not to hang until the time is over."""
    playback = Playback(data.pods(1), delay=0)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(playback), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())

    writer.write(b"\x00\x01\x02 nonsense\r\n\r\n")

    with suppress(ConnectionResetError):  # the usual end of a connection that is aborted
        assert await reader.read() == b""
    writer.close()
    server.close()
