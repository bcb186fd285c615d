"""Ways around access rules, each of them closed."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire.request import Request, Response
from tests.robustness.wire import APPLY, CONFIG_MAPS, MERGE, NAMESPACE, Obj

RBAC = "/apis/rbac.authorization.k8s.io/v1"
GROUP = "rbac.authorization.k8s.io"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"


class Users:
    """A server with access rules, and one user with few rights."""

    def __init__(self, api: APIServer) -> None:
        self.api = api
        self.admin = api.users.add_user(UserInfo("root", groups=("system:masters",)))
        self.user = api.users.add_user(UserInfo("user"))

    async def ask(
        self, method: str, target: str, body: Any = None, *, media: str = "", **more: str
    ) -> Any:
        """Ask as the user; returns the status and the body."""
        return await self._ask(self.user, method, target, body, media=media, **more)

    async def _ask(
        self, token: str, method: str, target: str, body: Any, *, media: str = "", **more: str
    ) -> Any:
        path, _, query = target.partition("?")
        headers = {name.replace("_", "-"): value for name, value in more.items()}
        headers |= {"authorization": f"Bearer {token}", "content-type": media or "application/json"}
        data = b"" if body is None else json.dumps(body).encode()
        answer = await self.api.handle(Request(method, path, query, headers, data))
        if isinstance(answer, Response):
            return answer.status, json.loads(answer.body)
        await answer.chunks.aclose()  # type: ignore[union-attr]  # a stream
        return 200, {"kind": "stream"}

    async def make(self, path: str, body: Obj) -> None:
        """Create something as the administrator."""
        status, answer = await self._ask(self.admin, "POST", path, body)
        assert status == 201, answer

    async def allow(self, *rules: Obj, namespace: str = "default") -> None:
        """Give the user rights in a namespace, or everywhere."""
        kind = "Role" if namespace else "ClusterRole"
        base = f"{RBAC}/namespaces/{namespace}" if namespace else RBAC
        subject = {"kind": "User", "name": "user", "apiGroup": GROUP}
        reference = {"kind": kind, "name": "user", "apiGroup": GROUP}
        binding = {"metadata": {"name": "user"}, "roleRef": reference, "subjects": [subject]}
        await self.make(f"{base}/{kind.lower()}s", {"metadata": {"name": "user"}, "rules": rules})
        await self.make(f"{base}/{kind.lower()}bindings", binding)


def rule(resources: str, *verbs: str, group: str = "*", names: tuple[str, ...] = ()) -> Obj:
    """Return a rule."""
    found: Obj = {"apiGroups": [group], "resources": resources.split(), "verbs": list(verbs)}
    return {**found, "resourceNames": list(names)} if names else found


@pytest.fixture
async def users() -> AsyncIterator[Users]:
    """Return a server with access rules and its users."""
    async with APIServer(rbac=True) as api:
        yield Users(api)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", f"{NAMESPACE}/namespaces"),
        ("POST", f"{NAMESPACE}/namespaces"),
        ("DELETE", f"{NAMESPACE}/namespaces"),
        ("GET", f"{NAMESPACE}/namespaces/kube-system"),
        ("DELETE", f"{NAMESPACE}/namespaces/kube-system"),
        ("GET", "/api/v1/watch/namespaces/default/namespaces"),
        ("GET", f"{NAMESPACE}/nodes"),
        ("POST", f"{NAMESPACE}/nodes"),
        ("GET", f"{RBAC}/namespaces/default/clusterroles"),
        ("POST", f"{RBAC}/namespaces/default/clusterrolebindings"),
        ("GET", f"{NAMESPACE}/secrets/..%2F..%2Fkube-system%2Fsecrets%2Fs"),
        ("GET", f"{NAMESPACE}%2F..%2Fkube-system/secrets"),
        ("GET", f"{NAMESPACE}/../kube-system/secrets"),
        ("GET", "/api/v1//namespaces//kube-system//secrets"),
        ("GET", "/api/v1/secrets/kube-system%2Fs"),
        ("GET", "/api/v1/secrets"),
        ("PATCH", f"{NAMESPACE}/pods/p/exec"),
        ("GET", "/api/v1/watch/namespaces/default/pods/p/exec"),
    ],
)
async def test_who_rules_one_namespace_gets_nothing_outside_of_it(
    users: Users, method: str, path: str
) -> None:
    """However the path is written."""
    await users.allow(rule("*", "*"))
    await users.make("/api/v1/namespaces/kube-system/secrets", {"metadata": {"name": "s"}})
    pod = {"nodeName": "n", "containers": [{"name": "a", "image": "i"}]}
    await users.make(f"{NAMESPACE}/pods", {"metadata": {"name": "p"}, "spec": pod})

    status, answer = await users.ask(method, path, {"metadata": {"name": "evil"}})

    assert status in (403, 404, 405), answer


@pytest.mark.parametrize("verb", ["update", "patch"])
async def test_the_right_to_change_is_no_right_to_create(users: Users, verb: str) -> None:
    """An update or apply of what is not there is a creation, and needs the right to create."""
    await users.allow(rule("leases", verb))
    lease: Obj = {"metadata": {"name": "a"}}
    if verb == "patch":
        lease |= {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}
    method, media = ("PUT", "") if verb == "update" else ("PATCH", APPLY)

    status, answer = await users.ask(method, f"{LEASES}/a?fieldManager=m", lease, media=media)

    assert status == 403
    assert answer["message"] == 'leases.coordination.k8s.io "a" is forbidden: '
    assert (
        users.api.store.find(GroupResource("coordination.k8s.io", "leases"), "default", "a") is None
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", 403),
        ("?fieldSelector=metadata.name%3Dmine", 200),
        ("?fieldSelector=metadata.name%3Dmine&watch=1", 200),
        ("?fieldSelector=metadata.name!%3Dmine", 403),
        ("?fieldSelector=metadata.name%3Dyours", 403),
        ("?fieldSelector=metadata.name%3Dyours&fieldSelector=metadata.name%3Dmine", 403),
        ("?fieldSelector=metadata.namespace%3Dmine", 403),
        ("?labelSelector=metadata.name%3Dmine", 403),
        ("?watch=1", 403),
        ("/yours", 403),
        ("/yours?watch=1", 403),
        ("/yours?fieldSelector=metadata.name%3Dmine", 403),
    ],
)
async def test_names_in_a_rule_also_hold_for_lists_and_watches(
    users: Users, query: str, expected: int
) -> None:
    """Who may see one object may list and watch it by its name, and nothing else."""
    await users.allow(rule("secrets", "get", "list", "watch", group="", names=("mine",)))

    status, _ = await users.ask("GET", f"{NAMESPACE}/secrets{query}")

    assert status == expected


@pytest.mark.parametrize(
    "headers",
    [
        {"impersonate_user": "bob", "impersonate_group": "system:masters"},
        {"impersonate_group": "system:masters"},
        {"impersonate_user": "", "impersonate_group": "system:masters"},
        {"impersonate_user": "root"},
        {"impersonate_user": "bob", "impersonate_uid": "1"},
        {"impersonate_user": "bob", "impersonate_extra_scopes": "all"},
        {"impersonate_user": "bob", "impersonate_extra_%73copes": "all"},
        {"impersonate_user": "system:serviceaccount:kube-system:default"},
        {"impersonate_user": "system:serviceaccount:bob"},
        {"impersonate_user": "system:node:bob"},
    ],
)
async def test_the_right_to_be_one_user_is_no_right_to_be_another(
    users: Users, headers: dict[str, str]
) -> None:
    """Each part of an identity has to be allowed by itself."""
    one = rule("users", "impersonate", group="", names=("bob",))
    await users.allow(one, rule("*", "list", group=""), namespace="")

    plain, _ = await users.ask("GET", CONFIG_MAPS)
    status, answer = await users.ask("GET", CONFIG_MAPS, **headers)

    assert plain == 200
    assert status in (400, 403), answer


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "clusterroles", {"metadata": {"name": "a"}, "rules": [rule("*", "*")]}),
        ("PATCH", "clusterroles/user", {"rules": [rule("*", "*")]}),
        (
            "POST",
            "clusterroles",
            {
                "metadata": {"name": "a"},
                "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]},
            },
        ),
        (
            "POST",
            "clusterrolebindings",
            {
                "metadata": {"name": "a"},
                "roleRef": {"kind": "ClusterRole", "name": "cluster-admin", "apiGroup": GROUP},
                "subjects": [{"kind": "User", "name": "user", "apiGroup": GROUP}],
            },
        ),
        (
            "PATCH",
            "clusterrolebindings/cluster-admin",
            {"subjects": [{"kind": "User", "name": "user", "apiGroup": GROUP}]},
        ),
    ],
)
async def test_nobody_gives_themselves_more_rights(
    users: Users, method: str, path: str, body: Obj
) -> None:
    """The right to write roles is not the right to all that roles can allow."""
    every = ("create", "update", "patch", "get")
    await users.allow(rule("*", *every, group=GROUP), namespace="")

    status, answer = await users.ask(
        method, f"{RBAC}/{path}", body, media=MERGE if method == "PATCH" else ""
    )

    assert status == 403, answer


async def test_roles_that_gather_each_other_come_to_rest(users: Users) -> None:
    """A circle must not turn for ever."""
    for name, verb in (("a", "get"), ("b", "list"), ("c", "watch")):
        gathered = {"clusterRoleSelectors": [{"matchLabels": {"circle": "yes"}}]}
        meta = {"name": name, "labels": {"circle": "yes"}}
        body: Obj = {"metadata": meta, "aggregationRule": gathered, "rules": [rule("x", verb)]}
        await users.make(f"{RBAC}/clusterroles", body)

    plain = {"metadata": {"name": "d", "labels": {"circle": "yes"}}, "rules": [rule("y", "get")]}
    await users.make(f"{RBAC}/clusterroles", plain)

    for name in "abc":
        role = users.api.store.find_object(GroupResource(GROUP, "clusterroles"), "", name)
        assert role is not None
        assert rule("y", "get") in role["rules"]


@pytest.mark.parametrize("subresource", ["exec", "attach", "portforward"])
async def test_who_may_only_read_runs_no_command_by_websocket(
    users: Users, subresource: str
) -> None:
    """It begins with GET, but is no reading: since 1.35 it needs ``create``."""
    await users.allow(rule(f"pods/{subresource}", "get"))

    status, answer = await users.ask("GET", f"{NAMESPACE}/pods/p/{subresource}?command=id")

    assert status == 403
    assert f'cannot create resource "pods/{subresource}"' in answer["message"]


@pytest.mark.parametrize("finalizers", [[], ["example.com/slow"]])
async def test_the_token_of_a_deleted_account_ends_at_once(
    users: Users, finalizers: list[str]
) -> None:
    """A finalizer keeps the object, not what it may do."""
    accounts = f"{NAMESPACE}/serviceaccounts"
    await users.make(accounts, {"metadata": {"name": "robot", "finalizers": finalizers}})
    wanted = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    _, made = await users._ask(users.admin, "POST", f"{accounts}/robot/token", wanted)
    token = made["status"]["token"]
    before, _ = await users._ask(token, "GET", "/apis", None)

    await users._ask(users.admin, "DELETE", f"{accounts}/robot", None)

    after, _ = await users._ask(token, "GET", "/apis", None)
    assert (before, after) == (200, 401)
