import pytest

from kubewright.apiserver.authentication.user import ADMIN, UserInfo
from kubewright.apiserver.authorization.attributes import AccessAttributes
from kubewright.apiserver.authorization.rbac import CLUSTER_ROLES, RBAC
from tests.unit.apiserver.authorization.roles import binding, paths, role, rule, store

ANN = UserInfo("ann", groups=("dev", "system:authenticated"))


def allowed(rbac: RBAC, asked: str, *, user: UserInfo = ANN, namespace: str = "") -> bool:
    """Ask ``verb resource[/subresource] [name]``, or ``verb /path``."""
    verb, what, *name = asked.split(" ")
    if what.startswith("/"):
        return rbac.authorize(AccessAttributes(user, verb, path=what, is_resource=False)).allowed
    resource, _, subresource = what.partition("/")
    return rbac.authorize(
        AccessAttributes(
            user,
            verb,
            resource=resource,
            subresource=subresource,
            name=name[0] if name else "",
            namespace=namespace,
        )
    ).allowed


@pytest.mark.parametrize(
    ("given", "asked", "answer"),
    [
        (rule("get", "pods"), "get pods", True),
        (rule("get", "pods"), "list pods", False),
        (rule("get", "pods"), "get pods/log", False),
        (rule("get", "pods/log"), "get pods/log", True),
        (rule("get", "*/log"), "get pods/log", True),
        (rule("get", "*/log"), "get pods", False),
        (rule("*", "*"), "escalate pods/anything", True),
        (rule("*", "*", groups="apps"), "get pods", False),
        (rule("*", "*", groups="*"), "get pods", True),
        (rule("get", "pods", names="a b"), "get pods b", True),
        (rule("get", "pods", names="a b"), "get pods c", False),
        (rule("list", "pods", names="a"), "list pods", False),
        (paths("get", "/healthz/*"), "get /healthz/etcd", True),
        (paths("get", "/healthz/*"), "get /healthz", False),
        (paths("get", "*"), "get /anything", True),
        (paths("get", "/version"), "post /version", False),
        (rule("get", "*", groups="*"), "get /version", False),
    ],
)
def test_a_rule_allows_what_kubernetes_says_it_does(
    given: dict[str, object], asked: str, answer: bool
) -> None:
    """Verbs, groups, resources, names and paths match exactly or by a star."""
    rbac = RBAC(store(role("r", given), binding("b", "ClusterRole r", "User ann")))

    assert allowed(rbac, asked) is answer


@pytest.mark.parametrize(
    ("subject", "to"),
    [
        ("User ann", 'User "ann"'),
        ("Group dev", 'Group "dev"'),
    ],
)
def test_the_reason_names_binding_role_and_subject(subject: str, to: str) -> None:
    """A SubjectAccessReview shows it, word for word as the real server."""
    rbac = RBAC(store(role("r", rule("get", "pods")), binding("b", "ClusterRole r", subject)))

    decision = rbac.authorize(AccessAttributes(ANN, "get", resource="pods"))

    assert decision.reason == (
        f'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to {to}'
    )


def test_a_role_binding_counts_in_its_namespace_only() -> None:
    """A subject without a namespace is a service account of the binding's own."""
    rbac = RBAC(
        store(
            role("r", rule("get", "pods"), namespace="shop"),
            binding("b", "Role r", "ServiceAccount bot", namespace="shop"),
        )
    )
    bot = UserInfo("system:serviceaccount:shop:bot")

    inside = rbac.authorize(AccessAttributes(bot, "get", resource="pods", namespace="shop"))
    outside = rbac.authorize(AccessAttributes(bot, "get", resource="pods", namespace="other"))

    assert not outside.allowed
    assert inside.reason == (
        'RBAC: allowed by RoleBinding "b/shop" of Role "r" to ServiceAccount "bot/shop"'
    )


def test_a_missing_role_is_named_in_the_refusal() -> None:
    """Who wrote the binding sees why it does nothing."""
    rbac = RBAC(
        store(
            binding("a", "ClusterRole nope", "User ann"),
            binding("b", "Role nope2", "User ann", namespace="shop"),
        )
    )

    decision = rbac.authorize(AccessAttributes(ANN, "get", resource="pods", namespace="shop"))

    assert not decision.allowed
    assert decision.reason == (
        'RBAC: [clusterrole.rbac.authorization.k8s.io "nope" not found,'
        ' role.rbac.authorization.k8s.io "nope2" not found]'
    )


def test_a_change_of_a_role_counts_at_once() -> None:
    """Decisions are remembered, but never longer than the rules they came from."""
    reader = store(role("r", rule("get", "pods")), binding("b", "ClusterRole r", "User ann"))
    rbac = RBAC(reader)
    assert allowed(rbac, "get pods")

    reader.put(CLUSTER_ROLES, role("r", rule("list", "pods")))

    assert not allowed(rbac, "get pods")
    assert allowed(rbac, "list pods")


def test_masters_may_do_everything_without_any_rule() -> None:
    """No mistake in the roles can lock the administrator out."""
    rbac = RBAC(store())

    assert rbac.authorize(AccessAttributes(ADMIN, "delete", resource="nodes")).allowed
