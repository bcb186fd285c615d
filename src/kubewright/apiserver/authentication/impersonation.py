"""Acting as somebody else, by headers, for those who may.

There are two ways. The verb ``impersonate`` on a user allows all that this user may do. Since
Kubernetes 1.36 there is a second one: ``impersonate:user-info`` (or ``serviceaccount``,
``arbitrary-node``, ``associated-node``) together with ``impersonate-on:user-info:list`` and the
like, which also says for which requests. That one is tried first, and what it says is the answer
when neither works.
"""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from msgspec.structs import replace

from kubewright.apiserver.authentication.user import (
    ANONYMOUS,
    AUTHENTICATED,
    MASTERS,
    UNAUTHENTICATED,
    UserInfo,
    find_node,
    find_service_account,
    service_account_groups,
)
from kubewright.apiserver.authorization.attributes import AccessAttributes, Authorizer, denied
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.field import quoted
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.wire.request import Headers

_GROUP = "authentication.k8s.io"
_USER, _UID, _GROUPS = "impersonate-user", "impersonate-uid", "impersonate-group"
_EXTRA = "impersonate-extra-"
_NODE_NAME = "authentication.kubernetes.io/node-name"


class Impersonated(NamedTuple):
    """Whom a request acts as, and the verb that allowed it; empty for plain ``impersonate``."""

    user: UserInfo
    constraint: str


def impersonate(
    headers: Headers, attributes: AccessAttributes, authorizer: Authorizer
) -> Impersonated | None:
    """Return whom a request is to act as, or ``None`` if it acts for itself.

    Args:
        headers: Of the request.
        attributes: What is asked for, with the user who asks.
        authorizer: Who decides whether the one may act as the other.

    Raises:
        StatusError: They may not (403), or the headers make no sense (400).
    """
    if not any(name.startswith("impersonate-") for name in headers):
        return None
    wanted = _wanted(headers)
    if wanted is None:
        return None
    refusal: StatusError | None = None
    for mode in _modes(wanted, attributes.user):
        try:
            return _Mode(mode, authorizer).check(wanted, attributes)
        except StatusError as error:
            refusal = refusal or error
    assert refusal is not None  # the last mode is always tried
    raise refusal


def _wanted(headers: Headers) -> UserInfo | None:
    """Return the user that the headers describe, as they are."""
    groups = _values(headers[_GROUPS]) if _GROUPS in headers else ()
    extra = {
        unquote(name.removeprefix(_EXTRA)): _values(value)
        for name, value in headers.items()
        if name.startswith(_EXTRA)
    }
    name, uid = (_values(headers.get(one, ""))[0] for one in (_USER, _UID))
    found = UserInfo(name, uid, groups, extra)
    if found.name:
        return found
    if found.uid or groups or extra:
        raise status.bad_request(f"requested {_go_user(found)} without impersonating a user name")
    return None


def _values(header: str) -> tuple[str, ...]:
    """Return the values of a header that may be repeated; a comma does not separate two values."""
    return tuple(value.strip() for value in header.split("\n"))


def _go_user(user: UserInfo) -> str:
    """Return *user* as Go prints it for programmers."""
    groups = ", ".join(map(quoted, user.groups))
    shown = f"[]string{{{groups}}}" if user.groups else "[]string(nil)"
    pairs = ", ".join(
        f"{quoted(key)}:[]string{{{', '.join(map(quoted, values))}}}"
        for key, values in sorted(user.extra.items())
    )
    extra = f"map[string][]string{{{pairs}}}" if user.extra else "map[string][]string(nil)"
    return f'&user.DefaultInfo{{Name:"", UID:{quoted(user.uid)}, Groups:{shown}, Extra:{extra}}}'


def _modes(wanted: UserInfo, requester: UserInfo) -> Iterator[str]:
    only_name = not (wanted.uid or wanted.groups or wanted.extra)
    node = find_node(wanted.name)
    account = find_service_account(wanted.name)
    if node is not None and only_name:
        on_node = requester.extra.get(_NODE_NAME) == (node,)
        if on_node and find_service_account(requester.name):
            yield "associated-node"
        yield "arbitrary-node"
    if account is not None and only_name:
        yield "serviceaccount"
    if node is None and account is None:
        yield "user-info"
    yield ""


class _Mode:
    """One way to act as somebody else; the one without a name is the old one."""

    def __init__(self, name: str, authorizer: Authorizer) -> None:
        self._name = name
        self._verb = f"impersonate:{name}" if name else "impersonate"
        self._authorizer = authorizer

    def check(self, wanted: UserInfo, attributes: AccessAttributes) -> Impersonated:
        if self._name:
            verb = f"impersonate-on:{self._name}:{attributes.verb}"
            self._authorize(replace(attributes, verb=verb))
        by = attributes.user
        groups = self._check_name(wanted, by)
        if wanted.uid:
            self._ask(by, "uids", wanted.uid, group=_GROUP)
        self._check_groups(wanted, by)
        self._check_extra(wanted, by)
        user = UserInfo(wanted.name, wanted.uid, _completed(wanted.name, groups), wanted.extra)
        return Impersonated(user, self._verb if self._name else "")

    def _check_name(self, wanted: UserInfo, by: UserInfo) -> tuple[str, ...]:
        """Check the name, and return the groups that go with it."""
        core = _GROUP if self._name else ""
        account = find_service_account(wanted.name)
        if account is not None:
            namespace, name = account
            self._ask(by, "serviceaccounts", name, group=core, namespace=namespace)
            return wanted.groups or service_account_groups(namespace)
        node = find_node(wanted.name) if self._name else None
        if node is not None:
            named = "*" if self._name == "associated-node" else node
            self._ask(by, "nodes", named, group=core)
            return ("system:nodes",)
        self._ask(by, "users", wanted.name, group=core)
        return wanted.groups

    def _check_groups(self, wanted: UserInfo, by: UserInfo) -> None:
        group = _GROUP if self._name else ""
        if self._name and MASTERS in wanted.groups:
            asked = AccessAttributes(by, self._verb, group, "v1", "groups", name=MASTERS)
            raise denied(asked, "impersonating the system:masters group is not allowed")
        if self._name and "" in wanted.groups:
            asked = AccessAttributes(by, self._verb, group, "v1", "groups")
            raise denied(asked, "impersonating the empty string group is not allowed")
        for name in wanted.groups:
            self._ask(by, "groups", name, group=group)

    def _check_extra(self, wanted: UserInfo, by: UserInfo) -> None:
        for key, values in wanted.extra.items():
            for value in values:
                self._ask(by, "userextras", value, group=_GROUP, subresource=key)

    def _ask(  # the parts of a question to the authorizer
        self,
        by: UserInfo,
        resource: str,
        name: str,
        *,
        group: str,
        namespace: str = "",
        subresource: str = "",
    ) -> None:
        self._authorize(
            AccessAttributes(by, self._verb, group, "v1", resource, subresource, name, namespace)
        )

    def _authorize(self, attributes: AccessAttributes) -> None:
        decision = self._authorizer.authorize(attributes)
        if not decision.allowed:
            raise denied(attributes, decision.reason)


def _completed(name: str, groups: tuple[str, ...]) -> tuple[str, ...]:
    """Return *groups* with the one that says whether the user is known."""
    if name == ANONYMOUS:
        return groups if UNAUTHENTICATED in groups else (*groups, UNAUTHENTICATED)
    if AUTHENTICATED in groups or UNAUTHENTICATED in groups:
        return groups
    return (*groups, AUTHENTICATED)
