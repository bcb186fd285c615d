"""TokenReviews and SubjectAccessReviews, as API servers send them."""

import asyncio
import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest

from kubewright.webhook import AccessReview, Decision, TokenRequest, User
from kubewright.webhook.review import ReviewError
from kubewright.webhook.token_reviews import (
    PathAccess,
    ResourceAccess,
    ReviewHandler,
    access,
    token,
)

TOKENS, ACCESSES = "authentication.k8s.io", "authorization.k8s.io"
either_version = pytest.mark.parametrize("version", ["v1", "v1beta1"])


def token_review(version: str = "v1", **changed: Any) -> bytes:
    """Return the body of a TokenReview."""
    spec = {"token": "abc", "audiences": ["https://kubernetes.default.svc"]}
    sent = {"apiVersion": f"{TOKENS}/{version}", "kind": "TokenReview", "spec": spec}
    return json.dumps(sent | {"metadata": {"creationTimestamp": None}} | changed).encode()


def access_review(version: str = "v1", **spec: Any) -> bytes:
    """Return the body of a SubjectAccessReview of ann."""
    spec = {"user": "ann", "uid": "u-1", "extra": {"floor": ["1"]}, **spec}
    sent = {"apiVersion": f"{ACCESSES}/{version}", "kind": "SubjectAccessReview", "spec": spec}
    return json.dumps(sent).encode()


async def answer_of(handler: ReviewHandler, body: bytes) -> Any:
    """Return the answer as a document."""
    found = handler.answer(body, None)
    return json.loads(await found if inspect.isawaitable(found) else found)


def at_once(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return *function* itself."""
    return function


def later(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return *function* as one that has to wait first."""

    async def waiting(asked: Any) -> Any:
        await asyncio.sleep(0)
        return function(asked)

    return waiting


either_way = pytest.mark.parametrize("made", [at_once, later])


# --- Whose a token is ---


@either_way
@either_version
async def test_a_token_is_answered_with_its_user(made: Any, version: str) -> None:
    """In the version of the question; empty members are left out, as Go leaves them out."""
    user = User("ann", "u-1", ["owners"], {"floor": ["1"]})
    asked: list[TokenRequest] = []

    def whose(request: TokenRequest) -> User:
        asked.append(request)
        return user

    answer = await answer_of(token("/a", made(whose)), token_review(version))
    bare = await answer_of(token("/a", made(lambda request: User("ann"))), token_review(version))

    assert asked == [TokenRequest("abc", ["https://kubernetes.default.svc"])]
    assert answer == {
        "apiVersion": f"{TOKENS}/{version}",
        "kind": "TokenReview",
        "status": {
            "authenticated": True,
            "user": {
                "username": "ann", "uid": "u-1", "groups": ["owners"], "extra": {"floor": ["1"]},
            },
        },
    }  # fmt: skip
    assert bare["status"] == {"authenticated": True, "user": {"username": "ann"}}


@either_way
async def test_a_token_of_nobody_is_answered_too(made: Any) -> None:
    """The server then asks its other authenticators."""
    answer = await answer_of(token("/a", made(lambda request: None)), token_review())

    assert answer["status"] == {"authenticated": False}


@either_way
@pytest.mark.parametrize("returned", [True, "ann", {"username": "ann"}])
async def test_what_is_neither_a_user_nor_none_is_a_mistake(made: Any, returned: Any) -> None:
    """Nobody may get in because a function returned something that is merely true."""
    with pytest.raises(TypeError, match=r"/a returned .*, and neither a User nor None"):
        await answer_of(token("/a", made(lambda request: returned)), token_review())


def test_a_token_is_never_shown() -> None:
    """Requests end up in log lines and tracebacks, and the token is a password."""
    assert repr(TokenRequest("abc", ["x"])) == "TokenRequest(audiences=['x'])"


# --- Who may do what ---


@pytest.mark.parametrize(
    ("returned", "status"),
    [
        (True, {"allowed": True}),
        (False, {"allowed": False}),
        (None, {"allowed": False}),
        (Decision(allowed=True, reason="owner"), {"allowed": True, "reason": "owner"}),
        (Decision(), {"allowed": False}),
        (Decision(denied=True), {"allowed": False, "denied": True}),
        (
            Decision(allowed=True, denied=True, reason="both"),
            {"allowed": False, "denied": True, "reason": "both"},
        ),
    ],
)
@either_way
async def test_a_decision_becomes_a_status(made: Any, returned: Any, status: Any) -> None:
    """Only an explicit denial stops the others; a server takes allowed and denied for an error."""
    answer = await answer_of(access("/b", made(lambda asked: returned)), access_review())

    assert answer == {
        "apiVersion": f"{ACCESSES}/v1",
        "kind": "SubjectAccessReview",
        "status": status,
    }


@either_way
@pytest.mark.parametrize("returned", [1, "yes", {"allowed": True}])
async def test_what_is_no_decision_is_a_mistake(made: Any, returned: Any) -> None:
    """A text such as "no" would be true."""
    with pytest.raises(TypeError, match=r"/b returned .*, and no Decision"):
        await answer_of(access("/b", made(lambda asked: returned)), access_review())


async def asked_by(body: bytes) -> AccessReview:
    """Return what a function is asked by *body*."""
    seen: list[AccessReview] = []
    await answer_of(access("/b", seen.append), body)
    return seen[0]


async def test_a_question_about_a_resource_has_all_its_parts() -> None:
    """A decision depends on each of them."""
    wanted = {
        "namespace": "town", "verb": "get", "group": "example.com", "version": "v1",
        "resource": "shops", "subresource": "status", "name": "corner",
        "labelSelector": {"rawSelector": "a=b"},
    }  # fmt: skip

    found = await asked_by(access_review(resourceAttributes=wanted))

    assert found == AccessReview(
        user="ann",
        uid="u-1",
        extra={"floor": ["1"]},
        resource_attributes=ResourceAccess(
            "town", "get", "example.com", "v1", "shops", "status", "corner"
        ),
    )


async def test_a_question_about_a_path_has_no_resource() -> None:
    """So a rule for resources cannot be taken to cover it."""
    found = await asked_by(access_review(nonResourceAttributes={"path": "/metrics", "verb": "get"}))

    assert found.non_resource_attributes == PathAccess("/metrics", "get")
    assert found.resource_attributes is None


@pytest.mark.parametrize(("version", "member"), [("v1", "groups"), ("v1beta1", "group")])
async def test_the_groups_of_the_user_are_read_in_both_versions(version: str, member: str) -> None:
    """v1beta1, which servers send by default, calls them group: a rule would miss them."""
    found = await asked_by(access_review(version, **{member: ["owners", "guests"]}))

    assert found.groups == ["owners", "guests"]


async def test_members_that_are_null_are_empty() -> None:
    """Go writes null for an empty list."""
    found = await asked_by(access_review(groups=None, extra=None, resourceAttributes=None))

    assert (found.groups, found.extra, found.resource_attributes) == ([], {}, None)


# --- What cannot be answered ---


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "the body is not a TokenReview: cannot decode"),
        (b"hello", "the body is not a TokenReview"),
        (b"[" * 100_000, "the body is not a TokenReview"),
        (b"null", "this webhook answers a TokenReview"),
        (b"[]", "this webhook answers a TokenReview"),
        (b"{}", "this webhook answers a TokenReview"),
        (access_review(), "this webhook answers a TokenReview"),
        (token_review(kind=["TokenReview"]), "this webhook answers a TokenReview"),
        (token_review("v2"), f"in {TOKENS}/v1 or {TOKENS}/v1beta1, not in '{TOKENS}/v2'"),
        (token_review(apiVersion=None), "not in None"),
        (token_review(apiVersion=["v1"]), r"not in \['v1'\]"),
        (token_review(spec=[1]), "has a spec that cannot be read"),
        (token_review(spec="abc"), "has a spec that cannot be read"),
        (token_review(spec={"token": 3}), "cannot be read: .* at token: expected `str`"),
    ],
)
async def test_what_is_no_such_review_is_refused_with_a_reason(body: bytes, told: str) -> None:
    """And the function is not called, which would take a token for an empty one."""
    called: list[TokenRequest] = []

    with pytest.raises(ReviewError, match=told):
        await answer_of(token("/a", called.append), body)
    assert called == []


async def test_a_review_without_a_spec_asks_about_an_empty_token() -> None:
    """As Go reads it; the function says that it is nobody's."""
    asked: list[TokenRequest] = []

    await answer_of(token("/a", asked.append), token_review(spec=None))

    assert asked == [TokenRequest("", [])]
