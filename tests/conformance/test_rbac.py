"""Rights: who may do what, and how one asks."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from kubewright.testing import User
from tests.conformance.bodies import config_map, deployment
from tests.conformance.wire import OwnServer, Reply, Wire

RBAC = "/apis/rbac.authorization.k8s.io/v1"
GROUP = "rbac.authorization.k8s.io"
REVIEWS = "/apis/authorization.k8s.io/v1"


@pytest.fixture
def jane(api: Wire, own_server: OwnServer) -> Wire:
    """A user without any rights."""
    return api.as_user(own_server.nobody)


def eventually(ask: Callable[[], Reply], status: int) -> Reply:
    """Ask until the answer has *status*: rights are known a moment after they are given."""
    deadline = time.monotonic() + 10
    while (reply := ask()).status != status:
        assert time.monotonic() < deadline, reply.text
        time.sleep(0.05)
    return reply


def grant(api: Wire, namespace: str, user: User, *rules: dict[str, Any], name: str = "r") -> None:
    """Give *user* rights in *namespace*."""
    path = f"{RBAC}/namespaces/{namespace}"
    api.post(f"{path}/roles", {"metadata": {"name": name}, "rules": list(rules)}).ok(201)
    binding = {
        "metadata": {"name": name},
        "roleRef": {"apiGroup": GROUP, "kind": "Role", "name": name},
        "subjects": [{"apiGroup": GROUP, "kind": "User", "name": user.name}],
    }
    api.post(f"{path}/rolebindings", binding).ok(201)


def rule(*verbs: str, resources: str = "configmaps", **more: Any) -> dict[str, Any]:
    """Return a rule about one resource."""
    return {"apiGroups": [""], "resources": [resources], "verbs": list(verbs), **more}


def test_without_a_right_there_is_a_403(jane: Wire, configmaps: str, namespace: str) -> None:
    """The text says who, what and where."""
    reading = jane.get(configmaps).refused(403, "Forbidden")
    writing = jane.post(configmaps, config_map("a")).refused(403, "Forbidden")
    one = jane.get(f"{configmaps}/a").refused(403, "Forbidden")

    user = jane.user.name if jane.user else ""
    assert reading["message"] == (
        f'configmaps is forbidden: User "{user}" cannot list resource "configmaps" in API group ""'
        f' in the namespace "{namespace}"'
    )
    assert 'cannot create resource "configmaps"' in writing["message"]
    assert one["message"].startswith('configmaps "a" is forbidden: ')
    assert one["details"] == {"name": "a", "kind": "configmaps"}


def test_at_the_cluster_scope_the_text_says_so(jane: Wire) -> None:
    """No namespace to name."""
    status = jane.get("/apis/apps/v1/deployments").refused(403, "Forbidden")

    assert status["message"].startswith("deployments.apps is forbidden: ")
    assert status["message"].endswith('in API group "apps" at the cluster scope')


def test_a_role_gives_rights_in_its_namespace(
    api: Wire, jane: Wire, own_server: OwnServer, configmaps: str, namespace: str
) -> None:
    """And nowhere else, and no others."""
    grant(api, namespace, own_server.nobody, rule("list", "create"))

    eventually(lambda: jane.get(configmaps), 200)

    jane.post(configmaps, config_map("a")).ok(201)
    jane.get(f"{configmaps}/a").refused(403)
    jane.delete(f"{configmaps}/a").refused(403)
    jane.get(configmaps.replace(namespace, "default")).refused(403)


def test_a_right_can_be_for_some_names_only(
    api: Wire, jane: Wire, own_server: OwnServer, configmaps: str, namespace: str
) -> None:
    """Reads of one object; lists are not covered."""
    api.post(configmaps, config_map("a")).ok(201)
    api.post(configmaps, config_map("b")).ok(201)
    grant(api, namespace, own_server.nobody, rule("get", resourceNames=["a"]))

    eventually(lambda: jane.get(f"{configmaps}/a"), 200)

    jane.get(f"{configmaps}/b").refused(403)
    jane.get(configmaps).refused(403)


def test_subresources_are_apart(
    api: Wire, jane: Wire, own_server: OwnServer, deployments: str, namespace: str
) -> None:
    """A right on deployments is none on deployments/scale."""
    api.post(deployments, deployment("a")).ok(201)
    scale = {"apiGroups": ["apps"], "resources": ["deployments/scale"], "verbs": ["get"]}
    grant(api, namespace, own_server.nobody, scale)

    eventually(lambda: jane.get(f"{deployments}/a/scale"), 200)

    status = jane.get(f"{deployments}/a").refused(403)
    assert 'resource "deployments"' in status["message"]


def test_nobody_gives_more_than_he_has(
    api: Wire, jane: Wire, own_server: OwnServer, namespace: str
) -> None:
    """Who may write roles may only write what he may do himself."""
    roles = {"apiGroups": [GROUP], "resources": ["roles"], "verbs": ["create"]}
    grant(api, namespace, own_server.nobody, roles, rule("get"))
    path = f"{RBAC}/namespaces/{namespace}/roles"

    eventually(lambda: jane.post(path, {"metadata": {"name": "own"}, "rules": [rule("get")]}), 201)
    more = {"metadata": {"name": "more"}, "rules": [rule("delete")]}
    status = jane.post(path, more).refused(403, "Forbidden")

    assert "is attempting to grant RBAC permissions not currently held" in status["message"]
    assert 'APIGroups:[""], Resources:["configmaps"], Verbs:["delete"]' in status["message"]


def test_nobody_binds_more_than_he_has(
    api: Wire, jane: Wire, own_server: OwnServer, namespace: str
) -> None:
    """Nor to himself; the verb bind makes an exception."""
    bindings = {"apiGroups": [GROUP], "resources": ["rolebindings"], "verbs": ["create"]}
    grant(api, namespace, own_server.nobody, bindings)
    body = {
        "metadata": {"name": "mine"},
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": GROUP, "kind": "User", "name": own_server.nobody.name}],
    }
    path = f"{RBAC}/namespaces/{namespace}/rolebindings"

    deadline = time.monotonic() + 10
    while "not currently held" not in (reply := jane.post(path, body)).text:
        assert time.monotonic() < deadline, reply.text
        time.sleep(0.05)

    reply.refused(403, "Forbidden")


@pytest.mark.parametrize("name", ["cluster-admin", "admin", "edit", "view", "system:discovery"])
def test_the_usual_roles_are_there(api: Wire, name: str) -> None:
    """Charts bind to them."""
    found = api.get(f"{RBAC}/clusterroles/{name}").ok()

    assert found["metadata"]["labels"]["kubernetes.io/bootstrapping"] == "rbac-defaults"


def test_masters_may_do_everything_by_group(api: Wire) -> None:
    """The binding of cluster-admin."""
    found = api.get(f"{RBAC}/clusterrolebindings/cluster-admin").ok()

    assert found["subjects"] == [{"kind": "Group", "apiGroup": GROUP, "name": "system:masters"}]


def attributes(namespace: str, verb: str = "list") -> dict[str, str]:
    """Return what a review asks about."""
    return {"namespace": namespace, "verb": verb, "resource": "configmaps"}


def test_one_can_ask_for_oneself(
    api: Wire, jane: Wire, own_server: OwnServer, namespace: str
) -> None:
    """``kubectl auth can-i`` is open to everybody who is known."""
    path = f"{REVIEWS}/selfsubjectaccessreviews"
    body = {"spec": {"resourceAttributes": attributes(namespace)}}
    assert jane.post(path, body).ok(201)["status"]["allowed"] is False

    grant(api, namespace, own_server.nobody, rule("list"), name="asked")
    deadline = time.monotonic() + 10
    while not (status := jane.post(path, body).ok(201)["status"])["allowed"]:
        assert time.monotonic() < deadline, status
        time.sleep(0.05)

    assert "asked" in status["reason"]


def test_one_can_ask_for_others_with_the_right(
    api: Wire, jane: Wire, own_server: OwnServer, namespace: str
) -> None:
    """SubjectAccessReview, for webhooks and aggregated servers."""
    path = f"{REVIEWS}/subjectaccessreviews"
    body = {"spec": {"user": own_server.reader.name, "resourceAttributes": attributes(namespace)}}
    writes = {
        "spec": {
            "user": own_server.reader.name,
            "resourceAttributes": attributes(namespace, "delete"),
        }
    }

    assert api.post(path, body).ok(201)["status"]["allowed"] is True
    assert api.post(path, writes).ok(201)["status"]["allowed"] is False
    jane.post(path, body).refused(403)


def test_paths_outside_of_the_api_have_rights_too(api: Wire, own_server: OwnServer) -> None:
    """NonResourceAttributes."""
    path = f"{REVIEWS}/subjectaccessreviews"

    def allowed(user: User, where: str) -> bool:
        spec = {"user": user.name, "nonResourceAttributes": {"path": where, "verb": "get"}}
        found: bool = api.post(path, {"spec": spec}).ok(201)["status"]["allowed"]
        return found

    assert allowed(own_server.reader, "/metrics")
    assert not allowed(own_server.nobody, "/metrics")


def test_rules_can_be_listed(
    api: Wire, jane: Wire, own_server: OwnServer, namespace: str, configmaps: str
) -> None:
    """SelfSubjectRulesReview: ``kubectl auth can-i --list``."""
    grant(api, namespace, own_server.nobody, rule("list", "watch"))
    eventually(lambda: jane.get(configmaps), 200)

    body = {"spec": {"namespace": namespace}}
    status = jane.post(f"{REVIEWS}/selfsubjectrulesreviews", body).ok(201)["status"]

    wanted = {"verbs": ["list", "watch"], "apiGroups": [""], "resources": ["configmaps"]}
    assert wanted in status["resourceRules"]
    assert status["incomplete"] is False


class TestImpersonation:
    """Acting as another, with the right to do so."""

    def test_the_administrator_acts_as_another(
        self, api: Wire, own_server: OwnServer, configmaps: str
    ) -> None:
        """With the rights of the other, and none of his own."""
        headers = {"Impersonate-User": own_server.nobody.name}

        status = api.ask("GET", configmaps, headers=headers).refused(403)

        assert f'User "{own_server.nobody.name}"' in status["message"]

    def test_groups_are_impersonated_too(self, api: Wire, configmaps: str) -> None:
        """A group may carry the rights."""
        headers = {"Impersonate-User": "whoever", "Impersonate-Group": "system:masters"}

        api.ask("GET", configmaps, headers=headers).ok()

    def test_without_the_right_it_is_refused(self, jane: Wire, configmaps: str) -> None:
        """The verb is impersonate, the resource users."""
        status = jane.ask("GET", configmaps, headers={"Impersonate-User": "admin"}).refused(403)

        user = jane.user.name if jane.user else ""
        assert f'User "{user}" cannot impersonate' in status["message"]

    def test_a_group_without_a_user_is_a_mistake(self, api: Wire, configmaps: str) -> None:
        """Somebody has to be somebody."""
        reply = api.ask("GET", configmaps, headers={"Impersonate-Group": "system:masters"})

        assert reply.status in (400, 403, 500), reply.text
        assert "without impersonating a user" in reply.text


def test_a_wrong_token_is_unauthorized(api: Wire, configmaps: str) -> None:
    """401 before any right is looked at."""
    status = api.as_user(User("x", token="nonsense")).get(configmaps).refused(401, "Unauthorized")

    assert status["message"] == "Unauthorized"


@pytest.mark.usefixtures("own_server")
def test_nobody_is_anonymous(api: Wire, configmaps: str, pytestconfig: pytest.Config) -> None:
    """Without credentials one is system:anonymous, who may do next to nothing; here, nobody."""
    answer = api.as_user(None).get(configmaps)

    if pytestconfig.getoption("--server") == "embedded":  # docs/differences.md says why
        assert answer.refused(401, "Unauthorized")["message"] == "Unauthorized"
        return
    status = answer.refused(403, "Forbidden")
    assert 'User "system:anonymous" cannot list resource "configmaps"' in status["message"]


@pytest.mark.since("1.28", reason="SelfSubjectReview")
def test_one_can_ask_who_one_is(jane: Wire) -> None:
    """``kubectl auth whoami``."""
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"

    found = jane.post(path, {}).ok(201)["status"]["userInfo"]

    assert jane.user
    assert found["username"] == jane.user.name
    assert "system:authenticated" in found["groups"]
