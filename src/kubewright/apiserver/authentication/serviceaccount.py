"""Service account tokens: made on request, good as long as what they are bound to exists."""

from collections.abc import Callable, Sequence
from typing import NamedTuple
from uuid import uuid4

from kubewright._aio import Clock
from kubewright.api.times import parse_time
from kubewright.apiserver.authentication.jwt import Claims, SigningKey, TokenError, read_part
from kubewright.apiserver.authentication.user import (
    UserInfo,
    service_account_groups,
    service_account_name,
)
from kubewright.apiserver.authorization.rules import go_list
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj, Reader

ISSUER: str = "https://kubernetes.default.svc.cluster.local"
ACCOUNTS: GroupResource = GroupResource("", "serviceaccounts")
PODS: GroupResource = GroupResource("", "pods")
SECRETS: GroupResource = GroupResource("", "secrets")
NODES: GroupResource = GroupResource("", "nodes")

_LEEWAY = 60.0
_KEPT = 1024
_EXTRA = "authentication.kubernetes.io/"


class Verified(NamedTuple):
    """Whom a token stands for, and the audiences that it was accepted for."""

    user: UserInfo
    audiences: tuple[str, ...]


class _Known(NamedTuple):
    """A token that was found good, and what it depends on."""

    claims: Claims
    user: UserInfo
    revisions: tuple[int, ...]


class ServiceAccountTokens:
    """Makes tokens of service accounts, and checks them.

    Args:
        key: Returns the key that signs; it is called when the first token is made or shown.
        reader: What is stored, to see whether the account and the bound object still exist.
        issuer: Who this server is, in its tokens.
        audiences: The audiences of tokens that do not name any; the issuer by default.
    """

    def __init__(
        self,
        key: Callable[[], SigningKey],
        reader: Reader,
        *,
        clock: Clock | None = None,
        issuer: str = ISSUER,
        audiences: Sequence[str] = (),
    ) -> None:
        self.issuer = issuer
        self.audiences: tuple[str, ...] = tuple(audiences) or (issuer,)
        self._make_key = key
        self._key: SigningKey | None = None
        self._reader = reader
        self._clock = clock or Clock()
        self._known: dict[str, _Known] = {}

    @property
    def key(self) -> SigningKey:
        """The key that signs."""
        if self._key is None:
            self._key = self._make_key()
        return self._key

    def make(
        self,
        account: Obj,
        *,
        seconds: int,
        audiences: Sequence[str] = (),
        bound: dict[str, Obj] | None = None,
    ) -> str:
        """Return a new token for *account*.

        Args:
            account: The ServiceAccount.
            seconds: How long it is good.
            audiences: For whom it is; this server if empty.
            bound: The objects without which it is void, by ``pod``, ``secret`` and ``node``.
        """
        metadata = account["metadata"]
        now = int(self._clock.now().timestamp())
        private: Claims = {
            "namespace": metadata["namespace"],
            "serviceaccount": {"name": metadata["name"], "uid": metadata["uid"]},
        }
        for kind, obj in (bound or {}).items():
            found = obj["metadata"]
            private[kind] = {key: found[key] for key in ("name", "uid") if found.get(key)}
        return self.key.sign({
            "aud": list(audiences or self.audiences),
            "exp": now + seconds,
            "iat": now,
            "iss": self.issuer,
            "jti": str(uuid4()),
            "kubernetes.io": private,
            "nbf": now,
            "sub": service_account_name(metadata["namespace"], metadata["name"]),
        })  # fmt: skip

    def verify(self, token: str, audiences: Sequence[str] = ()) -> Verified | None:
        """Return whom *token* stands for, or ``None`` if this server did not issue it.

        Raises:
            TokenError: It is of this server, and is not valid.
        """
        known = self._known.get(token)
        if known is None:
            unverified = read_part(token, 1)
            if unverified is None or unverified.get("iss") != self.issuer:
                return None
            claims = self.key.verify(token)
        else:
            claims = known.claims
        accepted = self._accepted(claims, audiences)
        self._check_times(claims)
        revisions = tuple(self._reader.revision_of(one) for one in _depends_on(claims))
        if known is None or known.revisions != revisions:
            known = self._remember(token, _Known(claims, self._user(claims), revisions))
        return Verified(known.user, accepted)

    def _remember(self, token: str, known: _Known) -> _Known:
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[token] = known
        return known

    def _accepted(self, claims: Claims, wanted: Sequence[str]) -> tuple[str, ...]:
        found = claims.get("aud") or self.audiences
        found = [found] if isinstance(found, str) else found
        wanted = wanted or self.audiences
        accepted = tuple(one for one in found if one in wanted)
        if not accepted:
            raise TokenError(
                f"token audiences {go_list(found)} is invalid for the target audiences"
                f" {go_list(wanted)}"
            )
        return accepted

    def _check_times(self, claims: Claims) -> None:
        now = self._clock.now().timestamp()
        if now - _LEEWAY > claims.get("exp", 0):
            raise TokenError("service account token has expired")
        if now + _LEEWAY < claims.get("nbf", 0):
            raise TokenError("service account token is not valid yet")

    def _user(self, claims: Claims) -> UserInfo:
        private = claims.get("kubernetes.io") or {}
        namespace, account = private.get("namespace", ""), private.get("serviceaccount") or {}
        self._check_account(namespace, account)
        for kind, resource in _BOUND:
            # A pod's token names its node, too, but does not depend on it.
            if kind in private and not (kind == "node" and "pod" in private):
                self._check_bound(kind, resource, private[kind], namespace=namespace)
        return UserInfo(
            service_account_name(namespace, account.get("name", "")),
            account.get("uid", ""),
            service_account_groups(namespace),
            dict(_extra(claims, private)),
        )

    def _check_account(self, namespace: str, claim: Claims) -> None:
        name, uid = claim.get("name", ""), claim.get("uid", "")
        account = self._reader.find_object(ACCOUNTS, namespace, name)
        if account is None:
            raise TokenError(f'serviceaccounts "{name}" not found')
        current = account["metadata"].get("uid", "")
        if current != uid:
            raise TokenError(f"service account UID ({current}) does not match claim ({uid})")
        if account["metadata"].get("deletionTimestamp"):  # finalizers keep no rights
            raise TokenError(f"service account {namespace}/{name} has been deleted")

    def _check_bound(
        self, kind: str, resource: GroupResource, claim: Claims, *, namespace: str
    ) -> None:
        within = "" if resource is NODES else namespace
        obj = self._reader.find_object(resource, within, claim.get("name", ""))
        if obj is None or self._is_deleted(obj):
            raise TokenError("service account token has been invalidated")
        current, uid = obj["metadata"].get("uid", ""), claim.get("uid", "")
        if current != uid:
            raise TokenError(
                f"{kind} UID ({current}) does not match service account {kind} ref claim ({uid})"
            )

    def _is_deleted(self, obj: Obj) -> bool:
        """Say whether *obj* should be gone by now, with some time for clocks that differ."""
        deleted = obj["metadata"].get("deletionTimestamp")
        if not deleted:
            return False
        return parse_time(deleted).timestamp() < self._clock.now().timestamp() - _LEEWAY


_BOUND = (("secret", SECRETS), ("pod", PODS), ("node", NODES))


def _depends_on(claims: Claims) -> list[GroupResource]:
    private = claims.get("kubernetes.io") or {}
    return [ACCOUNTS, *(resource for kind, resource in _BOUND if kind in private)]


def _extra(claims: Claims, private: Claims) -> list[tuple[str, tuple[str, ...]]]:
    found: list[tuple[str, tuple[str, ...]]] = []
    if claims.get("jti"):
        found.append((f"{_EXTRA}credential-id", (f"JTI={claims['jti']}",)))
    for kind in ("node", "pod"):
        for key in ("name", "uid"):
            value = (private.get(kind) or {}).get(key)
            if value:
                found.append((f"{_EXTRA}{kind}-{key}", (value,)))
    return found
