"""A certificate for the replay server, and a kubeconfig that trusts it."""

import base64
import datetime as dt
import ipaddress
import json
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_NAME = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "kubewright-bench")])


def write_certificate(path: Path) -> bytes:
    """Write a new key and its self-signed certificate for 127.0.0.1; return the certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    pem = _certificate(key).public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path.touch(mode=0o600)
    path.write_bytes(pem + secret)
    return pem


def _certificate(key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    now = dt.datetime.now(dt.UTC)
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    usage = dict.fromkeys(
        (
            "content_commitment",
            "key_encipherment",
            "data_encipherment",
            "key_agreement",
            "crl_sign",
            "encipher_only",
            "decipher_only",
        ),
        False,
    )
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    builder = (
        x509.CertificateBuilder(_NAME, _NAME, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(
            x509.KeyUsage(digital_signature=True, key_cert_sign=True, **usage), critical=True
        )
        .add_extension(identifier, critical=False)
        # Python 3.13 checks strictly, and wants both identifiers.
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier),
            critical=False,
        )
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
    )
    return builder.sign(key, hashes.SHA256())


def write_kubeconfig(path: Path, *, port: int, certificate: bytes) -> None:
    """Write a kubeconfig for the replay server; JSON is YAML."""
    cluster = {
        "server": f"https://127.0.0.1:{port}",
        "certificate-authority-data": base64.b64encode(certificate).decode(),
    }
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "bench",
        "clusters": [{"name": "bench", "cluster": cluster}],
        "users": [{"name": "bench", "user": {"token": "bench"}}],
        "contexts": [{"name": "bench", "context": {"cluster": "bench", "user": "bench"}}],
    }
    path.write_text(json.dumps(config))
