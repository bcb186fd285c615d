import asyncio
import ssl
from pathlib import Path

import pytest

from kubewright._aio import VirtualClock
from kubewright._pki.authority import Authority
from kubewright._serve.messages import Request, Response
from kubewright._serve.server import HTTPServer
from kubewright.errors import ConfigError, LifecycleError
from kubewright.runnable import Checked, Problem, Readying, Runnable, Stage, stage_of
from kubewright.webhook.certificates import MountedCertificate
from kubewright.webhook.server import WebhookServer
from tests.unit._serve.clients import GET, Scripted, echo
from tests.unit.webhook.callers import HOST, Certificate, Served, post, served, trusting


class Slow:
    """A handler whose answers wait until the test lets them go."""

    def __init__(self) -> None:
        self.asked, self.release = asyncio.Event(), asyncio.Event()

    async def handle(self, request: Request) -> Response:
        self.asked.set()
        await self.release.wait()
        return Response(200, b"at last")


def shown_by(folder: Path, authority: Authority) -> Path:
    """Return a file with the pair of a client that *authority* has signed."""
    pair = authority.client("system:apiserver")
    file = folder / "client.pem"
    file.write_bytes(pair.certificate + pair.key)
    return file


async def test_a_manager_can_run_it() -> None:
    """Caches wait for it, since lists may need a conversion, and readiness asks it."""
    server = WebhookServer(Scripted(echo), certificate=Certificate())

    assert isinstance(server, Runnable)
    assert isinstance(server, Readying)
    assert isinstance(server, Checked)
    assert stage_of(server) is Stage.SERVERS


async def test_requests_are_answered_over_tls() -> None:
    """API servers call webhooks in no other way."""
    async with served() as it:
        answer = await it.call("/validate-shops", b"hello")

        assert it.url.startswith(f"https://{HOST}:")
    assert answer == b"/validate-shops hello"


@pytest.mark.filterwarnings("ignore:.*TLSv1_1 is deprecated:DeprecationWarning")
async def test_old_versions_of_tls_are_refused() -> None:
    """Scanners of clusters complain about whoever speaks them."""
    async with served() as it:
        old, new = trusting(it.certificate.ca_bundle), trusting(it.certificate.ca_bundle)
        old.set_ciphers("DEFAULT:@SECLEVEL=0")  # or the client itself would refuse
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        new.maximum_version = ssl.TLSVersion.TLSv1_2

        with pytest.raises(ssl.SSLError, match=r"(?i)alert protocol version"):
            async with it.connect(old):
                pass
        async with it.connect(new) as peer:
            assert peer.writer.get_extra_info("ssl_object").version() == "TLSv1.2"


# --- Certificates of clients ---


async def test_where_an_authority_is_given_clients_show_a_certificate(tmp_path: Path) -> None:
    """Nobody but the API server may ask what a webhook would say."""
    authority = Authority("api-servers")
    handler = Scripted(echo)
    async with served(handler, client_ca=authority.certificate) as it:
        ours = trusting(it.certificate.ca_bundle, shown_by(tmp_path, authority))
        answer = await it.call("/ours", context=ours)

        with pytest.raises((OSError, EOFError)):
            await it.call("/theirs")

    assert answer == b"/ours "
    assert len(handler.requests) == 1


async def test_a_certificate_of_another_authority_is_refused(tmp_path: Path) -> None:
    """Anybody can make one."""
    handler = Scripted(echo)
    async with served(handler, client_ca=Authority("api-servers").certificate) as it:
        theirs = trusting(it.certificate.ca_bundle, shown_by(tmp_path, Authority("api-servers")))

        with pytest.raises((OSError, EOFError)):
            await it.call(context=theirs)

    assert not handler.requests


async def test_authorities_may_have_notes_in_any_language(tmp_path: Path) -> None:
    """PEM files have them between the certificates, such as the names of whom they are of."""
    authority = Authority("api-servers")
    noted = "# Behörde für Läden\n".encode() + authority.certificate
    async with served(client_ca=noted) as it:
        ours = trusting(it.certificate.ca_bundle, shown_by(tmp_path, authority))
        answer = await it.call("/ours", context=ours)

    assert answer == b"/ours "


@pytest.mark.parametrize("client_ca", [b"", b"nonsense", "Bücher".encode()])
async def test_authorities_that_are_none_are_refused(client_ca: bytes) -> None:
    """Before it listens: a server that forgot them would answer everybody."""
    with pytest.raises(ConfigError, match=r"client certificates: .*PEM"):
        WebhookServer(Scripted(echo), certificate=Certificate(), client_ca=client_ca)


# --- Sizes ---


@pytest.mark.parametrize(
    ("path", "size", "answer"),
    [
        ("/validate-shops", 7 << 20, b"100 Continue"),
        ("/validate-shops", (7 << 20) + 1, b"413 "),
        ("/validate-shops?timeout=10s", (7 << 20) + 1, b"413 "),
        ("/convert", 8 << 20, b"100 Continue"),
        ("/convert?timeout=30s", 8 << 20, b"100 Continue"),
        ("/convert", (9 << 20) + 1, b"413 "),
        ("/authenticate", 100, b"100 Continue"),
        ("/authenticate", 101, b"413 "),
    ],
)
async def test_a_body_may_have_7_mb_unless_its_path_says_otherwise(
    path: str, size: int, answer: bytes
) -> None:
    """An admission review has an object twice; a conversion has a list; a token is short."""
    async with (
        served(bodies={"/convert": 9 << 20, "/authenticate": 100}) as it,
        it.connect() as peer,
    ):
        await peer.send(post(path, size=size, ask=True))

        assert (await peer.head()).startswith(b"HTTP/1.1 " + answer)


# --- The end ---


async def test_who_comes_during_the_drain_is_answered() -> None:
    """API servers learn only later that this replica ends, and would refuse a user's write."""
    clock = VirtualClock()
    async with served(clock=clock, drain=5.0) as it, it.connect() as before:
        it.task.cancel()
        await clock.advance(4.9)
        await before.send(post("/before"))
        head, body = await before.answer()

        assert body == b"/before "
        assert b"Connection: close" in head  # so that it comes back to another replica
        assert await it.call("/new") == b"/new "

        await clock.advance(0.1)
        await asyncio.wait([it.task])
        with pytest.raises(ConnectionRefusedError):
            await it.call("/late")


async def test_requests_in_flight_are_answered_at_the_end() -> None:
    """A rolling update loses no write."""
    slow = Slow()
    async with served(slow) as it, it.connect() as peer:
        await peer.send(GET)
        await slow.asked.wait()
        it.task.cancel()
        await asyncio.sleep(0)
        slow.release.set()

        answer = await peer.rest()
        await asyncio.wait([it.task])

    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"at last")
    assert it.task.cancelled()


async def test_a_request_that_hangs_does_not_hold_up_the_end() -> None:
    """The API server has given up on it long ago."""
    clock, slow = VirtualClock(), Slow()
    async with served(slow, clock=clock, drain=5.0, grace=20.0) as it, it.connect() as peer:
        await peer.send(GET)
        await slow.asked.wait()
        it.task.cancel()
        await clock.advance(24.9)
        waits = not it.task.done()
        await clock.advance(0.1)
        await asyncio.wait([it.task])

        assert waits
        assert await peer.rest() == b""


@pytest.mark.parametrize("busy", [False, True])
async def test_whoever_cancels_the_drain_gets_the_port_back(*, busy: bool) -> None:
    """A manager does that at the end of its patience, and a socket left open has no owner."""
    clock, slow = VirtualClock(), Slow()
    async with served(slow, clock=clock, drain=5.0) as it, it.connect() as peer:
        if busy:
            await peer.send(GET)
            await slow.asked.wait()
        it.task.cancel()
        await clock.advance(1)
        it.task.cancel()
        await clock.advance(0)
        await asyncio.wait([it.task])

        assert not it.server.listens
        with pytest.raises(ConnectionRefusedError):
            await it.call("/late")
    assert it.task.cancelled()


# --- Readiness ---


async def test_before_there_is_a_certificate_it_is_not_ready() -> None:
    """A Service must not send anybody to a port that is closed."""
    certificate = Certificate()
    certificate.trouble = "may not read Secret shop-webhook"
    server = WebhookServer(Scripted(echo), certificate=certificate, host=HOST, port=0)
    running = Served(server, certificate)
    waiting = asyncio.create_task(server.wait_ready())
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    was_ready, before = waiting.done(), list(server.health())
    with pytest.raises(LifecycleError, match="run it first"):
        _ = server.url
    certificate.trouble = ""
    certificate.there.set()
    await waiting
    after = list(server.health())
    await running.end()

    assert not was_ready
    assert [problem.check for problem in before] == ["webhook"]
    assert before[0].text == (
        "the webhook server does not listen yet: may not read Secret shop-webhook"
    )
    assert after == []


async def test_without_a_reason_it_still_says_what_is_missing() -> None:
    """An empty reason helps nobody who reads /readyz."""
    server = WebhookServer(Scripted(echo), certificate=Certificate())

    (problem,) = server.health()

    assert problem.text == "the webhook server does not listen yet: no certificate"


async def test_a_certificate_that_goes_bad_is_a_problem() -> None:
    """API servers refuse it, and only say so to the user who wants to write."""
    async with served() as it:
        well = list(it.server.health())
        it.certificate.trouble = "the certificate has expired"

        ill = list(it.server.health())

    assert well == []
    assert ill == [Problem("webhook", "the certificate has expired")]


async def test_a_port_that_is_taken_is_said_and_nobody_waits() -> None:
    """Two operators on one machine is how it begins; the manager ends with the message."""
    async with HTTPServer(Scripted(echo)) as other:
        certificate = Certificate()
        certificate.there.set()
        server = WebhookServer(
            Scripted(echo), certificate=certificate, host=HOST, port=other.address[1]
        )
        waiting = asyncio.create_task(server.wait_ready())

        with pytest.raises(ConfigError, match=r"^webhook_port: .*in use\. Choose another port"):
            await server.run()
        await waiting

    assert not server.listens


async def test_a_host_that_is_not_this_machine_is_named_with_its_option() -> None:
    """`kubewright run` has several addresses, and this is about one of them."""
    certificate = Certificate()
    certificate.there.set()
    server = WebhookServer(
        Scripted(echo), certificate=certificate, host="no.such.host.invalid", port=0
    )

    with pytest.raises(ConfigError, match=r"^webhook_host: .*Choose an address"):
        await server.run()


async def test_files_that_are_not_there_are_said_and_nobody_waits(tmp_path: Path) -> None:
    """What registers webhooks would else wait for ever for this server."""
    server = WebhookServer(Scripted(echo), certificate=MountedCertificate(tmp_path), port=0)
    waiting = asyncio.create_task(server.wait_ready())

    with pytest.raises(ConfigError, match=r"tls\.crt"):
        await server.run()
    await waiting

    assert not server.listens


# --- Renewal ---


async def test_a_new_certificate_drops_no_connection() -> None:
    """API servers keep them for hours, and open new ones all the time."""
    async with served() as it, it.connect() as old:
        await old.send(post("/one"))
        await old.answer()
        before = old.writer.get_extra_info("ssl_object").getpeercert(binary_form=True)

        it.certificate.renew()
        async with it.connect() as new:
            after = new.writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
            await old.send(post("/two"))

            assert (await old.answer())[1] == b"/two "
    assert before != after
