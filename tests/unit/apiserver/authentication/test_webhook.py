from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from kubewright._aio import Clock, VirtualClock
from kubewright._serve.messages import Response
from kubewright.apiserver.authentication.authenticator import Authenticator
from kubewright.apiserver.authentication.jwt import TokenError
from kubewright.apiserver.authentication.serviceaccount import Verified
from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.authentication.webhook import TokenAnswer, WebhookTokens
from kubewright.apiserver.webhook.asking import settle
from kubewright.apiserver.webhook.client import ReviewClient
from kubewright.apiserver.webhook.config import read_config
from kubewright.apiserver.webhook.options import AuthenticationWebhook
from tests.unit.apiserver.webhook.reviewer import Behaviour, Obj, Reviewer, reviewer

OWN = ("https://own",)
ANN: Obj = {"username": "ann", "uid": "7", "groups": ["dev"], "extra": {"a": ["b"], "c": None}}


class World:
    """A webhook, and what asks it."""

    def __init__(self, hook: Reviewer, tokens: WebhookTokens) -> None:
        self.hook, self.tokens = hook, tokens

    async def verify(self, token: str = "t", audiences: tuple[str, ...] = OWN) -> TokenAnswer:
        return await settle(lambda: self.tokens.verify(token, audiences, own=OWN))


@asynccontextmanager
async def world(
    folder: Path, behaviour: Behaviour, clock: Clock | None = None, **options: Any
) -> AsyncIterator[World]:
    async with reviewer(behaviour) as hook:
        path, clock = hook.write(folder), clock or Clock()
        client = ReviewClient(read_config(path), clock=clock)
        chosen = AuthenticationWebhook(path, **options)
        yield World(hook, WebhookTokens(client, options=chosen, clock=clock))
        await client.close()


def answering(**status: Any) -> Behaviour:
    return lambda review: status


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
async def test_the_answer_says_who_the_user_is(tmp_path: Path, version: str) -> None:
    """With all that RBAC and admission look at."""
    yes = answering(authenticated=True, user=ANN)
    async with world(tmp_path, yes, version=version) as found:
        answer = await found.verify()

    user = UserInfo("ann", "7", ("dev",), {"a": ("b",), "c": ()})
    assert answer == TokenAnswer(Verified(user, OWN))
    (review,) = found.hook.reviews
    assert review["spec"] == {"token": "t", "audiences": ["https://own"]}
    assert (review["kind"], review["apiVersion"]) == (
        "TokenReview",
        f"authentication.k8s.io/{version}",
    )


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"authenticated": False}, TokenAnswer()),
        ({"authenticated": False, "error": "expired"}, TokenAnswer(error="expired")),
        ({"authenticated": True, "user": ANN, "audiences": ["other"]}, TokenAnswer()),
    ],
)
async def test_other_answers_let_nobody_in(
    tmp_path: Path, status: Obj, expected: TokenAnswer
) -> None:
    """A token for somebody else is not one for us."""
    async with world(tmp_path, answering(**status)) as found:
        assert await found.verify() == expected


async def test_a_token_without_audiences_is_for_this_server_only(tmp_path: Path) -> None:
    """A webhook that knows no audiences does not say that it is good for others."""
    async with world(tmp_path, answering(authenticated=True, user=ANN)) as found:
        answer = await found.verify(audiences=("vault",))

    assert answer.verified is None


async def test_an_answer_is_remembered_for_its_time(tmp_path: Path) -> None:
    """Clients send their token with every request."""
    clock = VirtualClock()
    async with world(tmp_path, answering(authenticated=True, user=ANN), clock) as found:
        for passed in (0, 119, 1):
            await clock.advance(passed)
            await found.verify()
        await found.verify("another")

    assert [one["spec"]["token"] for one in found.hook.reviews] == ["t", "t", "another"]


async def test_an_error_is_not_remembered(tmp_path: Path) -> None:
    """The next request may succeed."""
    async with world(tmp_path, lambda _: Response(404)) as found:
        answers = [await found.verify() for _ in range(2)]

    assert len(found.hook.requests) == 2
    assert answers[0].verified is None
    assert answers[0].error == "the server could not find the requested resource"


async def test_the_webhook_is_the_last_to_be_asked(tmp_path: Path) -> None:
    """The tokens of users that the server knows are nobody else's business."""
    async with world(tmp_path, answering(authenticated=True, user=ANN)) as found:
        users = Authenticator(webhook=found.tokens)
        users.add_user("bob", "known")

        known = await settle(lambda: users.verify("known"))
        other = await settle(lambda: users.verify("unknown"))

    assert known.user.name == "bob"
    assert other.user.groups == ("dev", "system:authenticated")
    assert [one["spec"]["token"] for one in found.hook.reviews] == ["unknown"]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ({}, "invalid bearer token"),
        ({"error": "expired"}, "[invalid bearer token, expired]"),
    ],
)
async def test_a_token_that_nobody_knows_is_refused_with_all_errors(
    tmp_path: Path, status: Obj, said: str
) -> None:
    """A TokenReview shows them."""
    async with world(tmp_path, answering(**status)) as found:
        users = Authenticator(webhook=found.tokens)
        with pytest.raises(TokenError) as caught:
            await settle(lambda: users.verify("unknown"))

    assert str(caught.value) == said
