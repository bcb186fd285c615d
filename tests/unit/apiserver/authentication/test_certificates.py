import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from kubewright._pki.authority import Authority
from kubewright.apiserver.authentication.certificates import Certificates


def der(user: str, *groups: str) -> bytes:
    pem = Authority().client(user, groups).certificate
    return x509.load_pem_x509_certificate(pem).public_bytes(serialization.Encoding.DER)


def test_a_user_is_read_from_the_subject_once() -> None:
    """A connection shows the same certificate with every request."""
    certificates, shown = Certificates(), der("ann", "dev")

    user = certificates.find(shown)

    assert user is not None
    assert (user.name, user.groups) == ("ann", ("dev", "system:authenticated"))
    assert certificates.find(shown) is user


@pytest.mark.parametrize("shown", [b"", b"junk", b"\x30\x03\x02\x01\x05"])
def test_what_is_no_certificate_is_nobodys(shown: bytes) -> None:
    """The front has verified it, and still it may be a strange one."""
    assert Certificates().find(shown) is None
