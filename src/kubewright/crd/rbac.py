"""RBAC rules of a program, merged and sorted as controller-gen does."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from kubewright.api.kind import RESTMapping
from kubewright.api.resource import Resource, mapping_of

READ = ("get", "list", "watch")
"""The verbs that a cache needs."""

WRITE = ("create", "delete", "patch", "update")
"""The verbs for objects that a program creates and owns."""

Names = tuple[str, ...]


class PolicyRule(msgspec.Struct, frozen=True):
    """Verbs on resources, or on non-resource URLs.

    Attributes:
        groups: API groups; ``"core"`` may stand for the empty name.
        resources: Plurals, with the subresource after a slash: ``shops/status``.
        verbs: Verbs, or ``"*"``.
        resource_names: Names of single objects; empty for all.
        urls: Paths such as ``/metrics``; then there are no resources.
        namespace: The namespace of the Role; cluster-wide if empty.
    """

    groups: Names = ()
    resources: Names = ()
    verbs: Names = ()
    resource_names: Names = ()
    urls: Names = ()
    namespace: str = ""

    def __post_init__(self) -> None:
        for field in self.__struct_fields__[:-1]:
            if isinstance(getattr(self, field), str):
                raise TypeError(f"{self!r}: {field} is a tuple; write ({getattr(self, field)!r},)")
        if not self.verbs:
            raise ValueError(f"{self!r} allows nothing: give it verbs, such as ('get', 'list')")
        if bool(self.resources) == bool(self.urls):
            raise ValueError(f"{self!r} must have either resources or urls")
        if self.resources and not self.groups:
            raise ValueError(f"{self!r} has no groups: the core group is called 'core' or ''")
        if self.urls and self.namespace:
            raise ValueError(f"{self!r}: URLs belong to no namespace; leave it out")

    def document(self) -> dict[str, Any]:
        """Return the rule as a role has it."""
        said = {
            "apiGroups": self.groups,
            "nonResourceURLs": self.urls,
            "resourceNames": self.resource_names,
            "resources": self.resources,
            "verbs": self.verbs,
        }
        return {key: list(value) for key, value in said.items() if value}


def rules_for(
    verbs: Mapping[type[Resource] | RESTMapping, Iterable[str]],
    *,
    subresource: str = "",
    namespace: str = "",
) -> list[PolicyRule]:
    """Return the rules that allow *verbs* on each kind, merged.

    Example:
        >>> pods = RESTMapping("", "v1", "Pod", "pods")
        >>> rules_for({pods: ["get", "list"]}, namespace="shop")[0].resources
        ('pods',)
    """
    suffix = f"/{subresource}" if subresource else ""
    found: list[PolicyRule] = []
    for kind, allowed in verbs.items():
        mapping = kind if isinstance(kind, RESTMapping) else mapping_of(kind)
        found.append(
            PolicyRule(
                groups=(mapping.group,),
                resources=(mapping.plural + suffix,),
                verbs=tuple(allowed),
                namespace=namespace,
            )
        )
    return merged_rules(found)


def merged_rules(rules: Iterable[PolicyRule]) -> list[PolicyRule]:
    """Return *rules* with those merged that differ in one thing only, sorted.

    First the verbs of rules for the same things are joined, then the resources, the groups and the
    URLs of rules that are alike otherwise. ``"*"`` replaces all others.
    """
    merged = [_normal(rule) for rule in rules]
    for field in ("verbs", "resources", "groups", "urls"):
        merged = _joined(merged, field)
    return sorted(merged, key=_sort_key)


def _normal(rule: PolicyRule) -> PolicyRule:
    groups = ("" if group == "core" else group for group in rule.groups)
    return msgspec.structs.replace(
        rule,
        groups=_collapsed(groups),
        resources=_collapsed(rule.resources),
        verbs=_collapsed(rule.verbs),
        urls=_collapsed(rule.urls),
        resource_names=tuple(sorted(set(rule.resource_names))),
    )


def _collapsed(names: Iterable[str]) -> Names:
    found = sorted(set(names))
    return ("*",) if "*" in found else tuple(found)


def _joined(rules: list[PolicyRule], field: str) -> list[PolicyRule]:
    """Return *rules* with those made one that differ in *field* alone."""
    together: dict[PolicyRule, list[str]] = {}
    for rule in rules:
        # Rules for resources have no URLs to join, and the other way round.
        own = getattr(rule, field)
        alike = {field: ("",)} if own else {}
        together.setdefault(msgspec.structs.replace(rule, **alike), []).extend(own)
    return [
        msgspec.structs.replace(rule, **{field: _collapsed(names)})
        for rule, names in together.items()
    ]


def _sort_key(rule: PolicyRule) -> tuple[Any, ...]:
    return (rule.namespace, rule.groups, rule.resources, rule.resource_names, rule.urls)


def roles(name: str, rules: Iterable[PolicyRule]) -> list[dict[str, Any]]:
    """Return the ClusterRole *name* and a Role of that name for each namespace in *rules*.

    Example:
        >>> [role] = roles("shop", [PolicyRule(urls=("/metrics",), verbs=("get",))])
        >>> role["kind"]
        'ClusterRole'
    """
    by_namespace: dict[str, list[PolicyRule]] = {}
    for rule in merged_rules(rules):
        by_namespace.setdefault(rule.namespace, []).append(rule)
    return [_role(name, where, found) for where, found in sorted(by_namespace.items())]


def _role(name: str, namespace: str, rules: list[PolicyRule]) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role" if namespace else "ClusterRole",
        "metadata": metadata,
        "rules": [rule.document() for rule in rules],
    }
