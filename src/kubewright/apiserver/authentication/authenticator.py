"""Finds out who sends a request."""

import binascii
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Sequence
from dataclasses import replace
from secrets import token_urlsafe

from kubewright.apiserver.authentication.certificates import Certificates
from kubewright.apiserver.authentication.jwt import TokenError
from kubewright.apiserver.authentication.serviceaccount import ServiceAccountTokens, Verified
from kubewright.apiserver.authentication.user import ADMIN, NOBODY, UserInfo, authenticated
from kubewright.apiserver.meta import status
from kubewright.apiserver.wire.request import Headers, Request

OPEN_PATHS: frozenset[str] = frozenset({"/healthz", "/livez", "/readyz", "/version", "/version/"})
"""Where nobody has to say who they are: to see whether the server lives, and what it is.

It is what an AuthenticationConfiguration of Kubernetes says under ``anonymous.conditions``.
"""

_WEBSOCKET_TOKEN = "base64url.bearer.authorization.k8s.io."  # noqa: S105  # a prefix, no secret
_UNKNOWN = "invalid bearer token"


class Authenticator:
    """Knows users by their tokens and certificates, and service accounts by their tokens.

    Credentials win over trust: a request from this process may carry a token to be somebody else.

    Args:
        accounts: Service account tokens; ``None`` to know none.
    """

    def __init__(self, accounts: ServiceAccountTokens | None = None) -> None:
        self._accounts = accounts
        self._certificates = Certificates()
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
            TokenError: Nobody; the text says why, as a TokenReview does.
        """
        own = self._accounts.audiences if self._accounts else ()
        user = self._tokens.get(token)
        if user is not None:
            accepted = tuple(one for one in audiences or own if one in own)
            if audiences and not accepted:  # these tokens are for this server only
                raise TokenError(_UNKNOWN)
            return Verified(user, accepted)
        try:
            found = self._accounts.verify(token, audiences) if self._accounts else None
        except TokenError as error:
            raise TokenError(f"[{_UNKNOWN}, {error}]") from None
        if found is None:
            raise TokenError(_UNKNOWN)
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
