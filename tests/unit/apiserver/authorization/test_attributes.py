import pytest

from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.authorization.attributes import AccessAttributes, AlwaysAllow, denied

ANN = UserInfo("ann")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            AccessAttributes(ANN, "list", resource="pods", namespace="shop"),
            (
                'pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the'
                ' namespace "shop"'
            ),
        ),
        (
            AccessAttributes(ANN, "get", "apps", "v1", "deployments", "scale", "web", "shop"),
            (
                'deployments.apps "web" is forbidden: User "ann" cannot get resource'
                ' "deployments/scale" in API group "apps" in the namespace "shop"'
            ),
        ),
        (
            AccessAttributes(ANN, "list", resource="nodes"),
            (
                'nodes is forbidden: User "ann" cannot list resource "nodes" in API group "" at the'
                " cluster scope"
            ),
        ),
        (
            AccessAttributes(ANN, "get", path="/metrics", is_resource=False),
            'forbidden: User "ann" cannot get path "/metrics"',
        ),
        (
            AccessAttributes(UserInfo("<b>&"), "get", path="/x", is_resource=False),
            'forbidden: User "&lt;b&gt;&amp;" cannot get path "/x"',
        ),
    ],
)
def test_a_refusal_reads_as_the_real_servers(asked: AccessAttributes, message: str) -> None:
    """People and tests search for these words."""
    assert denied(asked).message == message


def test_a_refusal_ends_with_the_reason_and_names_the_object() -> None:
    """What was wrong with the rules helps who may change them."""
    asked = AccessAttributes(ANN, "get", "apps", "v1", "deployments", name="web")

    error = denied(asked, "RBAC: no such role")

    assert error.code == 403
    assert error.message.endswith("at the cluster scope: RBAC: no such role")
    assert error.details == {"name": "web", "group": "apps", "kind": "deployments"}


def test_always_allow_says_so_in_rules_too() -> None:
    """``kubectl auth can-i --list`` shows that everything is allowed."""
    rules, errors = AlwaysAllow().rules_for(ANN, "shop")

    assert rules[0] == {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}
    assert errors == []
