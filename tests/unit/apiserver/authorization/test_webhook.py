from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kubewright._aio import Clock, VirtualClock
from kubewright._serve.messages import Response
from kubewright.apiserver.authentication.user import ADMIN, UserInfo
from kubewright.apiserver.authorization.attributes import AccessAttributes, Decision, Rule
from kubewright.apiserver.authorization.webhook import WebhookAuthorizer
from kubewright.apiserver.webhook.asking import settle
from kubewright.apiserver.webhook.client import ReviewClient
from kubewright.apiserver.webhook.config import read_config
from kubewright.apiserver.webhook.options import AuthorizationWebhook
from tests.unit.apiserver.webhook.reviewer import Behaviour, Obj, Reply, Reviewer, reviewer

ANN = UserInfo("ann", "7", ("dev",), {"example.com/team": ("a", "b")})
PODS = AccessAttributes(ANN, "get", "apps", "v1", "pods", "log", "x", "shop")


class First:
    """The authorizer before the webhook."""

    knows_all_rules = True

    def __init__(self, decision: Decision) -> None:
        self.decision = decision

    def authorize(self, attributes: AccessAttributes) -> Decision:
        return self.decision

    def rules_for(self, user: UserInfo, namespace: str) -> tuple[list[Rule], list[str]]:
        return [{"verbs": ["get"]}], []


NO = Decision(allowed=False, reason="RBAC: no")


class World:
    """A webhook, and an authorizer that asks it."""

    def __init__(self, hook: Reviewer, authorizer: WebhookAuthorizer) -> None:
        self.hook, self.authorizer = hook, authorizer

    async def decide(self, attributes: AccessAttributes = PODS) -> Decision:
        return await settle(lambda: self.authorizer.authorize(attributes))


@asynccontextmanager
async def world(
    folder: Path,
    behaviour: Behaviour,
    *,
    first: Decision = NO,
    clock: Clock | None = None,
    **options: Any,
) -> AsyncIterator[World]:
    async with reviewer(behaviour) as hook:
        path, clock = hook.write(folder), clock or Clock()
        client = ReviewClient(read_config(path), clock=clock)
        chosen = AuthorizationWebhook(path, **options)
        yield World(hook, WebhookAuthorizer(First(first), client, options=chosen, clock=clock))
        await client.close()


def answering(**status: Any) -> Behaviour:
    return lambda review: status


async def test_what_rbac_allows_is_not_asked(tmp_path: Path) -> None:
    """Most requests need no call."""
    yes = Decision(allowed=True, reason="RBAC: yes")
    async with world(tmp_path, answering(denied=True), first=yes) as found:
        assert await found.decide() == yes
        assert found.hook.requests == []


async def test_masters_are_never_asked_about(tmp_path: Path) -> None:
    """A broken webhook must not lock the administrator out."""
    asked = AccessAttributes(ADMIN, "get", resource="pods")
    async with world(tmp_path, answering(denied=True)) as found:
        assert await found.decide(asked) == NO  # RBAC has allowed it, in a real server
        assert found.hook.requests == []


async def test_the_webhook_sees_who_wants_what(tmp_path: Path) -> None:
    """It has nothing else to decide by."""
    async with world(tmp_path, answering(allowed=True, reason="known")) as found:
        decision = await found.decide()

    assert decision == Decision(allowed=True, reason="known")
    (review,) = found.hook.reviews
    assert (review["kind"], review["apiVersion"]) == (
        "SubjectAccessReview",
        "authorization.k8s.io/v1",
    )
    assert review["spec"] == {
        "resourceAttributes": {
            "namespace": "shop",
            "verb": "get",
            "group": "apps",
            "version": "v1",
            "resource": "pods",
            "subresource": "log",
            "name": "x",
        },
        "user": "ann",
        "uid": "7",
        "groups": ["dev"],
        "extra": {"example.com/team": ["a", "b"]},
    }


async def test_the_old_version_calls_groups_group(tmp_path: Path) -> None:
    """Webhooks from before 1.19 read it."""
    async with world(tmp_path, answering(allowed=True), version="v1beta1") as found:
        await found.decide(AccessAttributes(ANN, "get", path="/metrics", is_resource=False))

    (review,) = found.hook.reviews
    assert review["apiVersion"] == "authorization.k8s.io/v1beta1"
    assert review["spec"]["group"] == ["dev"]
    assert review["spec"]["nonResourceAttributes"] == {"path": "/metrics", "verb": "get"}


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"allowed": False, "reason": "unknown"}, Decision(False, "RBAC: no\nunknown")),
        ({"allowed": None, "denied": None}, Decision(False, "RBAC: no")),
        ({"allowed": False, "denied": True, "reason": "never"}, Decision(False, "never", "", True)),
    ],
)
async def test_a_no_is_an_opinion_only_if_it_denies(
    tmp_path: Path, status: Obj, expected: Decision
) -> None:
    """Without an opinion, what RBAC said counts as well."""
    async with world(tmp_path, answering(**status)) as found:
        assert await found.decide() == expected


async def test_yes_and_no_at_once_is_a_no_with_an_error(tmp_path: Path) -> None:
    """The webhook has a mistake, which somebody must hear of."""
    async with world(tmp_path, answering(allowed=True, denied=True)) as found:
        decision = await found.decide()

    assert (decision.allowed, decision.denied) == (False, True)
    assert "both allow and deny" in decision.error


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"kind": "SubjectAccessReview"}, "missing required field `apiVersion`"),
        (
            {"kind": "Status", "apiVersion": "v1"},
            "answered a v1 Status instead of a authorization.k8s.io/v1 SubjectAccessReview",
        ),
        (
            {
                "kind": "SubjectAccessReview",
                "apiVersion": "authorization.k8s.io/v1",
                "status": {"allowed": "yes"},
            },
            "Expected `bool | null`, got `str`",
        ),
    ],
)
async def test_nonsense_is_an_error_and_no_yes(tmp_path: Path, body: Obj, problem: str) -> None:
    """Nobody gains rights by a mistake of the webhook."""

    def nonsense(review: Obj) -> Reply:
        return Response(200, msgspec.json.encode(body))

    async with world(tmp_path, nonsense) as found:
        decision = await found.decide()

    assert not decision.allowed
    assert problem in decision.error


async def test_a_webhook_that_fails_has_no_opinion(tmp_path: Path) -> None:
    """The error is not remembered, so that it is asked again."""
    async with world(tmp_path, lambda _: Response(404)) as found:
        decisions = [await found.decide() for _ in range(2)]

    assert len(found.hook.requests) == 2
    assert decisions[0] == Decision(
        allowed=False,
        reason="RBAC: no",
        error="the server could not find the requested resource",
    )


@pytest.mark.parametrize(("allowed", "seconds"), [(True, 300), (False, 30)])
async def test_an_answer_is_remembered_for_its_time(
    tmp_path: Path, *, allowed: bool, seconds: int
) -> None:
    """On the clock of the server; the times are those of kube-apiserver."""
    clock = VirtualClock()
    async with world(tmp_path, answering(allowed=allowed), clock=clock) as found:
        for passed in (0, seconds - 1, 1):
            await clock.advance(passed)
            await found.decide()

    assert len(found.hook.requests) == 2


async def test_nothing_is_remembered_for_no_time(tmp_path: Path) -> None:
    """The answer still counts for the request that asked."""
    async with world(tmp_path, answering(allowed=True), authorized_ttl=0) as found:
        decisions = [await found.decide() for _ in range(2)]

    assert all(one.allowed for one in decisions)
    assert len(found.hook.requests) == 2


async def test_long_names_are_not_remembered(tmp_path: Path) -> None:
    """Anybody may ask for them, and they would fill the memory."""
    asked = AccessAttributes(ANN, "get", resource="pods", name="x" * 10_000)
    async with world(tmp_path, answering(allowed=True)) as found:
        for _ in range(2):
            await found.decide(asked)

    assert len(found.hook.requests) == 2


async def test_rules_are_incomplete(tmp_path: Path) -> None:
    """A webhook cannot list what it allows."""
    async with world(tmp_path, answering()) as found:
        rules, errors = found.authorizer.rules_for(ANN, "shop")

    assert rules == [{"verbs": ["get"]}]
    assert errors == ["webhook authorizer does not support user rule resolution"]
    assert not found.authorizer.knows_all_rules
