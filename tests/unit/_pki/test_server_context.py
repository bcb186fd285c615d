import ssl
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives import serialization

from kubewright._pki.authority import Authority
from kubewright._pki.keypair import KeyPair
from kubewright._pki.server_context import Serving, load_pair, new_context
from tests.unit._pki.handshakes import Connection, rsa_pair

HOST = "shop.example.com"


def test_old_versions_of_tls_are_refused() -> None:
    """They are broken, and Kubernetes does not speak them."""
    context = new_context(Authority().serving(HOST))

    assert context.minimum_version == ssl.TLSVersion.TLSv1_2


def test_a_new_pair_is_shown_while_open_connections_go_on() -> None:
    """API servers keep their connections for hours: a renewal must not break them."""
    old, new = Authority("old"), Authority("new")
    serving = Serving(old.serving(HOST))
    before = Connection(serving.context, old.certificate, HOST)

    serving.replace(new.serving(HOST))

    after = Connection(serving.context, new.certificate, HOST)
    assert before.say(b"still here") == b"still here"
    assert after.say(b"hello") == b"hello"


def test_a_pair_that_does_not_fit_leaves_the_last_one() -> None:
    """OpenSSL alone would keep the new certificate and the old key, and fail each handshake."""
    authority = Authority()
    serving = Serving(authority.serving(HOST))
    one, other = authority.serving(HOST), authority.serving(HOST)

    with pytest.raises(ValueError, match="key values mismatch"):
        serving.replace(KeyPair(one.certificate, other.key))

    assert Connection(serving.context, authority.certificate, HOST).say(b"x") == b"x"


def test_after_a_change_of_the_algorithm_the_old_certificate_is_not_shown_to_anybody() -> None:
    """A context keeps both, and the client would choose: maybe the one that expires."""
    now = datetime.now(UTC).replace(microsecond=0)
    old, authority = rsa_pair(HOST, now), Authority()
    serving = Serving(old)
    assert Connection(serving.context, old.certificate, HOST).say(b"x") == b"x"

    serving.replace(authority.serving(HOST))

    assert Connection(serving.context, authority.certificate, HOST).say(b"x") == b"x"
    with pytest.raises(ssl.SSLCertVerificationError):
        Connection(serving.context, old.certificate, HOST)

    serving.replace(old)

    assert Connection(serving.context, old.certificate, HOST).say(b"x") == b"x"


def test_a_change_of_the_algorithm_keeps_asking_for_client_certificates() -> None:
    """Otherwise a renewal would open the server to everybody."""
    now = datetime.now(UTC).replace(microsecond=0)
    serving, authority, clients = Serving(rsa_pair(HOST, now)), Authority(), Authority("clients")
    serving.context.load_verify_locations(cadata=clients.certificate.decode())
    serving.context.verify_mode = ssl.CERT_REQUIRED

    serving.replace(authority.serving(HOST))

    with pytest.raises(ssl.SSLError, match="PEER_DID_NOT_RETURN_A_CERTIFICATE"):
        Connection(serving.context, authority.certificate, HOST)


def test_a_key_with_a_password_is_refused_instead_of_asked_for() -> None:
    """OpenSSL would wait at the terminal, in a pod for ever."""
    pair = Authority().serving(HOST)
    key = serialization.load_pem_private_key(pair.key, None)
    locked = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"secret"),
    )

    with pytest.raises(ssl.SSLError):
        load_pair(new_context(pair), pair.certificate + locked)
