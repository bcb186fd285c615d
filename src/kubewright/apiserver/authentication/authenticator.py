"""Finds out who sends a request."""

import binascii
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from secrets import token_urlsafe
from typing import TYPE_CHECKING

from kubewright.apiserver.authentication.jwt import TokenError
from kubewright.apiserver.authentication.serviceaccount import ServiceAccountTokens, Verified
from kubewright.apiserver.authentication.user import ADMIN, NOBODY, UserInfo, authenticated
from kubewright.apiserver.authorization.rules import aggregate
from kubewright.apiserver.meta import status
from kubewright.apiserver.wire.request import Headers, Request

if TYPE_CHECKING:
    from cryptography import x509

    from kubewright.apiserver.authentication.webhook import WebhookTokens

OPEN_PATHS: frozenset[str] = frozenset({"/healthz", "/livez", "/readyz", "/version", "/version/"})
"""Paths that need no credentials: whether the server is alive, and its version.

An AuthenticationConfiguration of Kubernetes lists them under ``anonymous.conditions``.
"""

_WEBSOCKET_TOKEN = "base64url.bearer.authorization.k8s.io."  # noqa: S105  # a prefix, not a secret
_UNKNOWN = "invalid bearer token"
_UID = "1.3.6.1.4.1.57683.2"
_CREDENTIAL = "authentication.kubernetes.io/credential-id"
_KEPT = 1024


class Authenticator:
    """Knows users by their tokens and certificates, and service accounts by their tokens.

    Credentials win over trust: a request from this process may carry a token to be somebody else.

    Args:
        accounts: Service account tokens; ``None`` to know none.
        webhook: Is asked about tokens that nobody else knows; ``None`` to ask nobody.
    """

    def __init__(
        self,
        accounts: ServiceAccountTokens | None = None,
        webhook: "WebhookTokens | None" = None,
    ) -> None:
        self._accounts = accounts
        self._webhook = webhook
        self._certificates = CertificateUsers()
        self._tokens: dict[str, UserInfo] = {}

    def add_user(self, user: UserInfo | str, token: str = "", *, groups: Iterable[str] = ()) -> str:
        """Let *user* in with a token, which is returned; a new one if none is given.

        Args:
            user: Who it is, or just the name.
            token: The token to know them by.
            groups: More groups that they are in.
        """
        if isinstance(user, str):
            user = UserInfo(user)
        user = replace(user, groups=(*user.groups, *groups))
        token = token or token_urlsafe(24)
        self._tokens[token] = authenticated(user)
        return token

    def authenticate(self, request: Request) -> UserInfo:
        """Return who sends *request*.

        Raises:
            StatusError: The credentials are wrong, or missing where they are needed (401).
            UnansweredError: A webhook must be asked first, so call this by `settle`.
        """
        if request.certificate is not None:
            user = self._certificates.find(request.certificate)
            if user is not None:
                return user
        token = bearer_token(request.headers)
        if token:
            try:
                return self.verify(token).user
            except TokenError:
                raise status.unauthorized() from None
        if request.trusted:
            return ADMIN
        if request.path in OPEN_PATHS:
            return NOBODY
        raise status.unauthorized()

    def verify(self, token: str, audiences: Sequence[str] = ()) -> Verified:
        """Return whom a bearer token stands for.

        Raises:
            TokenError: The token is not valid; the text says why, as a TokenReview does.
            UnansweredError: A webhook must be asked first, so call this by `settle`.
        """
        own = self._accounts.audiences if self._accounts else ()
        user = self._tokens.get(token)
        if user is not None:
            accepted = tuple(one for one in audiences or own if one in own)
            if audiences and not accepted:  # these tokens are for this server only
                raise TokenError(_UNKNOWN)
            return Verified(user, accepted)
        problems, found = [_UNKNOWN], None
        try:
            found = self._accounts.verify(token, audiences) if self._accounts else None
        except TokenError as error:
            problems.append(str(error))
        if found is None and self._webhook is not None:
            answer = self._webhook.verify(token, audiences or own, own=own)
            found = answer.verified
            problems += [answer.error] if answer.error else []
        if found is None:
            raise TokenError(aggregate(problems))
        return Verified(authenticated(found.user), found.audiences)


def bearer_token(headers: Headers) -> str:
    """Return the token that a request carries; empty if it carries none.

    Browsers cannot set a header on a websocket, so they put the token into a subprotocol.
    """
    words = headers.get("authorization", "").strip().split(" ", 2)
    if len(words) > 1 and words[0].lower() == "bearer":
        return words[1]
    offered = headers.get("sec-websocket-protocol")
    return _protocol_token(offered) if offered else ""


def _protocol_token(offered: str) -> str:
    for protocol in offered.split(","):
        found = protocol.strip()
        if found.startswith(_WEBSOCKET_TOKEN):
            coded = found.removeprefix(_WEBSOCKET_TOKEN)
            try:
                return urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode()
            except (binascii.Error, UnicodeError, ValueError):
                return ""
    return ""


class CertificateUsers:
    """Finds the user in a client certificate that the front has verified.

    The common name is the user, the organizations are the groups.
    """

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
    from cryptography import x509
    from cryptography.x509.oid import NameOID, ObjectIdentifier

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
