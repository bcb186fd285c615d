import ssl
from pathlib import Path

import pytest
from cryptography import x509

from kubewright._pki.authority import Authority
from kubewright._serve.client_authorities import announce_authorities
from kubewright._serve.tls import ServerTLS


def first_answer(server: ssl.SSLContext) -> bytes:
    """Return what the server says to a hello: in TLS 1.2, all of it can be read."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    client.maximum_version = ssl.TLSVersion.TLSv1_2
    hello, answer = ssl.MemoryBIO(), ssl.MemoryBIO()
    with pytest.raises(ssl.SSLWantReadError):
        client.wrap_bio(ssl.MemoryBIO(), hello).do_handshake()
    with pytest.raises(ssl.SSLWantReadError):
        server.wrap_bio(hello, answer, server_side=True).do_handshake()
    return answer.read()


def test_the_handshake_names_all_authorities_of_clients() -> None:
    """Clients with several certificates choose by these names."""
    serving, first, second = Authority("serving"), Authority("first-ca"), Authority("second-ca")
    pair = serving.serving("localhost")
    known = first.certificate + second.certificate
    names = [x509.load_pem_x509_certificate(a.certificate).subject for a in (first, second)]

    said = first_answer(ServerTLS(pair.certificate, pair.key, known).context())
    said_nothing = first_answer(ServerTLS(pair.certificate, pair.key).context())

    assert all(name.public_bytes() in said for name in names)
    assert not any(name.public_bytes() in said_nothing for name in names)


def test_a_file_without_certificates_names_nobody(tmp_path: Path) -> None:
    """The caller goes on: who knows what to send needs no names."""
    file = tmp_path / "empty.pem"
    file.write_bytes(b"")

    assert not announce_authorities(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), str(file))
