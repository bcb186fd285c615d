from typing import Any

import pytest

from kubewright.apiserver.authentication import reviews
from kubewright.apiserver.authentication.authenticator import Authenticator
from kubewright.apiserver.authentication.serviceaccount import ISSUER
from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.authentication.accounts import KEY, World


@pytest.fixture
def world() -> World:
    return World()


def token_request(**spec: Any) -> dict[str, Any]:
    return {"kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1", "spec": spec}


async def create(world: World, request: dict[str, Any], name: str = "bot") -> dict[str, Any]:
    requests = reviews.TokenRequests(world.tokens, world.reader, clock=world.clock)
    return await requests.create(request, namespace="shop", name=name)


async def refusal(world: World, request: dict[str, Any], name: str = "bot") -> tuple[int, str]:
    with pytest.raises(StatusError) as caught:
        await create(world, request, name)
    return caught.value.code, caught.value.message


def reference(kind: str, name: str, **more: str) -> dict[str, str]:
    return {"kind": kind, "apiVersion": "v1", "name": name, **more}


async def test_a_token_is_made_for_an_hour_and_this_server(world: World) -> None:
    """What the request leaves out is filled in, and shown."""
    made = await create(world, token_request())

    assert made["spec"] == {
        "audiences": [ISSUER],
        "expirationSeconds": 3600,
        "boundObjectRef": None,
    }
    assert made["metadata"]["name"] == "bot"
    assert world.tokens.verify(made["status"]["token"])


async def test_a_token_is_bound_to_a_pod_and_its_node(world: World) -> None:
    """The node is only named."""
    made = await create(world, token_request(boundObjectRef=reference("Pod", "web", uid="u2")))

    found = world.tokens.verify(made["status"]["token"])
    assert found is not None
    assert found.user.extra["authentication.kubernetes.io/node-uid"] == ("u4",)


@pytest.mark.parametrize(
    ("spec", "code", "message"),
    [
        (
            {"expirationSeconds": 1},
            422,
            (
                'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds:'
                " Invalid value: 1: may not specify a duration less than 10 minutes"
            ),
        ),
        (
            {"boundObjectRef": reference("ConfigMap", "x")},
            400,
            "cannot bind token to object of type /v1, Kind=ConfigMap",
        ),
        ({"boundObjectRef": reference("Pod", "x")}, 404, 'pods "x" not found'),
        (
            {"boundObjectRef": reference("Secret", "key", uid="u9")},
            409,
            (
                'Operation cannot be fulfilled on Secret "key": the UID in the bound object'
                " reference (u9) does not match the UID in record. The object might have been"
                " deleted and then recreated"
            ),
        ),
    ],
)
async def test_a_request_that_cannot_be_met_is_refused(
    world: World, spec: dict[str, Any], code: int, message: str
) -> None:
    """With the real server's words."""
    assert await refusal(world, token_request(**spec)) == (code, message)


async def test_an_account_must_exist_and_be_the_one_that_is_meant(world: World) -> None:
    """The path and the body must not contradict one another."""
    assert await refusal(world, token_request(), "nope") == (
        404,
        'serviceaccounts "nope" not found',
    )
    code, message = await refusal(world, {**token_request(), "metadata": {"name": "x"}})
    assert code == 422
    assert "must match the service account name if specified" in message


async def test_another_accounts_pod_is_refused(world: World) -> None:
    """A pod is proof of one identity only."""
    world.pod["spec"]["serviceAccountName"] = "other"

    assert await refusal(world, token_request(boundObjectRef=reference("Pod", "web"))) == (
        400,
        (
            'cannot bind token for serviceaccount "bot" to pod running with different'
            " serviceaccount name."
        ),
    )


def test_a_token_review_tells_who_it_is(world: World) -> None:
    """And for which audiences the token was accepted."""
    token = world.tokens.make(world.account, seconds=600)
    asked = {"kind": "TokenReview", "spec": {"token": token}}

    answer = reviews.review_token(asked, Authenticator(world.tokens))["status"]

    assert answer["authenticated"] is True
    assert answer["audiences"] == [ISSUER]
    assert answer["user"]["username"] == "system:serviceaccount:shop:bot"


def test_a_token_review_tells_why_not(world: World) -> None:
    """That is no error of the review; a review without a token is."""
    users = Authenticator(world.tokens)

    answer = reviews.review_token({"spec": {"token": "x"}}, users)

    assert answer["status"] == {"user": {}, "error": "invalid bearer token"}
    with pytest.raises(StatusError, match="token is required for TokenReview in authentication"):
        reviews.review_token({"spec": {}}, users)


def test_everybody_can_ask_who_they_are(world: World) -> None:
    """``kubectl auth whoami`` prints it."""
    answer = reviews.review_self({}, UserInfo("ann", groups=("dev",)), clock=world.clock)

    assert answer["status"] == {"userInfo": {"username": "ann", "groups": ["dev"]}}
    assert answer["metadata"]["creationTimestamp"].endswith("Z")


def test_others_can_check_our_tokens(world: World) -> None:
    """The discovery document leads to the key."""
    assert reviews.openid_configuration(world.tokens, "https://127.0.0.1:6443") == {
        "issuer": ISSUER,
        "jwks_uri": "https://127.0.0.1:6443/openid/v1/jwks",
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    }
    assert reviews.openid_keys(world.tokens)["keys"] == [KEY.jwk]
