import pytest

from kubewright.apiserver.authentication.user import (
    NOBODY,
    UserInfo,
    authenticated,
    find_node,
    find_service_account,
)


@pytest.mark.parametrize(
    ("username", "found"),
    [
        ("system:serviceaccount:shop:bot", ("shop", "bot")),
        ("system:serviceaccount:shop:bot.v1", ("shop", "bot.v1")),
        ("system:serviceaccount:shop", None),
        ("system:serviceaccount:shop:a:b", None),
        ("system:serviceaccount:Shop:bot", None),
        ("system:serviceaccount::bot", None),
        ("ann", None),
    ],
)
def test_only_valid_names_are_service_accounts(
    username: str, found: tuple[str, str] | None
) -> None:
    """Whoever could choose a name such as a:b would be somebody else."""
    assert find_service_account(username) == found


def test_a_node_is_known_by_its_prefix() -> None:
    """Without it, or with a name that no node can have, it is just a user."""
    assert find_node("system:node:one") == "one"
    assert find_node("one") is None
    assert find_node("system:node:") is None


def test_who_is_known_is_in_the_group_of_all_who_are() -> None:
    """Once, and strangers are not."""
    known = authenticated(UserInfo("ann", groups=("dev",)))

    assert known.groups == ("dev", "system:authenticated")
    assert authenticated(known) is known
    assert authenticated(NOBODY) is NOBODY


def test_json_leaves_out_what_is_empty() -> None:
    """As Kubernetes writes a user."""
    assert UserInfo("ann").json == {"username": "ann"}
    assert UserInfo("ann", "1", ("dev",), {"k": ("v",)}).json == {
        "username": "ann",
        "uid": "1",
        "groups": ["dev"],
        "extra": {"k": ["v"]},
    }
