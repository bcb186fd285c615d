"""Users, as the server knows them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kubewright.apiserver.meta import naming

ANONYMOUS: str = "system:anonymous"
AUTHENTICATED: str = "system:authenticated"
UNAUTHENTICATED: str = "system:unauthenticated"
MASTERS: str = "system:masters"
SERVICE_ACCOUNTS: str = "system:serviceaccounts"

_SERVICE_ACCOUNT = "system:serviceaccount:"
_NODE = "system:node:"


@dataclass(frozen=True, slots=True)
class UserInfo:
    """A user, with all that authentication found out."""

    name: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    @property
    def json(self) -> dict[str, Any]:
        """The user as ``authentication.k8s.io/v1`` writes one; what is empty is left out."""
        found: dict[str, Any] = {"username": self.name} if self.name else {}
        if self.uid:
            found["uid"] = self.uid
        if self.groups:
            found["groups"] = list(self.groups)
        if self.extra:
            found["extra"] = {key: list(values) for key, values in self.extra.items()}
        return found


ADMIN: UserInfo = UserInfo("system:admin", groups=(MASTERS, AUTHENTICATED))
"""The user of requests from this process, which need no credentials."""

NOBODY: UserInfo = UserInfo(ANONYMOUS, groups=(UNAUTHENTICATED,))
"""The user of requests without credentials, where none are needed."""


def authenticated(user: UserInfo) -> UserInfo:
    """Return *user* as a member of the group of all authenticated users."""
    if user.name == ANONYMOUS or AUTHENTICATED in user.groups or UNAUTHENTICATED in user.groups:
        return user
    return UserInfo(user.name, user.uid, (*user.groups, AUTHENTICATED), user.extra)


def service_account_name(namespace: str, name: str) -> str:
    """Return the user name of a service account."""
    return f"{_SERVICE_ACCOUNT}{namespace}:{name}"


def service_account_groups(namespace: str) -> tuple[str, ...]:
    """Return the groups that every service account of a namespace is in."""
    return (SERVICE_ACCOUNTS, f"{SERVICE_ACCOUNTS}:{namespace}")


def find_service_account(username: str) -> tuple[str, str] | None:
    """Return the namespace and name of the service account that has this user name."""
    if not username.startswith(_SERVICE_ACCOUNT):
        return None
    parts = username.removeprefix(_SERVICE_ACCOUNT).split(":")
    if len(parts) != 2:  # noqa: PLR2004  # a namespace and a name
        return None
    namespace, name = parts
    if naming.dns_label(namespace) or naming.dns_subdomain(name):
        return None
    return namespace, name


def find_node(username: str) -> str | None:
    """Return the name of the node that has this user name."""
    name = username.removeprefix(_NODE)
    if name == username or naming.dns_subdomain(name):
        return None
    return name
