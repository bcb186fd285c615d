import pytest

from kubewright.apiserver.authentication.jwt import TokenError, read_part
from kubewright.apiserver.authentication.serviceaccount import ACCOUNTS, ISSUER, PODS, SECRETS
from tests.unit.apiserver.authentication.accounts import KEY, World, meta


@pytest.fixture
def world() -> World:
    return World()


def test_a_token_makes_its_bearer_the_account(world: World) -> None:
    """With the groups that every service account has, and the id of the token."""
    token = world.tokens.make(world.account, seconds=600)

    found = world.tokens.verify(token)

    assert found is not None
    assert found.user.name == "system:serviceaccount:shop:bot"
    assert found.user.uid == "u1"
    assert found.user.groups == ("system:serviceaccounts", "system:serviceaccounts:shop")
    assert found.user.extra["authentication.kubernetes.io/credential-id"][0].startswith("JTI=")
    assert found.audiences == (ISSUER,)


def test_the_claims_are_those_of_kubernetes(world: World) -> None:
    """Others read them, too."""
    claims = read_part(world.tokens.make(world.account, seconds=600, audiences=["vault"]), 1)

    assert claims is not None
    assert claims["exp"] - claims["iat"] == 600
    assert claims["aud"] == ["vault"]
    assert claims["sub"] == "system:serviceaccount:shop:bot"
    assert claims["kubernetes.io"] == {
        "namespace": "shop",
        "serviceaccount": {"name": "bot", "uid": "u1"},
    }


async def test_a_token_ends_a_minute_after_its_time(world: World) -> None:
    """The minute is for clocks that differ."""
    token = world.tokens.make(world.account, seconds=600)
    await world.clock.advance(659)
    assert world.tokens.verify(token)

    await world.clock.advance(2)

    with pytest.raises(TokenError, match="service account token has expired"):
        world.tokens.verify(token)


def test_a_token_for_somebody_else_is_refused(world: World) -> None:
    """A token for a vault must not open the API."""
    token = world.tokens.make(world.account, seconds=600, audiences=["vault"])

    with pytest.raises(TokenError) as caught:
        world.tokens.verify(token)

    assert str(caught.value) == (
        f'token audiences ["vault"] is invalid for the target audiences ["{ISSUER}"]'
    )
    found = world.tokens.verify(token, ["vault", "other"])
    assert found is not None
    assert found.audiences == ("vault",)


def test_a_token_dies_with_its_account(world: World) -> None:
    """At once, though the token was good a moment ago; a new account of that name is another."""
    token = world.tokens.make(world.account, seconds=600)
    assert world.tokens.verify(token)

    world.reader.delete(ACCOUNTS, "bot", "shop")
    with pytest.raises(TokenError, match='serviceaccounts "bot" not found'):
        world.tokens.verify(token)

    world.reader.put(ACCOUNTS, meta("bot", "u9"))
    with pytest.raises(TokenError, match=r"service account UID \(u9\) does not match claim \(u1\)"):
        world.tokens.verify(token)


@pytest.mark.parametrize(
    ("kind", "resource", "name"), [("pod", PODS, "web"), ("secret", SECRETS, "key")]
)
def test_a_bound_token_dies_with_what_it_is_bound_to(
    world: World, kind: str, resource: tuple[str, str], name: str
) -> None:
    """That is why it is bound."""
    bound = world.pod if kind == "pod" else world.secret
    token = world.tokens.make(world.account, seconds=600, bound={kind: bound})
    assert world.tokens.verify(token)

    world.reader.put(resource, meta(name, "u9"))  # type: ignore[arg-type]  # PODS or SECRETS
    with pytest.raises(TokenError, match=rf"{kind} UID \(u9\) does not match"):
        world.tokens.verify(token)

    world.reader.delete(resource, name, "shop")  # type: ignore[arg-type]  # PODS or SECRETS
    with pytest.raises(TokenError, match="service account token has been invalidated"):
        world.tokens.verify(token)


def test_a_pods_token_tells_where_it_runs(world: World) -> None:
    """And stays good if the node is gone."""
    bound = {"pod": world.pod, "node": {"metadata": {"name": "gone"}}}
    token = world.tokens.make(world.account, seconds=600, bound=bound)

    found = world.tokens.verify(token)

    assert found is not None
    assert found.user.extra["authentication.kubernetes.io/pod-name"] == ("web",)
    assert found.user.extra["authentication.kubernetes.io/node-name"] == ("gone",)


def test_a_token_of_another_issuer_is_not_ours_to_judge(world: World) -> None:
    """Somebody else may know it."""
    assert world.tokens.verify(KEY.sign({"iss": "https://example.com"})) is None
    assert world.tokens.verify("plain") is None
