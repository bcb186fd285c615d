"""Nobody can give away more than they have: checks on roles and bindings before they are stored."""

from kubewright.apiserver.authentication.user import MASTERS, UserInfo
from kubewright.apiserver.authorization.attributes import AccessAttributes, Authorizer, Rule
from kubewright.apiserver.authorization.rbac import (
    CLUSTER_ROLE_BINDINGS,
    CLUSTER_ROLES,
    GROUP,
    RBAC,
    ROLE_BINDINGS,
    ROLES,
)
from kubewright.apiserver.authorization.rules import (
    FULL_AUTHORITY,
    aggregate,
    described,
    go_list,
    uncovered,
)
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.field import quoted
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj

_COLLECTED = ("ownerReferences", "finalizers", "selfLink", "managedFields")


class Escalation:
    """Refuses writes of roles and bindings by which users would gain rights.

    Example:
        Escalation(rbac).check(resource, user, obj=role, old=None, namespace="shop")
    """

    def __init__(self, rbac: RBAC, authorizer: Authorizer | None = None) -> None:
        self._rbac = rbac
        self._authorizer = authorizer or rbac

    def check(  # what a write consists of
        self,
        resource: GroupResource,
        user: UserInfo,
        *,
        obj: Obj,
        old: Obj | None,
        namespace: str = "",
        name: str = "",
    ) -> None:
        """Check a create (*old* is ``None``) or update; resources other than RBAC's pass.

        Args:
            resource: What is written.
            user: Who writes.
            obj: As it would be stored.
            old: As it is stored.
            namespace: From the path.
            name: From the path, so empty on create.

        Raises:
            StatusError: The user would give away what they do not have.
        """
        if resource.group != GROUP or MASTERS in user.groups:
            return
        if old is not None and _only_collected(obj, old):
            return
        if resource in (ROLES, CLUSTER_ROLES):
            self._check_role(resource, user, obj=obj, old=old, namespace=namespace, name=name)
        elif resource in (ROLE_BINDINGS, CLUSTER_ROLE_BINDINGS):
            self._check_binding(resource, user, obj=obj, namespace=namespace)

    def _check_role(  # what a write consists of
        self,
        resource: GroupResource,
        user: UserInfo,
        *,
        obj: Obj,
        old: Obj | None,
        namespace: str,
        name: str,
    ) -> None:
        if self._may(user, "escalate", resource, namespace=namespace, name=name):
            return
        problem = self._missing(user, namespace, rules=obj.get("rules") or [])
        # Gathered rules can be anything, so only users who may do everything may gather them.
        gathers = _aggregates(obj) or (old is not None and _aggregates(old))
        if not problem and gathers and self._missing(user, namespace, rules=FULL_AUTHORITY):
            problem = "must have cluster-admin privileges to use the aggregationRule"
        if problem:
            raise status.forbidden(resource, obj["metadata"].get("name", ""), problem)

    def _check_binding(
        self, resource: GroupResource, user: UserInfo, *, obj: Obj, namespace: str
    ) -> None:
        reference = obj.get("roleRef") or {}
        role_resource = CLUSTER_ROLES if reference.get("kind") == "ClusterRole" else ROLES
        role_name = reference.get("name", "")
        if self._may(user, "bind", role_resource, namespace=namespace, name=role_name):
            return
        role = self._rbac.find_role(reference, namespace)
        if role is None:
            raise status.not_found(role_resource, role_name)
        if problem := self._missing(user, namespace, rules=role.get("rules") or []):
            raise status.forbidden(resource, obj["metadata"].get("name", ""), problem)

    def _may(
        self, user: UserInfo, verb: str, resource: GroupResource, *, namespace: str, name: str
    ) -> bool:
        asked = AccessAttributes(
            user, verb, resource.group, "*", resource.resource, name=name, namespace=namespace
        )
        return self._authorizer.authorize(asked).allowed

    def _missing(self, user: UserInfo, namespace: str, *, rules: list[Rule]) -> str:
        """Return which of *rules* the user does not have; empty if none."""
        owned, errors = self._rbac.rules_for(user, namespace)
        missing = uncovered(rules, owned)
        if not missing:
            return ""
        text = (
            f"user {quoted(user.name)} (groups={go_list(user.groups)}) is attempting to grant RBAC"
            " permissions not currently held:\n" + "\n".join(described(missing))
        )
        if errors:
            # The real server reads the roles from its storage here, which names them in plural.
            plural = [error.replace(f".{GROUP}", f"s.{GROUP}", 1) for error in errors]
            text += f"; resolution errors: [{aggregate(plural)}]"
        return text


def _aggregates(role: Obj) -> bool:
    return bool((role.get("aggregationRule") or {}).get("clusterRoleSelectors"))


def _only_collected(new: Obj, old: Obj) -> bool:
    """Say whether a write changes nothing but what the garbage collector needs to."""
    return _without_collected(new) == _without_collected(old)


def _without_collected(obj: Obj) -> Obj:
    metadata = {
        key: value for key, value in obj.get("metadata", {}).items() if key not in _COLLECTED
    }
    return {**obj, "metadata": metadata}
