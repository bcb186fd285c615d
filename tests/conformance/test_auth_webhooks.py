"""Webhooks that authenticate and authorize: whom the server asks, when, and what it then does.

They are configured when a server starts, so that these tests start one of their own.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kubewright._pki import kubeconfig
from kubewright.testing import EmbeddedServer, RealServer, User
from tests.conformance.hooks import Hook, serving
from tests.conformance.wire import Wire

Obj = dict[str, Any]

pytestmark = pytest.mark.timeout(120)

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
TOKEN_REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"
ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


@dataclass
class World:
    """A server, its webhook, and what that one says; tests use names of their own."""

    server: EmbeddedServer | RealServer
    hook: Hook
    users: dict[str, Obj] = field(default_factory=dict)
    rights: dict[str, Obj] = field(default_factory=dict)
    wires: list[Wire] = field(default_factory=list)

    def login(self, **status: Any) -> User:
        """Return a user whose token only the webhook knows."""
        token, name = secrets.token_hex(8), f"user-{secrets.token_hex(4)}"
        known = {"authenticated": True, "user": {"username": name, "groups": ["dev"]}}
        self.users[token] = {**known, **status}
        return User(name, token=token)

    def wire(self, user: User) -> Wire:
        """Return raw requests of *user*; it is closed after the test."""
        self.wires.append(Wire(self.server, user))
        return self.wires[-1]

    def asked(self, user: User) -> list[Obj]:
        """Return the spec of each SubjectAccessReview about *user*."""
        specs = [one["spec"] for one in self.hook.asked if one["kind"] == "SubjectAccessReview"]
        return [spec for spec in specs if spec.get("user") == user.name]

    def answer(self, review: Obj) -> Obj:
        """Answer as the webhook."""
        spec = review["spec"]
        if review["kind"] == "TokenReview":
            status = self.users.get(spec["token"], {"authenticated": False})
        else:
            status = self.rights.get(spec.get("user", ""), {"allowed": False})
        return {"apiVersion": review["apiVersion"], "kind": review["kind"], "status": status}


@pytest.fixture(scope="module")
def world(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One server for the tests of this file."""
    choice = pytestconfig.getoption("--server")
    if choice not in {"embedded", "real"}:
        pytest.skip("the webhooks are configured when a server starts")
    folder = tmp_path_factory.mktemp("webhooks")
    with serving(folder) as hook:
        file = _config(folder, hook)
        make = RealServer if choice == "real" else EmbeddedServer
        with make(authorization_webhook_config=file, authentication_webhook_config=file) as server:
            found = World(server, hook)
            hook.answer = found.answer
            yield found


@pytest.fixture(autouse=True)
def _closed(world: World) -> Iterator[None]:
    yield
    while world.wires:
        world.wires.pop().close()


def _config(folder: Path, hook: Hook) -> Path:
    path = folder / "webhook.kubeconfig"
    user = ("apiserver", {"token": "of-the-server"})
    kubeconfig.write(path, kubeconfig.document(f"{hook.url}/review", user, ca_data=hook.ca_data))
    return path


def test_a_token_that_the_server_does_not_know_is_reviewed(world: World) -> None:
    """Who has no other account gets in by the webhook, with all that it knows of them."""
    extra = {"example.com/team": ["a"]}
    user = world.login()
    world.users[str(user.token)]["user"] |= {"uid": "7", "extra": extra}

    review = {"spec": {"token": user.token}}
    found = world.wire(world.server.admin).post(TOKEN_REVIEWS, review).ok(201)["status"]

    assert found["authenticated"] is True
    assert found["user"] == {
        "username": user.name,
        "uid": "7",
        "groups": ["dev", "system:authenticated"],
        "extra": extra,
    }


def test_a_token_that_nobody_knows_is_refused(world: World) -> None:
    """As without a webhook."""
    world.wire(User("x", token="nonsense")).get(CONFIGMAPS).refused(401, "Unauthorized")


def test_the_error_of_a_token_is_told(world: World) -> None:
    """To those who may review tokens."""
    user = world.login(authenticated=False, error="it has expired")

    review = {"spec": {"token": user.token}}
    found = world.wire(world.server.admin).post(TOKEN_REVIEWS, review).ok(201)["status"]

    assert not found.get("authenticated")
    assert found["error"] == "[invalid bearer token, it has expired]"


def test_what_the_webhook_allows_is_allowed(world: World) -> None:
    """Without any role."""
    user = world.login()
    world.rights[user.name] = {"allowed": True}

    world.wire(user).get(CONFIGMAPS).ok()

    (spec,) = world.asked(user)
    assert spec == {
        "user": user.name,
        "groups": ["dev", "system:authenticated"],
        "resourceAttributes": {
            "namespace": "default",
            "verb": "list",
            "version": "v1",
            "resource": "configmaps",
        },
    }


def test_what_nobody_allows_is_forbidden_with_the_reason(world: World) -> None:
    """The user learns whom to ask."""
    user = world.login()
    world.rights[user.name] = {"allowed": False, "reason": "ask Bob"}

    found = world.wire(user).get(CONFIGMAPS).refused(403, "Forbidden")

    assert found["message"].endswith('in the namespace "default": ask Bob')


def test_answers_are_remembered(world: World) -> None:
    """Every request would take twice as long."""
    user = world.login()
    world.rights[user.name] = {"allowed": True}
    wire = world.wire(user)

    for _ in range(3):
        wire.get(CONFIGMAPS).ok()

    assert len(world.asked(user)) == 1
    tokens = [one["spec"].get("token") for one in world.hook.asked]
    assert tokens.count(user.token) == 1


def test_what_rbac_allows_is_not_asked(world: World) -> None:
    """The webhook comes after RBAC, and cannot take away what a role gives."""
    world.rights[world.server.reader.name] = {"allowed": False, "denied": True}

    world.wire(world.server.reader).get(CONFIGMAPS).ok()

    assert world.asked(world.server.reader) == []


def test_the_administrator_is_never_asked_about(world: World) -> None:
    """A webhook cannot lock them out."""
    world.rights[world.server.admin.name] = {"allowed": False, "denied": True}

    world.wire(world.server.admin).get(CONFIGMAPS).ok()

    assert world.asked(world.server.admin) == []


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"allowed": True, "reason": "r"}, {"allowed": True, "reason": "r"}),
        ({"allowed": False, "reason": "r"}, {"allowed": False, "reason": "r"}),
        (
            {"allowed": False, "denied": True, "reason": "r"},
            {"allowed": False, "denied": True, "reason": "r"},
        ),
    ],
)
def test_a_review_tells_what_the_webhook_says(world: World, said: Obj, expected: Obj) -> None:
    """Aggregated servers ask this way."""
    name = f"user-{secrets.token_hex(4)}"
    world.rights[name] = said
    asked = {"verb": "get", "resource": "pods"}

    review = {"spec": {"user": name, "resourceAttributes": asked}}
    found = world.wire(world.server.admin).post(ACCESS_REVIEWS, review).ok(201)

    assert found["status"] == expected


def test_yes_and_no_at_once_is_an_error(world: World) -> None:
    """The webhook contradicts itself."""
    user = world.login()
    world.rights[user.name] = {"allowed": True, "denied": True}

    reply = world.wire(user).get(CONFIGMAPS)

    assert reply.status == 500
    assert reply.body == (
        b'Internal Server Error: "/api/v1/namespaces/default/configmaps": webhook subject access'
        b" review returned both allow and deny response\n"
    )


def test_an_impersonated_user_is_authorized_by_the_webhook(world: World) -> None:
    """The administrator tries what others may do."""
    user = world.login()
    world.rights[user.name] = {"allowed": True}

    headers = {"Impersonate-User": user.name}
    world.wire(world.server.admin).ask("GET", CONFIGMAPS, headers=headers).ok()

    (spec,) = world.asked(user)
    assert spec["groups"] == ["system:authenticated"]


def test_own_rules_are_incomplete(world: World) -> None:
    """The command ``kubectl auth can-i --list`` warns of it."""
    path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
    user = world.login()
    world.rights[user.name] = {"allowed": True}

    found = world.wire(user).post(path, {"spec": {"namespace": "default"}}).ok(201)["status"]

    assert found["incomplete"] is True
    assert found["evaluationError"] == "webhook authorizer does not support user rule resolution"


def test_a_role_can_be_written_by_whom_the_webhook_lets_escalate(world: World) -> None:
    """The check against escalation asks the same authorizers."""
    user = world.login()
    world.rights[user.name] = {"allowed": True}
    path = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
    rules = [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["*"]}]

    world.wire(user).post(path, {"metadata": {"name": user.name}, "rules": rules}).ok(201)

    verbs = [spec["resourceAttributes"]["verb"] for spec in world.asked(user)]
    assert verbs == ["create", "escalate"]


def test_an_update_that_creates_asks_for_the_right_to_create(world: World) -> None:
    """Leases can be made by PUT."""
    user = world.login()
    world.rights[user.name] = {"allowed": True}
    path = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    name = f"lease-{secrets.token_hex(4)}"

    body = {"metadata": {"name": name}, "spec": {}}
    world.wire(user).ask("PUT", f"{path}/{name}", body).ok(201)

    verbs = [spec["resourceAttributes"]["verb"] for spec in world.asked(user)]
    assert verbs == ["update", "create"]


def test_a_webhook_that_fails_is_an_error_of_the_server(world: World) -> None:
    """It is neither a yes nor a no."""
    user = world.login()
    world.rights[user.name] = {"allowed": "nonsense"}

    reply = world.wire(user).get(CONFIGMAPS)

    assert reply.status == 500
    assert reply.body.startswith(b'Internal Server Error: "/api/v1/namespaces/default/configmaps"')
