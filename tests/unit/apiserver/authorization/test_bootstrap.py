from typing import Any

import pytest

from kubewright.apiserver.authentication.user import NOBODY, UserInfo
from kubewright.apiserver.authorization.attributes import AccessAttributes
from kubewright.apiserver.authorization.bootstrap import bootstrap_objects
from kubewright.apiserver.authorization.rbac import RBAC
from tests.unit.apiserver.authorization.roles import binding, store

ANN = UserInfo("ann", groups=("system:authenticated",))


def cluster(*more: dict[str, Any]) -> RBAC:
    return RBAC(store(*bootstrap_objects(), *more))


@pytest.mark.parametrize(
    ("user", "path", "answer"),
    [
        (NOBODY, "/version", True),
        (NOBODY, "/apis", False),
        (ANN, "/apis/apps/v1", True),
        (ANN, "/metrics", False),
    ],
)
def test_strangers_see_the_version_and_users_see_the_api(
    user: UserInfo, path: str, answer: bool
) -> None:
    """Clients must be able to look around before they have rights."""
    asked = AccessAttributes(user, "get", path=path, is_resource=False)

    assert cluster().authorize(asked).allowed is answer


@pytest.mark.parametrize(
    ("role", "verb", "group", "resource", "answer"),
    [
        ("view", "list", "apps", "deployments", True),
        ("view", "get", "", "secrets", False),
        ("view", "create", "", "pods", False),
        ("view", "list", "resource.k8s.io", "resourceclaims", True),
        ("edit", "get", "", "secrets", True),
        ("edit", "create", "batch", "jobs", True),
        ("edit", "create", "coordination.k8s.io", "leases", True),
        ("edit", "create", "rbac.authorization.k8s.io", "roles", False),
        ("admin", "create", "rbac.authorization.k8s.io", "roles", True),
        ("admin", "list", "apps", "deployments", True),
        ("admin", "update", "", "resourcequotas", False),
    ],
)
def test_view_edit_and_admin_hold_what_they_gather(
    role: str, verb: str, group: str, resource: str, answer: bool
) -> None:
    """They work from the first moment, before anything has gathered again."""
    rbac = cluster(binding("b", f"ClusterRole {role}", "User ann", namespace="shop"))
    asked = AccessAttributes(ANN, verb, group, resource=resource, namespace="shop")

    assert rbac.authorize(asked).allowed is answer


def test_every_binding_refers_to_a_role_that_is_there() -> None:
    """A spelling mistake in the data would be a right that nobody has."""
    objects = bootstrap_objects()
    roles = {(one["kind"], one["metadata"]["name"]) for one in objects if "rules" in one}

    for one in objects:
        if "roleRef" in one:
            assert (one["roleRef"]["kind"], one["roleRef"]["name"]) in roles


def test_copies_are_new_each_time() -> None:
    """Two servers in one process must not share objects."""
    first, second = bootstrap_objects(), bootstrap_objects()

    assert first == second
    assert all(one is not other for one, other in zip(first, second, strict=True))
