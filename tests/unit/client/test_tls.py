import datetime as dt
import os
import ssl
import tempfile
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from kubewright._aio import VirtualClock
from kubewright._pki.authority import Authority, KeyPair
from kubewright.client.tls import (
    ClientCertificate,
    TLSConfig,
    TLSContexts,
    load_client_certificate,
    new_context,
)
from kubewright.errors import ConfigError

AUTHORITY = Authority()
SERVING = AUTHORITY.serving("api.example")
CLIENT = AUTHORITY.client("jane")


def server_context(pair: KeyPair, folder: Path, *, trusts: bytes | None = None) -> ssl.SSLContext:
    """Return the context of a server with *pair* that asks clients for certificates of *trusts*."""
    file = folder / "serving.pem"
    file.write_bytes(pair.certificate + pair.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    if trusts is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=trusts.decode())
    return context


def shake_hands(
    client: ssl.SSLContext, server: ssl.SSLContext, name: str = "api.example"
) -> ssl.SSLObject:
    """Let the two meet in memory; return the server's side, or raise what the client raises."""
    upstream, downstream = ssl.MemoryBIO(), ssl.MemoryBIO()
    caller = client.wrap_bio(downstream, upstream, server_hostname=name)
    callee = server.wrap_bio(upstream, downstream, server_side=True)
    for _ in range(4):
        for side in (caller, callee):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    return callee


def peer_name(server_side: ssl.SSLObject) -> str | None:
    """Return whom the server believes to talk to."""
    certificate = server_side.getpeercert()
    if not certificate:
        return None
    return {key: value for ((key, value),) in certificate["subject"]}["commonName"]  # type: ignore[misc,str-unpack]  # typeshed knows only the general shape


def authority_without_identifiers() -> KeyPair:
    """Return a self-signed serving certificate that lacks what strict checks want."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "api.example")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=False)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("api.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return KeyPair(certificate.public_bytes(serialization.Encoding.PEM), pem)


def contexts(config: TLSConfig, clock: VirtualClock | None = None) -> TLSContexts:
    """Return the provider for *config*."""
    return TLSContexts(config, clock or VirtualClock(), source="the test")


def test_a_server_of_the_given_authority_is_trusted(tmp_path: Path) -> None:
    """The everyday case, with the authority as data."""
    client = contexts(TLSConfig(ca_data=AUTHORITY.certificate)).context()

    side = shake_hands(client, server_context(SERVING, tmp_path))

    assert side.version() is not None


def test_another_authority_is_not_trusted(tmp_path: Path) -> None:
    """Verification is on unless somebody turns it off."""
    client = contexts(TLSConfig(ca_data=Authority("other").certificate)).context()

    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(client, server_context(SERVING, tmp_path))


def test_without_an_authority_the_systems_are_trusted_and_ours_is_not(tmp_path: Path) -> None:
    """An empty trust store must never mean to trust everybody."""
    client = contexts(TLSConfig()).context()

    assert client.verify_mode is ssl.CERT_REQUIRED
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(client, server_context(SERVING, tmp_path))


def test_another_name_is_not_trusted(tmp_path: Path) -> None:
    """The host is checked, not only the signature."""
    client = contexts(TLSConfig(ca_data=AUTHORITY.certificate)).context()

    with pytest.raises(ssl.SSLCertVerificationError, match=r"[Hh]ostname mismatch"):
        shake_hands(client, server_context(SERVING, tmp_path), "evil.example")


def test_insecure_trusts_anybody(tmp_path: Path) -> None:
    """That is what insecure-skip-tls-verify means."""
    client = contexts(TLSConfig(insecure=True)).context()

    side = shake_hands(client, server_context(SERVING, tmp_path), "evil.example")

    assert side.version() is not None


def test_an_authority_without_key_identifiers_is_trusted(tmp_path: Path) -> None:
    """Python 3.13 refuses such by default; many clusters have one, and Go accepts it."""
    pair = authority_without_identifiers()
    client = contexts(TLSConfig(ca_data=pair.certificate)).context()

    side = shake_hands(client, server_context(pair, tmp_path))

    assert side.version() is not None
    assert not client.verify_flags & ssl.VERIFY_X509_STRICT


def test_a_leaf_in_the_bundle_is_trusted_as_it_stands(tmp_path: Path) -> None:
    """Go trusts what is in the bundle, be it an authority or not."""
    client = contexts(TLSConfig(ca_data=SERVING.certificate)).context()

    assert shake_hands(client, server_context(SERVING, tmp_path)).version() is not None


def test_a_bundle_may_hold_comments_and_broken_certificates(tmp_path: Path) -> None:
    """Go skips what it cannot read as long as something is left."""
    broken = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    bundle = "# Bücher AG\n".encode() + broken + AUTHORITY.certificate
    client = contexts(TLSConfig(ca_data=bundle)).context()

    assert shake_hands(client, server_context(SERVING, tmp_path)).version() is not None


@pytest.mark.parametrize(
    "bundle", [b"hello", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_a_bundle_without_a_certificate_is_an_error(bundle: bytes) -> None:
    """Trusting nobody would fail later with a riddle."""
    with pytest.raises(ConfigError) as caught:
        contexts(TLSConfig(ca_data=bundle)).context()

    assert str(caught.value) == (
        "cannot use the certificate authority of the test: there is no valid PEM certificate in"
        " it. It must hold at least one -----BEGIN CERTIFICATE----- block."
    )


def test_data_wins_over_the_file() -> None:
    """As in client-go; the file is not even opened."""
    config = TLSConfig(ca_data=AUTHORITY.certificate, ca_file="/no/such")

    assert contexts(config).context() is not None


def test_a_missing_file_is_named() -> None:
    """The first-day message."""
    with pytest.raises(ConfigError) as caught:
        contexts(TLSConfig(ca_file="/no/such/ca.crt")).context()

    assert str(caught.value) == (
        "cannot read the certificate authority /no/such/ca.crt of the test: No such file or"
        " directory. Check the path and its permissions."
    )


def test_the_client_certificate_is_shown_to_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing of the key stays on the disk."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    config = TLSConfig(
        ca_data=AUTHORITY.certificate, cert_data=CLIENT.certificate, key_data=CLIENT.key
    )

    client = contexts(config).context()
    side = shake_hands(client, server_context(SERVING, tmp_path, trusts=AUTHORITY.certificate))

    assert peer_name(side) == "jane"
    assert list(temporary.iterdir()) == []


def encrypted_key() -> bytes:
    """Return a private key behind a password."""
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"x"),
    )


@pytest.mark.parametrize(
    ("certificate", "key", "problem"),
    [
        (b"hello", CLIENT.key, "there is no PEM certificate in it"),
        (CLIENT.certificate, b"hello", "of the test"),
        (CLIENT.certificate, AUTHORITY.client("joe").key, "key values mismatch"),
        (CLIENT.certificate, encrypted_key(), "the key is encrypted with a password"),
    ],
)
def test_a_client_certificate_that_cannot_be_used_says_why(
    certificate: bytes, key: bytes, problem: str
) -> None:
    """And never asks for a password on the terminal."""
    with pytest.raises(ConfigError) as caught:
        contexts(TLSConfig(cert_data=certificate, key_data=key)).context()

    assert problem in str(caught.value)
    assert str(caught.value).endswith(
        "It must be a PEM certificate with its own, unencrypted PEM key."
    )


async def test_a_rotated_authority_is_trusted_within_five_minutes(tmp_path: Path) -> None:
    """The kubelet rewrites ca.crt under a running operator."""
    file = tmp_path / "ca.crt"
    file.write_bytes(Authority("old").certificate)
    clock = VirtualClock()
    provider = contexts(TLSConfig(ca_file=str(file)), clock)
    old = provider.context()

    file.write_bytes(AUTHORITY.certificate)
    await clock.advance(299)
    early = provider.context()
    await clock.advance(1)
    new = provider.context()

    assert early is old
    assert shake_hands(new, server_context(SERVING, tmp_path)).version() is not None


async def test_an_unchanged_file_keeps_the_context(tmp_path: Path) -> None:
    """A new context would end every connection for nothing."""
    file = tmp_path / "ca.crt"
    file.write_bytes(AUTHORITY.certificate)
    clock = VirtualClock()
    provider = contexts(TLSConfig(ca_file=str(file)), clock)
    old = provider.context()

    await clock.advance(301)

    assert provider.context() is old


@pytest.mark.parametrize("content", [b"", b"garbage", None])
async def test_a_broken_new_file_keeps_the_old_authority(
    tmp_path: Path, content: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    """The file may be half-written; the next look is five minutes later."""
    file = tmp_path / "ca.crt"
    file.write_bytes(AUTHORITY.certificate)
    clock = VirtualClock()
    provider = contexts(TLSConfig(ca_file=str(file)), clock)
    old = provider.context()

    file.unlink() if content is None else file.write_bytes(content)
    await clock.advance(300)
    during = provider.context()
    again = provider.context()
    file.write_bytes(Authority("new").certificate)
    await clock.advance(300)

    assert during is again is old
    assert len(caplog.records) == 1
    assert provider.context() is not old


async def test_a_rotated_client_certificate_calls_for_new_connections(tmp_path: Path) -> None:
    """Open connections speak for the old identity until somebody closes them."""
    cert, key = tmp_path / "cert", tmp_path / "key"
    cert.write_bytes(CLIENT.certificate)
    key.write_bytes(CLIENT.key)
    clock = VirtualClock()
    config = TLSConfig(ca_data=AUTHORITY.certificate, cert_file=str(cert), key_file=str(key))
    provider = contexts(config, clock)
    rotations: list[str] = []
    provider.on_rotation(lambda: rotations.append("now"))
    provider.context()

    joe = AUTHORITY.client("joe")
    cert.write_bytes(joe.certificate)
    await clock.advance(300)
    half = provider.context()
    server = server_context(SERVING, tmp_path, trusts=AUTHORITY.certificate)
    half_peer, half_rotations = peer_name(shake_hands(half, server)), list(rotations)
    key.write_bytes(joe.key)
    await clock.advance(300)
    whole = provider.context()

    assert (half_peer, half_rotations) == ("jane", [])
    assert (peer_name(shake_hands(whole, server)), rotations) == ("joe", ["now"])


def test_a_plugins_certificate_is_used_at_once(tmp_path: Path) -> None:
    """It does not wait for the five minutes that files have."""
    joe = AUTHORITY.client("joe")
    current = [ClientCertificate(CLIENT.certificate, CLIENT.key)]
    provider = TLSContexts(
        TLSConfig(ca_data=AUTHORITY.certificate),
        VirtualClock(),
        certificate=lambda: current[0],
    )
    rotations: list[str] = []
    provider.on_rotation(lambda: rotations.append("now"))
    server = server_context(SERVING, tmp_path, trusts=AUTHORITY.certificate)

    first = peer_name(shake_hands(provider.context(), server))
    current[0] = ClientCertificate(joe.certificate, joe.key)
    second = peer_name(shake_hands(provider.context(), server))

    assert (first, second, rotations) == ("jane", "joe", ["now"])


def test_the_repr_shows_no_key() -> None:
    """Not of the settings, not of the certificate."""
    config = TLSConfig(ca_data=b"123", cert_data=b"12", key_data=b"hunter2")

    assert repr(config) == "TLSConfig(ca_data=<3 bytes>, cert_data=<2 bytes>, key_data=***)"
    assert "hunter2" not in repr(ClientCertificate(b"", b"hunter2"))


def test_a_client_certificate_needs_no_folder_to_write_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hardened containers have a read-only file system, and no /tmp."""
    if not hasattr(os, "memfd_create"):
        pytest.skip("this system has no files in memory")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    context = new_context()

    load_client_certificate(context, ClientCertificate(CLIENT.certificate, CLIENT.key), "it")
    context.load_verify_locations(cadata=AUTHORITY.certificate.decode())
    server = server_context(SERVING, tmp_path, trusts=AUTHORITY.certificate)

    assert peer_name(shake_hands(context, server)) == "jane"


def test_without_files_in_memory_a_folder_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not every system has them; what was written is gone afterwards."""
    monkeypatch.delattr(os, "memfd_create", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    load_client_certificate(new_context(), ClientCertificate(CLIENT.certificate, CLIENT.key), "it")

    assert not list(tmp_path.iterdir())


def test_without_any_place_for_a_file_the_error_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user would not guess that a certificate needs /tmp."""
    monkeypatch.delattr(os, "memfd_create", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))

    with pytest.raises(ConfigError, match=r"cannot use it: .* at /tmp"):
        load_client_certificate(
            new_context(), ClientCertificate(CLIENT.certificate, CLIENT.key), "it"
        )
