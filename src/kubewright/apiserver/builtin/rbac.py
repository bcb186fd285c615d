"""Roles, ClusterRoles and their bindings: the kinds of ``rbac.authorization.k8s.io``."""

from typing import Any

from kubewright.apiserver.builtin.fields.checks import IMMUTABLE, needed, one_of, problems
from kubewright.apiserver.builtin.fields.selectors import validate_selector
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import NameRule, Obj, Strategy, Write

GROUP: str = "rbac.authorization.k8s.io"


class RoleStrategy(Strategy):
    """Roles."""

    name_rule: NameRule = staticmethod(naming.path_segment)
    allow_create_on_update = True
    namespaced: bool = True

    def default(self, obj: Obj) -> None:
        """Include the rules even if there are none."""
        obj.setdefault("rules", None)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check each rule."""
        found: Errors = []
        for index, rule in enumerate(obj.get("rules") or ()):
            found += policy_rule(rule, f"rules[{index}]", namespaced=self.namespaced)
        obj["rules"] = obj.get("rules") or None  # Kubernetes stores an empty list as null
        return found


class ClusterRoleStrategy(RoleStrategy):
    """ClusterRoles, which may be aggregated from others."""

    namespaced = False

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the rules and the selectors of the aggregation rule."""
        found = super().validate(obj, write)
        if "aggregationRule" not in obj:
            return found
        path = "aggregationRule.clusterRoleSelectors"
        selectors = obj["aggregationRule"].get("clusterRoleSelectors") or []
        why = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        found += needed(selectors, path, why)
        for index, selector in enumerate(selectors):
            found += validate_selector(selector, f"{path}[{index}]")
        return found


class RoleBindingStrategy(Strategy):
    """RoleBindings."""

    name_rule: NameRule = staticmethod(naming.path_segment)
    allow_create_on_update = True
    namespaced: bool = True
    role_kinds: tuple[str, ...] = ("Role", "ClusterRole")

    def default(self, obj: Obj) -> None:
        """Set the API groups of the role and of the subjects."""
        reference = obj.setdefault("roleRef", {})
        reference["apiGroup"] = reference.get("apiGroup") or GROUP
        reference.setdefault("kind", "")
        reference.setdefault("name", "")
        for subject in obj.get("subjects") or ():
            if subject.get("kind") in ("User", "Group") and not subject.get("apiGroup"):
                subject["apiGroup"] = GROUP

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the role and the subjects."""
        reference = obj["roleRef"]
        found = one_of(reference["apiGroup"], (GROUP,), "roleRef.apiGroup")
        found += one_of(reference["kind"], self.role_kinds, "roleRef.kind")
        name = reference["name"]
        found += needed(name, "roleRef.name") or problems(naming.path_segment, name, "roleRef.name")
        for index, subject in enumerate(obj.get("subjects") or ()):
            found += _subject(subject, f"subjects[{index}]", namespaced=self.namespaced)
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the role did not change."""
        found = self.validate(new, write)
        if new["roleRef"] != old.get("roleRef"):
            found.append(field.invalid("roleRef", _as_go_prints(new["roleRef"]), IMMUTABLE))
        return found


class ClusterRoleBindingStrategy(RoleBindingStrategy):
    """ClusterRoleBindings."""

    namespaced = False
    role_kinds: tuple[str, ...] = ("ClusterRole",)


def policy_rule(rule: Obj, path: str, *, namespaced: bool) -> Errors:
    """Return what is wrong with a rule of a role."""
    found = needed(rule.get("verbs"), f"{path}.verbs", "verbs must contain at least one value")
    urls = rule.get("nonResourceURLs")
    if urls:
        path = f"{path}.nonResourceURLs"
        if namespaced:
            why = "namespaced rules cannot apply to non-resource URLs"
            found.append(field.invalid(path, urls, why))
        if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
            why = "rules cannot apply to both regular resources and non-resource URLs"
            found.append(field.invalid(path, urls, why))
        return found
    why = "resource rules must supply at least one"
    found += needed(rule.get("apiGroups"), f"{path}.apiGroups", f"{why} api group")
    return found + needed(rule.get("resources"), f"{path}.resources", f"{why} resource")


def _subject(subject: Obj, path: str, *, namespaced: bool) -> Errors:
    kind, name, group = subject.get("kind") or "", subject.get("name"), subject.get("apiGroup")
    found = needed(name, f"{path}.name")
    if kind == "ServiceAccount":
        if name:
            found += problems(naming.dns_subdomain, name, f"{path}.name")
        if group:
            found += one_of(group, ("",), f"{path}.apiGroup")
        if not namespaced:
            found += needed(subject.get("namespace"), f"{path}.namespace")
    elif kind in ("User", "Group"):
        found += one_of(group or "", (GROUP,), f"{path}.apiGroup")
    else:
        found += one_of(kind, ("ServiceAccount", "User", "Group"), f"{path}.kind")
    return found


def _as_go_prints(reference: Obj) -> dict[str, Any]:
    names = {"APIGroup": "apiGroup", "Kind": "kind", "Name": "name"}
    return {shown: reference.get(name, "") for shown, name in names.items()}
