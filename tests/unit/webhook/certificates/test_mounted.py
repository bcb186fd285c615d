import asyncio
import logging
import ssl
from datetime import timedelta
from pathlib import Path

import pytest

from kubewright._aio import VirtualClock
from kubewright._pki.authority import Authority, Period
from kubewright._pki.facts import CertificateFacts
from kubewright.errors import ConfigError
from kubewright.webhook.certificates import CertificateSource, MountedCertificate
from kubewright.webhook.certificates.instruments import EXPIRY
from tests.unit._pki.handshakes import Connection

HOST = "shop.default.svc"
YEAR = timedelta(days=365)


class Volume:
    """A folder that cert-manager writes to, as a Secret is mounted: by a link to the last state."""

    def __init__(self, folder: Path, clock: VirtualClock) -> None:
        self.folder, self.clock = folder, clock
        begin = clock.now() - timedelta(hours=1)
        self.authority = Authority("cert-manager", period=Period(begin, begin + YEAR))
        self._states = 0

    def write(self, *, days: int = 90, key: bytes | None = None) -> CertificateFacts:
        now = self.clock.now()
        period = Period(now - timedelta(hours=1), now + timedelta(days=days))
        pair = self.authority.serving(HOST, period=period)
        self._states += 1
        state = self.folder / f"..{self._states}"
        state.mkdir()
        (state / "tls.crt").write_bytes(pair.certificate)
        (state / "tls.key").write_bytes(pair.key if key is None else key)
        link = self.folder / "..data"
        link.with_name("..tmp").symlink_to(state.name)
        link.with_name("..tmp").replace(link)
        for name in ("tls.crt", "tls.key"):
            if not (self.folder / name).is_symlink():
                (self.folder / name).symlink_to(f"..data/{name}")
        return CertificateFacts.of(pair.certificate)

    def call(self, context: ssl.SSLContext) -> Connection:
        return Connection(context, self.authority.certificate, HOST, self.clock.now())


@pytest.fixture
def volume(tmp_path: Path) -> Volume:
    return Volume(tmp_path, VirtualClock())


def test_it_is_a_source(volume: Volume) -> None:
    """The server takes either way."""
    assert isinstance(MountedCertificate(volume.folder), CertificateSource)


async def test_new_files_are_shown_to_new_connections_and_old_ones_go_on(volume: Volume) -> None:
    """API servers keep connections for hours, and open new ones all the time."""
    first = volume.write(days=30)
    source = MountedCertificate(volume.folder, clock=volume.clock)
    context = await source.load()
    opened = volume.call(context)
    assert EXPIRY.labels().value == first.not_after.timestamp()
    keeping = asyncio.create_task(source.keep())

    second = volume.write(days=60)
    await volume.clock.advance(11)
    keeping.cancel()
    await asyncio.wait([keeping])

    following = volume.call(context)
    assert following.der != opened.der
    assert opened.say(b"still here") == b"still here"
    assert EXPIRY.labels().value == second.not_after.timestamp()


async def test_the_last_good_pair_is_kept(volume: Volume, caplog: pytest.LogCaptureFixture) -> None:
    """A half-written volume must not take the webhooks down."""
    volume.write()
    source = MountedCertificate(volume.folder, clock=volume.clock)
    context = await source.load()
    before = volume.call(context).der
    keeping = asyncio.create_task(source.keep())

    volume.write(key=b"not yet")
    with caplog.at_level(logging.ERROR):
        await volume.clock.advance(25)
    keeping.cancel()
    await asyncio.wait([keeping])

    assert volume.call(context).der == before
    assert not source.problem()
    assert caplog.text.count("the last good one is kept") == 1


async def test_an_expired_certificate_is_a_problem_that_names_the_file(volume: Volume) -> None:
    """Readiness says what to renew; API servers only say that they refuse it."""
    volume.write(days=1)
    source = MountedCertificate(volume.folder, clock=volume.clock)
    await source.load()
    assert not source.problem()

    await volume.clock.advance(2 * 86400)

    assert "expired" in source.problem()
    assert "tls.crt" in source.problem()


async def test_nothing_mounted_ends_the_start(volume: Volume) -> None:
    """A typo in the path would else wait for ever."""
    with pytest.raises(ConfigError, match=r"tls\.crt"):
        await MountedCertificate(volume.folder).load()


def test_empty_names_are_refused(volume: Volume) -> None:
    """The folder itself would be read as a file."""
    with pytest.raises(ConfigError, match="names of two files"):
        MountedCertificate(volume.folder, name="")


def test_the_authority_beside_the_files_is_the_bundle(volume: Volume) -> None:
    """Of cert-manager's Secret; whoever registers the webhooks needs it."""
    volume.write()
    mounted = MountedCertificate(volume.folder)
    before = mounted.ca_bundle

    (volume.folder / "ca.crt").write_bytes(volume.authority.certificate)

    assert (before, mounted.ca_bundle) == (b"", volume.authority.certificate)
