"""Client certificates: the common name is the user, the organizations are the groups."""

from hashlib import sha256
from typing import TYPE_CHECKING

from kubewright.apiserver.authentication.user import UserInfo, authenticated

if TYPE_CHECKING:
    from cryptography import x509

_UID = "1.3.6.1.4.1.57683.2"
_CREDENTIAL = "authentication.kubernetes.io/credential-id"
_KEPT = 1024


class Certificates:
    """Finds the user in a certificate that the front has verified."""

    def __init__(self) -> None:
        # By the bytes themselves: a connection passes the same object with every request, and
        # Python hashes it once.
        self._users: dict[bytes, UserInfo | None] = {}

    def find(self, der: bytes) -> UserInfo | None:
        """Return the user of a certificate, or ``None`` if it names nobody."""
        try:
            return self._users[der]
        except KeyError:
            if len(self._users) >= _KEPT:
                self._users.clear()
            found = self._users[der] = _user(der)
            return found


def _user(der: bytes) -> UserInfo | None:
    from cryptography import x509  # noqa: PLC0415  # 45 ms, and only with client certificates
    from cryptography.x509.oid import NameOID, ObjectIdentifier  # noqa: PLC0415

    try:
        subject = x509.load_der_x509_certificate(der).subject
    except ValueError:
        return None
    names = _values(subject.get_attributes_for_oid(NameOID.COMMON_NAME))
    if not names or not names[-1]:
        return None
    uids = _values(subject.get_attributes_for_oid(ObjectIdentifier(_UID)))
    groups = _values(subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME))
    fingerprint = f"X509SHA256={sha256(der).hexdigest()}"
    extra = {_CREDENTIAL: (fingerprint,)}
    return authenticated(UserInfo(names[-1], uids[0] if uids else "", groups, extra))


def _values(attributes: "list[x509.NameAttribute[str | bytes]]") -> tuple[str, ...]:
    return tuple(one.value for one in attributes if isinstance(one.value, str))
