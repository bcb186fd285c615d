import datetime as dt
import socket
import ssl
import threading
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509.oid import NameOID

from kubewright._pki.authority import (
    Authority,
    KeyPair,
    Period,
    hosts_of,
    is_serving,
    new_signing_key,
)


def attributes(pair: KeyPair, name: x509.ObjectIdentifier) -> list[str | bytes]:
    """Return the values of one attribute in the subject of *pair*."""
    subject = x509.load_pem_x509_certificate(pair.certificate).subject
    return [attribute.value for attribute in subject.get_attributes_for_oid(name)]


def serve_once(listener: socket.socket, pair: KeyPair, authority: Authority, folder: Path) -> None:
    """Accept one TLS connection from a client with a certificate of *authority*."""
    (folder / "pair.pem").write_bytes(pair.certificate + pair.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "pair.pem")
    context.load_verify_locations(cadata=authority.certificate.decode())
    context.verify_mode = ssl.CERT_REQUIRED
    with listener.accept()[0] as plain, context.wrap_socket(plain, server_side=True) as secure:
        secure.sendall(secure.recv(10))


def test_both_sides_trust_each_other_under_strict_rules(tmp_path: Path) -> None:
    """Python 3.13 made strict verification the default; our certificates must pass it."""
    authority = Authority()
    serving, client = authority.serving("127.0.0.1"), authority.client("jane")
    (tmp_path / "client.pem").write_bytes(client.certificate + client.key)
    context = ssl.create_default_context(cadata=authority.certificate.decode())
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    context.load_cert_chain(tmp_path / "client.pem")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        arguments = (listener, serving, authority, tmp_path)
        server = threading.Thread(target=serve_once, args=arguments)
        server.start()
        with (
            socket.create_connection(listener.getsockname(), timeout=5) as plain,
            context.wrap_socket(plain, server_hostname="127.0.0.1") as secure,
        ):
            secure.sendall(b"ping")
            answer = secure.recv(10)
        server.join()

    assert answer == b"ping"


def test_client_certificate_carries_name_and_groups() -> None:
    """Kubernetes reads the user from CN and the groups from O."""
    pair = Authority().client("jane", ("dev", "ops"))

    assert attributes(pair, NameOID.COMMON_NAME) == ["jane"]
    assert attributes(pair, NameOID.ORGANIZATION_NAME) == ["dev", "ops"]


def test_serving_certificate_names_hosts_and_addresses_apart() -> None:
    """A client compares an address with addresses only."""
    pair = Authority().serving("127.0.0.1", "::1", "localhost")

    certificate = x509.load_pem_x509_certificate(pair.certificate)
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value

    assert [str(address) for address in names.get_values_for_type(x509.IPAddress)] == [
        "127.0.0.1",
        "::1",
    ]
    assert names.get_values_for_type(x509.DNSName) == ["localhost"]


def test_two_authorities_do_not_trust_each_other() -> None:
    """Servers of two test runs on one machine must not be confused."""
    pair = Authority().serving("localhost")
    other = x509.load_pem_x509_certificate(Authority().certificate)

    with pytest.raises(Exception, match=r"(?i)signature|^$"):
        x509.load_pem_x509_certificate(pair.certificate).verify_directly_issued_by(other)


def test_signing_key_is_an_elliptic_key_in_the_form_that_kubernetes_reads() -> None:
    """kube-apiserver 1.20 does not read EC keys in PKCS #8 for service accounts."""
    pem = new_signing_key()

    assert isinstance(load_pem_private_key(pem, None), ec.EllipticCurvePrivateKey)
    assert b"BEGIN EC " in pem


def test_a_key_pair_does_not_show_its_key() -> None:
    """What a failed test holds is printed."""
    pair = Authority().client("jane")

    assert pair.key.decode() not in repr(pair)
    assert "BEGIN" not in repr(pair)


def test_an_authority_that_was_kept_goes_on_signing() -> None:
    """A server that starts again must be trusted by those who trusted it before."""
    first = Authority()

    pair = Authority(pair=first.pair).client("jane")

    assert first.signed(x509.load_pem_x509_certificate(pair.certificate))


def test_an_authority_with_the_key_of_another_is_refused() -> None:
    """A server that was killed between writing the two files finds such a pair."""
    mixed = KeyPair(Authority().certificate, Authority().pair.key)

    with pytest.raises(ValueError, match="another key"):
        Authority(pair=mixed)


def test_an_authority_that_soon_expires_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it signs would be refused before it is a month old."""
    monkeypatch.setattr("kubewright._pki.authority.AUTHORITY_LIFETIME", dt.timedelta(20))
    pair = Authority().pair

    with pytest.raises(ValueError, match="soon"):
        Authority(pair=pair)


@pytest.mark.parametrize(
    ("hosts", "serves"),
    [
        (("127.0.0.1", "localhost"), True),
        (("localhost", "127.0.0.1"), True),
        (("localhost",), False),
        (("127.0.0.1", "localhost", "example.org"), False),
    ],
)
def test_a_serving_certificate_is_good_for_exactly_its_hosts(
    hosts: tuple[str, ...], *, serves: bool
) -> None:
    """A name too few breaks clients, a name too many outlives its reason."""
    authority = Authority()
    pair = authority.serving("127.0.0.1", "localhost")

    assert is_serving(pair, authority, *hosts) is serves


@pytest.mark.parametrize("pair", [KeyPair(b"", b""), KeyPair(b"nonsense", b"nonsense")])
def test_a_broken_pair_serves_nobody(pair: KeyPair) -> None:
    """A file that was cut off is made anew, not believed."""
    assert not is_serving(pair, Authority(), "localhost")


def test_a_certificate_of_another_authority_serves_nobody() -> None:
    """Clients trust the authority at hand."""
    pair = Authority().serving("localhost")

    assert not is_serving(pair, Authority(), "localhost")


def test_dates_are_those_that_are_asked_for() -> None:
    """Who rotates authorities plans by a clock that tests can move."""
    period = Period(dt.datetime(2040, 1, 1, tzinfo=dt.UTC), dt.datetime(2041, 1, 1, tzinfo=dt.UTC))
    authority = Authority("later", period=period)

    pems = (authority.certificate, authority.serving("localhost", period=period).certificate)

    for pem in pems:
        certificate = x509.load_pem_x509_certificate(pem)
        dates = (certificate.not_valid_before_utc, certificate.not_valid_after_utc)
        assert dates == period


def test_an_authority_out_of_date_is_read_when_dates_are_not_judged() -> None:
    """Only the certificate that is to be replaced says what has to be kept."""
    past = Period(dt.datetime(2001, 1, 1, tzinfo=dt.UTC), dt.datetime(2002, 1, 1, tzinfo=dt.UTC))
    old = Authority(period=past)

    found = Authority(pair=old.pair, judge_dates=False)

    assert found.certificate == old.certificate
    with pytest.raises(ValueError, match="expired"):
        Authority(pair=old.pair)


def test_the_hosts_of_a_pair_are_read_again() -> None:
    """A new certificate must not lose a name of the one before it."""
    authority = Authority()
    pair = authority.serving("a.example.com", "127.0.0.1", "::1")

    assert hosts_of(pair, authority) == ("a.example.com", "127.0.0.1", "::1")
    with pytest.raises(ValueError, match="another authority"):
        hosts_of(pair, Authority())
    with pytest.raises(ValueError, match="another key"):
        hosts_of(KeyPair(pair.certificate, authority.pair.key), authority)
    with pytest.raises(ValueError, match="no host"):
        hosts_of(authority.client("jane"), authority)
