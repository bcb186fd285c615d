"""Service accounts: tokens for programs."""

import base64
import json
import time
from typing import Any

import pytest

from kubewright.testing import User
from tests.conformance.wire import Wire


@pytest.fixture
def accounts(api: Wire, namespace: str) -> str:
    """The path of the service accounts, among which is ``robot``."""
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    api.post(path, {"metadata": {"name": "robot"}}).ok(201)
    return path


def token(api: Wire, accounts: str, **spec: Any) -> dict[str, Any]:
    """Ask for a token of the robot."""
    made: dict[str, Any] = api.post(f"{accounts}/robot/token", {"spec": spec}).ok(201)
    return made


def claims(made: dict[str, Any]) -> dict[str, Any]:
    """Return what a token says."""
    payload = made["status"]["token"].split(".")[1]
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(payload + "=="))
    return found


def review(api: Wire, text: str, **spec: Any) -> dict[str, Any]:
    """Ask whose token *text* is."""
    path = "/apis/authentication.k8s.io/v1/tokenreviews"
    found: dict[str, Any] = api.post(path, {"spec": {"token": text, **spec}}).ok(201)["status"]
    return found


def test_a_token_is_made_on_request(api: Wire, accounts: str, namespace: str) -> None:
    """Signed, with an end, and bound to the account."""
    before = time.time()

    made = token(api, accounts, expirationSeconds=700)

    assert (made["kind"], made["apiVersion"]) == ("TokenRequest", "authentication.k8s.io/v1")
    said = claims(made)
    assert said["sub"] == f"system:serviceaccount:{namespace}:robot"
    assert said["kubernetes.io"]["namespace"] == namespace
    assert said["kubernetes.io"]["serviceaccount"]["name"] == "robot"
    assert abs(said["exp"] - before - 700) < 60
    assert said["aud"]
    assert made["status"]["expirationTimestamp"]


def test_the_audience_can_be_chosen(api: Wire, accounts: str) -> None:
    """A token for one service is of no use for another."""
    made = token(api, accounts, audiences=["vault"])

    assert claims(made)["aud"] == ["vault"]
    assert review(api, made["status"]["token"], audiences=["vault"])["authenticated"] is True
    assert not review(api, made["status"]["token"], audiences=["other"]).get("authenticated")


def test_a_token_logs_in(api: Wire, accounts: str, namespace: str) -> None:
    """As a user with the groups of all accounts, and no rights of its own."""
    made = token(api, accounts)
    robot = api.as_user(User("robot", token=made["status"]["token"]))

    status = robot.get(f"/api/v1/namespaces/{namespace}/pods").refused(403, "Forbidden")

    assert f'User "system:serviceaccount:{namespace}:robot"' in status["message"]


def test_a_review_says_whose_it_is(api: Wire, accounts: str, namespace: str) -> None:
    """Name, uid and groups."""
    uid = api.get(f"{accounts}/robot").ok()["metadata"]["uid"]
    made = token(api, accounts)

    found = review(api, made["status"]["token"])

    assert found["authenticated"] is True
    assert found["user"]["username"] == f"system:serviceaccount:{namespace}:robot"
    assert found["user"]["uid"] == uid
    assert sorted(found["user"]["groups"]) == [
        "system:authenticated",
        "system:serviceaccounts",
        f"system:serviceaccounts:{namespace}",
    ]


@pytest.mark.parametrize("wrong", ["nonsense", "a.b.c", ""])
def test_a_review_of_something_else_says_no(api: Wire, wrong: str) -> None:
    """It is no error, only not true."""
    if not wrong:
        path = "/apis/authentication.k8s.io/v1/tokenreviews"
        assert api.post(path, {"spec": {"token": ""}}).status in (201, 400)
        return

    assert not review(api, wrong).get("authenticated")


def test_a_forged_token_is_refused(api: Wire, accounts: str) -> None:
    """The signature counts."""
    made = token(api, accounts)["status"]["token"]
    head, payload, signature = made.split(".")
    forged = f"{head}.{payload}.{signature[:-4]}AAAA"

    api.as_user(User("x", token=forged)).get("/api/v1/namespaces").refused(401)


def test_a_token_ends_with_its_account(api: Wire, accounts: str) -> None:
    """Deleted, or made again under the same name."""
    robot = api.as_user(User("robot", token=token(api, accounts)["status"]["token"]))
    assert robot.get("/api/v1/namespaces").status == 403

    api.delete(f"{accounts}/robot").ok()
    api.post(accounts, {"metadata": {"name": "robot"}}).ok(201)

    deadline = time.monotonic() + 20
    while (reply := robot.get("/api/v1/namespaces")).status != 401:
        assert time.monotonic() < deadline, reply.text
        time.sleep(0.2)


def test_a_bound_token_ends_with_its_object(api: Wire, accounts: str, pods: str) -> None:
    """A pod that is not there gets none."""
    bound = {"kind": "Pod", "apiVersion": "v1", "name": "none", "uid": "x"}

    reply = api.post(f"{accounts}/robot/token", {"spec": {"boundObjectRef": bound}})

    assert reply.status in (404, 409), reply.text
    assert pods


def test_a_life_that_is_too_short_is_refused(api: Wire, accounts: str) -> None:
    """Ten minutes at least."""
    [(_, field, message)] = api.post(
        f"{accounts}/robot/token", {"spec": {"expirationSeconds": 60}}
    ).causes()

    assert field == "spec.expirationSeconds"
    assert "may not specify a duration less than 10 minutes" in message


def test_an_account_that_is_not_there_has_no_token(api: Wire, accounts: str) -> None:
    """404 by its name."""
    status = api.post(f"{accounts}/none/token", {"spec": {}}).refused(404, "NotFound")

    assert status["message"] == 'serviceaccounts "none" not found'


@pytest.mark.controllers
def test_every_namespace_has_a_default_one(api: Wire, namespace: str) -> None:
    """Pods that name none run as it."""
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/default"

    deadline = time.monotonic() + 20
    while api.get(path).status != 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)
