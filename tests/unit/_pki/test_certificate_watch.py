import asyncio
import logging
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kubewright._aio import VirtualClock
from kubewright._pki import certificate_watch
from kubewright._pki.authority import Authority
from kubewright._pki.certificate_watch import INTERVAL, CertificateWatch
from kubewright._pki.facts import CertificateFacts
from kubewright._pki.keypair import KeyPair
from kubewright.errors import ConfigError
from tests.unit._pki.handshakes import Connection

HOST = "shop.example.com"


def mount(folder: Path, pair: KeyPair) -> None:
    """Replace the files as a kubelet does: a new folder, and then one link to it."""
    new = folder / f"..{len(list(folder.iterdir()))}"
    new.mkdir()
    (new / "tls.crt").write_bytes(pair.certificate)
    (new / "tls.key").write_bytes(pair.key)
    (folder / "..new").symlink_to(new.name)
    (folder / "..new").rename(folder / "..data")
    for name in ("tls.crt", "tls.key"):
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(f"..data/{name}")


def watch(folder: Path, clock: VirtualClock | None = None) -> CertificateWatch:
    return CertificateWatch(folder / "tls.crt", folder / "tls.key", clock=clock or VirtualClock())


async def test_files_that_are_replaced_are_served_without_a_restart(tmp_path: Path) -> None:
    """cert-manager renews every two months; connections that are open go on."""
    clock, old, new = VirtualClock(), Authority("old"), Authority("new")
    mount(tmp_path, old.serving(HOST))
    files = watch(tmp_path, clock)
    context = files.load()
    before = Connection(context, old.certificate, HOST)
    keeping = asyncio.create_task(files.keep())

    mount(tmp_path, new.serving(HOST))
    await clock.advance(INTERVAL)

    assert Connection(context, new.certificate, HOST).say(b"x") == b"x"
    assert before.say(b"still here") == b"still here"
    assert files.load() is context
    keeping.cancel()


async def test_a_half_written_pair_is_logged_once_and_the_last_good_one_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A tool that writes one file after the other must not break a handshake."""
    clock, authority = VirtualClock(), Authority()
    mount(tmp_path, authority.serving(HOST))
    files = watch(tmp_path, clock)
    context = files.load()
    failed = certificate_watch._ERRORS.value
    keeping = asyncio.create_task(files.keep())
    new = authority.serving(HOST)

    (tmp_path / "tls.crt").write_bytes(new.certificate)
    with caplog.at_level(logging.ERROR):
        await clock.advance(3 * INTERVAL)

    assert [record.getMessage().count("last good one is kept") for record in caplog.records] == [1]
    assert certificate_watch._ERRORS.value == failed + 3
    assert Connection(context, authority.certificate, HOST).say(b"x") == b"x"

    (tmp_path / "tls.key").write_bytes(new.key)
    await clock.advance(INTERVAL)

    shown = Connection(context, authority.certificate, HOST).der
    assert shown == ssl.PEM_cert_to_DER_cert(new.certificate.decode())
    keeping.cancel()


async def test_files_that_are_removed_change_nothing(tmp_path: Path) -> None:
    """A volume that is being remounted is empty for a moment."""
    clock, authority = VirtualClock(), Authority()
    mount(tmp_path, authority.serving(HOST))
    files = watch(tmp_path, clock)
    context = files.load()

    (tmp_path / "tls.crt").unlink()
    files.look()

    assert Connection(context, authority.certificate, HOST).say(b"x") == b"x"


def test_each_look_is_counted_under_the_name_of_controller_runtime(tmp_path: Path) -> None:
    """Dashboards that exist go on working."""
    mount(tmp_path, Authority().serving(HOST))
    files = watch(tmp_path)
    before = certificate_watch._READS.value

    files.load()
    files.look()

    assert certificate_watch._READS.value == before + 2


def test_missing_files_are_an_error_that_says_what_to_mount(tmp_path: Path) -> None:
    """The first start without cert-manager is the most common mistake."""
    with pytest.raises(ConfigError, match=r"cannot read .*tls.crt: No such file.*Mount a volume"):
        watch(tmp_path / "nowhere").load()


@pytest.mark.parametrize("broken", ["tls.crt", "tls.key"])
def test_broken_files_are_an_error_that_names_them(tmp_path: Path, broken: str) -> None:
    """A server that starts with them would fail each handshake."""
    mount(tmp_path, Authority().serving(HOST))
    (tmp_path / broken).write_bytes(b"garbage")

    with pytest.raises(ConfigError, match=r"cannot serve with .*tls.crt and .*tls.key: .*PEM"):
        watch(tmp_path).load()


def test_a_certificate_that_has_expired_is_a_problem_that_names_the_file(tmp_path: Path) -> None:
    """Readiness shows it: API servers refuse every call."""
    pair = Authority().serving(HOST)
    expires = CertificateFacts.of(pair.certificate).not_after
    mount(tmp_path, pair)
    good = watch(tmp_path, VirtualClock(datetime.now(UTC)))
    late = watch(tmp_path, VirtualClock(expires + timedelta(days=1)))

    assert good.problem() == "no certificate is loaded yet"
    good.load()
    late.load()

    assert not good.problem()
    assert "expired at" in late.problem()
    assert "tls.crt" in late.problem()
