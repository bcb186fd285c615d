import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from kubewright._pki.authority import Authority, KeyPair
from kubewright.errors import ConfigError
from kubewright.manager.metrics_certificate import (
    CertificateFiles,
    load_certificate,
    make_certificate,
)


def written(folder: Path, pair: KeyPair) -> CertificateFiles:
    """Write *pair* as a Secret is mounted."""
    (folder / "tls.crt").write_bytes(pair.certificate)
    (folder / "tls.key").write_bytes(pair.key)
    files = CertificateFiles.find(folder, "tls.crt", "tls.key")
    assert files is not None
    return files


def test_files_are_used_as_they_are(tmp_path: Path) -> None:
    """Those of cert-manager, for example."""
    pair = Authority().serving("metrics.shop.svc")

    tls = load_certificate(written(tmp_path, pair))

    assert (tls.certificate, tls.key) == (pair.certificate, pair.key)
    assert tls.context().minimum_version is ssl.TLSVersion.TLSv1_2


def test_without_files_there_is_a_new_certificate() -> None:
    """For this machine; nobody can check it, but everything is encrypted."""
    first, second = make_certificate(), make_certificate()

    assert first != second
    found = x509.load_pem_x509_certificate(first.certificate)
    names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert "localhost" in names.get_values_for_type(x509.DNSName)
    assert first.context().minimum_version is ssl.TLSVersion.TLSv1_2


def test_without_a_folder_there_are_no_files() -> None:
    """The names of the files alone mean nothing."""
    assert CertificateFiles.find(None, "tls.crt", "tls.key") is None


@pytest.mark.parametrize(
    ("folder", "name", "key", "message"),
    [
        ("", "tls.crt", "tls.key", "metrics_cert_path: the path is empty"),
        ("certs", "", "tls.key", "metrics_cert_name: it is empty. Name a file in certs."),
        ("certs", "tls.crt", "", "metrics_cert_key: it is empty. Name a file in certs."),
    ],
)
def test_empty_names_are_refused(folder: str, name: str, key: str, message: str) -> None:
    """An empty variable in a script would be the folder itself."""
    with pytest.raises(ConfigError, match=message):
        CertificateFiles.find(folder, name, key)


@pytest.mark.parametrize("missing", ["tls.crt", "tls.key"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    """Most likely the Secret is not mounted, or somewhere else."""
    files = written(tmp_path, Authority().serving("a"))
    (tmp_path / missing).unlink()

    with pytest.raises(ConfigError) as caught:
        load_certificate(files)

    assert str(caught.value) == (
        f"metrics_cert_path: cannot read {tmp_path / missing}: No such file or directory. Mount a"
        " certificate there, or leave the path out for one that is made at the start."
    )


@pytest.mark.parametrize(
    ("name", "problem"),
    [("tls.crt", "has no certificate in it"), ("tls.key", "has no private key in it")],
)
@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff\xfe"])
def test_a_damaged_file_is_named(tmp_path: Path, name: str, problem: str, content: bytes) -> None:
    """And not only that something is wrong with one of them."""
    files = written(tmp_path, Authority().serving("a"))
    (tmp_path / name).write_bytes(content)

    with pytest.raises(ConfigError, match=f"{name} {problem}"):
        load_certificate(files)


def test_two_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    """A handshake that fails would not say so."""
    files = written(tmp_path, Authority().serving("a"))
    (tmp_path / "tls.key").write_bytes(Authority().serving("a").key)

    with pytest.raises(ConfigError, match=r"tls\.key is not the key of the certificate"):
        load_certificate(files)


def test_a_key_with_a_password_is_refused(tmp_path: Path) -> None:
    """OpenSSL would ask for it on a terminal, and wait."""
    files = written(tmp_path, Authority().serving("a"))
    key = serialization.load_pem_private_key(files.key.read_bytes(), None)
    locked = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"secret"),
    )
    files.key.write_bytes(locked)

    with pytest.raises(ConfigError, match="must be PEM, not encrypted"):
        load_certificate(files)
