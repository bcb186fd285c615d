from typing import Any

import pytest

from kubewright.apiserver.authentication.user import ADMIN, UserInfo
from kubewright.apiserver.authorization.escalation import Escalation
from kubewright.apiserver.authorization.rbac import (
    CLUSTER_ROLE_BINDINGS,
    CLUSTER_ROLES,
    RBAC,
    ROLE_BINDINGS,
    ROLES,
)
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.authorization.roles import binding, paths, role, rule, store

ANN = UserInfo("ann", groups=("dev",))
OWNED = role("own", rule("get", "configmaps"))
HEAD = 'user "ann" (groups=["dev"]) is attempting to grant RBAC permissions not currently held:\n'


def checker(*more: dict[str, Any]) -> Escalation:
    return Escalation(RBAC(store(OWNED, binding("own", "ClusterRole own", "User ann"), *more)))


def refusal(
    escalation: Escalation, resource: GroupResource, obj: dict[str, Any], **write: Any
) -> str:
    with pytest.raises(StatusError) as caught:
        escalation.check(resource, write.pop("user", ANN), obj=obj, old=None, **write)
    return caught.value.message


def test_a_role_may_hold_what_its_writer_has() -> None:
    """That is the point of delegation."""
    checker().check(CLUSTER_ROLES, ANN, obj=role("new", rule("get", "configmaps")), old=None)


def test_missing_rights_are_listed_one_line_for_each_resource() -> None:
    """The message is the real server's, so that it can be acted upon."""
    wanted = role("new", rule("get list", "pods configmaps"), paths("get", "/x"))

    message = refusal(checker(), CLUSTER_ROLES, wanted)

    assert message == (
        f'clusterroles.rbac.authorization.k8s.io "new" is forbidden: {HEAD}'
        '{APIGroups:[""], Resources:["configmaps"], Verbs:["list"]}\n'
        '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}\n'
        '{NonResourceURLs:["/x"], Verbs:["get"]}'
    )


def test_a_name_is_covered_by_all_names_and_not_the_other_way_round() -> None:
    """A right to one object is less than a right to all of them."""
    one = role("one", rule("update", "secrets", names="a"))
    escalation = checker(one, binding("one", "ClusterRole one", "User ann"))
    named = role("new", rule("get", "configmaps", names="x"), rule("update", "secrets", names="a"))

    escalation.check(CLUSTER_ROLES, ANN, obj=named, old=None)

    assert '["secrets"], Verbs:["update"]}' in refusal(
        escalation, CLUSTER_ROLES, role("new", rule("update", "secrets"))
    )


def test_missing_roles_of_the_writer_are_mentioned() -> None:
    """The rights may be there but for a role that is gone."""
    escalation = checker(binding("miss", "ClusterRole nope", "User ann"))

    message = refusal(escalation, CLUSTER_ROLES, role("new", rule("get", "pods")))

    assert message.endswith(
        '; resolution errors: [clusterroles.rbac.authorization.k8s.io "nope" not found]'
    )


def test_who_may_escalate_may_write_any_role() -> None:
    """The verb exists for controllers that manage roles."""
    manager = role(
        "m", rule("escalate", "roles", groups="rbac.authorization.k8s.io"), namespace="shop"
    )
    escalation = checker(manager, binding("m", "Role m", "User ann", namespace="shop"))

    escalation.check(ROLES, ANN, obj=role("new", rule("*", "*")), old=None, namespace="shop")


def test_only_who_may_do_everything_may_gather() -> None:
    """A role that gathers may come to hold anything."""
    selectors = [{"matchLabels": {"a": "b"}}]
    wanted = role("new", aggregationRule={"clusterRoleSelectors": selectors})

    message = refusal(checker(), CLUSTER_ROLES, wanted)

    assert message.endswith("must have cluster-admin privileges to use the aggregationRule")


def test_a_binding_needs_the_rights_of_its_role() -> None:
    """Otherwise everybody could make themselves an administrator."""
    escalation = checker(role("big", rule("*", "*", groups="*")))
    wanted = binding("new", "ClusterRole big", "User ann", namespace="shop")

    message = refusal(escalation, ROLE_BINDINGS, wanted, namespace="shop")

    assert message == (
        f'rolebindings.rbac.authorization.k8s.io "new" is forbidden: {HEAD}'
        '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}'
    )


def test_the_verb_bind_stands_in_for_the_rights() -> None:
    """It can be given for one role by name."""
    big = role("big", rule("*", "*", groups="*"))
    binder = role(
        "b", rule("bind", "clusterroles", groups="rbac.authorization.k8s.io", names="big")
    )
    escalation = checker(big, binder, binding("b", "ClusterRole b", "User ann"))

    escalation.check(
        CLUSTER_ROLE_BINDINGS, ANN, obj=binding("new", "ClusterRole big", "User x"), old=None
    )


def test_a_role_that_is_not_there_cannot_be_bound() -> None:
    """Nobody can say which rights it will have."""
    message = refusal(checker(), CLUSTER_ROLE_BINDINGS, binding("new", "ClusterRole nope"))

    assert message == 'clusterroles.rbac.authorization.k8s.io "nope" not found'


def test_masters_and_the_garbage_collector_pass() -> None:
    """A finalizer is taken off a role by somebody who has none of its rights."""
    old = role("big", rule("*", "*"))
    old["metadata"]["finalizers"] = ["x"]
    new = role("big", rule("*", "*"))

    checker().check(CLUSTER_ROLES, ANN, obj=new, old=old, name="big")
    checker().check(CLUSTER_ROLES, ADMIN, obj=new, old=None)
