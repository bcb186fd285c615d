from typing import Any

import pytest

from kubewright.apiserver.authentication.impersonation import Impersonated, impersonate
from kubewright.apiserver.authentication.user import ADMIN, UserInfo
from kubewright.apiserver.authorization.attributes import AccessAttributes, AlwaysAllow, Authorizer
from kubewright.apiserver.authorization.rbac import RBAC
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.authorization.roles import binding, role, rule, store

ANN = UserInfo("ann", groups=("system:authenticated",))
AUTHENTICATION = "authentication.k8s.io"


def ask(
    headers: dict[str, str], *, user: UserInfo = ANN, by: Authorizer | None = None
) -> Impersonated | None:
    asked = AccessAttributes(user, "list", resource="pods", namespace="shop")
    return impersonate(headers, asked, by or AlwaysAllow())


def rights(*rules: dict[str, Any]) -> RBAC:
    return RBAC(store(role("r", *rules), binding("b", "ClusterRole r", "User ann")))


def test_without_the_headers_everybody_is_themselves() -> None:
    """An empty user header is none."""
    assert ask({"accept": "x"}) is None
    assert ask({"impersonate-user": ""}) is None


def test_a_user_comes_with_groups_uid_and_extra() -> None:
    """Repeated headers arrive line by line; a comma is part of a name, as in Kubernetes."""
    headers = {
        "impersonate-user": "bob",
        "impersonate-group": "dev\nops,all",
        "impersonate-uid": "7",
        "impersonate-extra-example.com%2fscope": "a\nb",
    }

    found = ask(headers, user=ADMIN)

    assert found is not None
    assert found.user == UserInfo(
        "bob", "7", ("dev", "ops,all", "system:authenticated"), {"example.com/scope": ("a", "b")}
    )


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        (
            "system:serviceaccount:shop:bot",
            ("system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"),
        ),
        ("system:anonymous", ("system:unauthenticated",)),
        ("system:node:one", ("system:nodes", "system:authenticated")),
    ],
)
def test_some_users_bring_their_groups(name: str, groups: tuple[str, ...]) -> None:
    """They are what the real user of that name would be in."""
    found = ask({"impersonate-user": name})

    assert found is not None
    assert found.user.groups == groups


def test_the_verb_impersonate_is_enough() -> None:
    """For each part of whom one wants to be."""
    by = rights(rule("impersonate", "users", names="bob"), rule("impersonate", "groups"))

    found = ask({"impersonate-user": "bob", "impersonate-group": "dev"}, by=by)

    assert found is not None
    assert found.constraint == ""
    with pytest.raises(StatusError):
        ask({"impersonate-user": "carl"}, by=by)


def test_a_constrained_right_is_for_some_requests_only() -> None:
    """It says whom to be, and what for."""
    by = rights(
        rule("impersonate:user-info", "users", groups=AUTHENTICATION),
        rule("impersonate-on:user-info:list", "pods"),
    )

    found = ask({"impersonate-user": "bob"}, by=by)

    assert found is not None
    assert found.constraint == "impersonate:user-info"


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        (
            {"impersonate-user": "bob"},
            (
                'pods is forbidden: User "ann" cannot impersonate-on:user-info:list resource "pods"'
                ' in API group "" in the namespace "shop"'
            ),
        ),
        (
            {
                "impersonate-user": "system:serviceaccount:shop:bot",
                "impersonate-group": "dev",
            },
            (
                'serviceaccounts "bot" is forbidden: User "ann" cannot impersonate resource'
                ' "serviceaccounts" in API group "" in the namespace "shop"'
            ),
        ),
    ],
)
def test_the_first_refusal_is_what_is_answered(headers: dict[str, str], message: str) -> None:
    """The constrained way is tried first where it applies."""
    with pytest.raises(StatusError) as caught:
        ask(headers, by=rights())

    assert (caught.value.code, caught.value.message) == (403, message)


def test_groups_without_a_user_make_no_sense() -> None:
    """Go shows the user that was asked for."""
    with pytest.raises(StatusError) as caught:
        ask({"impersonate-group": "dev"}, user=ADMIN)

    assert caught.value.code == 400
    assert caught.value.message == (
        'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"dev"},'
        " Extra:map[string][]string(nil)} without impersonating a user name"
    )
