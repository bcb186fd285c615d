from pathlib import Path

import pytest

from kubewright.api.requests import Request as ClientRequest
from kubewright.apiserver.serving import Authorities, InProcess, Serving
from kubewright.apiserver.wire.request import Answer, Request, Response
from kubewright.client import Config
from kubewright.client.config import TLSConfig
from kubewright.client.http_transport import transport_for
from kubewright.embedded import LocalServer
from kubewright.errors import Attempt, ConfigError, LifecycleError

GET = ClientRequest("GET", "/", Attempt("get", "/"))


class Stub:
    """Something to serve that knows whether it runs."""

    def __init__(self) -> None:
        self.serving: Serving = InProcess()
        self.life: list[str] = []
        self.certificate: bytes | None = None
        self.authorities: Authorities | None = None

    def served_by(self, serving: Serving) -> "Stub":
        self.serving = serving
        return self

    async def start(self) -> None:
        self.authorities = self.serving.find_authorities()
        self.life.append("started")

    async def stop(self) -> None:
        self.life.append("stopped")

    async def handle(self, request: Request) -> Answer:
        self.certificate = request.certificate
        return Response(200, b"{}")


async def test_it_is_reached_at_its_address_by_those_who_trust_it() -> None:
    """The certificate fits the address, and that of a client says who it is."""
    api = Stub()
    async with LocalServer(api.served_by) as server:
        pair = server.client_pair("jane")
        tls = TLSConfig(ca_data=server.ca_data, cert_data=pair.certificate, key_data=pair.key)
        transport = transport_for(Config(server=server.url, tls=tls))
        answer = await transport.send(GET)
        await transport.close()

        assert api.serving.find_url() == server.url
        assert api.authorities is not None
        assert api.authorities.clients.encode() == server.ca_data
        assert api.serving.find_front_proxy() is not None
    assert answer.status == 200
    assert b"jane" in (api.certificate or b"")
    assert api.life == ["started", "stopped"]


async def test_a_port_that_is_taken_leaves_nothing_running() -> None:
    """The files of the server are free again for the next attempt."""
    api = Stub()
    async with LocalServer(Stub().served_by) as first:
        port = int(first.url.rpartition(":")[2])

        with pytest.raises(ConfigError, match="in use"):
            await LocalServer(api.served_by, port=port).start()

    assert api.life == ["started", "stopped"]


async def test_certificates_are_kept_in_the_folder(tmp_path: Path) -> None:
    """A kubeconfig stays good over a restart."""
    async with LocalServer(Stub().served_by, folder=tmp_path) as server:
        first = server.ca_data
    async with LocalServer(Stub().served_by, folder=tmp_path) as server:
        assert server.ca_data == first


async def test_it_has_no_address_unless_it_runs() -> None:
    """And says what to do."""
    server = LocalServer(Stub().served_by)

    with pytest.raises(LifecycleError, match="start it first"):
        _ = server.url
    with pytest.raises(LifecycleError, match="start it first"):
        _ = server.ca_data
    await server.stop()


async def test_it_cannot_be_started_twice() -> None:
    """The second would take the first one's place, which nobody would stop."""
    async with LocalServer(Stub().served_by) as server:
        with pytest.raises(LifecycleError, match="runs already"):
            await server.start()
