"""Questions that look like objects."""

from typing import Any

import pytest

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import CORE, TABLE, ask

AUTHENTICATION = "/apis/authentication.k8s.io/v1"
AUTHORIZATION = "/apis/authorization.k8s.io/v1"
PODS = {"resourceAttributes": {"verb": "get", "resource": "pods"}}


@pytest.mark.parametrize(
    ("path", "spec", "status"),
    [
        (f"{AUTHENTICATION}/tokenreviews", {"token": "none"}, {"user": {}}),
        (f"{AUTHENTICATION}/selfsubjectreviews", None, None),
        (f"{AUTHORIZATION}/selfsubjectaccessreviews", PODS, {"allowed": True}),
        (f"{AUTHORIZATION}/subjectaccessreviews", {**PODS, "user": "x"}, {"allowed": False}),
        (f"{AUTHORIZATION}/selfsubjectrulesreviews", {"namespace": "default"}, None),
        (
            "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews",
            {"resourceAttributes": {"namespace": "default", "verb": "get"}, "user": "x"},
            {"allowed": False},
        ),
    ],
)
async def test_reviews_are_answered_and_not_stored(
    server: APIServer, path: str, spec: Any, status: Any
) -> None:
    """The answer is the question with a status."""
    before = server.store.revision

    answer = await ask(server, "POST", path, {} if spec is None else {"spec": spec})

    assert (answer.status, server.store.revision) == (201, before), answer.body
    if status is not None:
        assert status.items() <= answer.obj["status"].items()
    assert (await ask(server, "GET", path)).status == 405


async def test_a_review_is_no_table(server: APIServer) -> None:
    """It is an answer, not a thing that is listed; kubectl asks without when it hears 406."""
    path = f"{AUTHORIZATION}/selfsubjectaccessreviews"

    alone = await ask(server, "POST", path, {"spec": PODS}, accept=TABLE)
    either = await ask(server, "POST", path, {"spec": PODS}, accept=f"{TABLE},application/json")

    assert (alone.status, alone.obj["reason"]) == (406, "NotAcceptable")
    assert either.obj["kind"] == "SelfSubjectAccessReview"


async def test_components_are_well_while_somebody_answers(server: APIServer) -> None:
    """Old tools ask; the list has one component."""
    listed = await ask(server, "GET", "/api/v1/componentstatuses")
    one = await ask(server, "GET", "/api/v1/componentstatuses/etcd-0")

    assert listed.names == ["etcd-0"]
    assert one.obj["conditions"][0]["status"] == "True"
    assert (await ask(server, "GET", f"{CORE}/bindings")).status == 405
