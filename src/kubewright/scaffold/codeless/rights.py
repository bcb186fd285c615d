"""The rights that an operator needs for the kinds that a chart or a role names."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kubewright import kinds
from kubewright.api.definition import plural_of
from kubewright.api.kind import GroupVersionKind
from kubewright.api.resource import mapping_of
from kubewright.crd.rbac import READ, WRITE, PolicyRule, merged_rules

__all__ = ["ALL", "RBAC", "NamedKind", "Rights", "named_kind", "rights_of"]

ALL: tuple[str, ...] = (*READ, *WRITE)
"""The verbs for objects that are made and looked after."""
RBAC: str = "rbac.authorization.k8s.io"
"""The API group of roles and bindings."""


class Rights(NamedTuple):
    """What an operator has to be allowed.

    Attributes:
        rules: The rules.
        notes: What they do not allow, and what to do about it.
    """

    rules: tuple[PolicyRule, ...]
    notes: tuple[str, ...] = ()


class NamedKind(NamedTuple):
    """A kind, as RBAC names it.

    Attributes:
        group: Its API group.
        plural: Its plural.
        namespaced: Whether its objects are in namespaces.
        known: Whether Kubernetes has it; the plural is a guess otherwise.
    """

    group: str
    plural: str
    namespaced: bool
    known: bool


def named_kind(api_version: str, kind: str) -> NamedKind:
    """Return the kind that a manifest names.

    Args:
        api_version: What it says in ``apiVersion``; empty if that is not known.
        kind: The kind.

    Example:
        >>> named_kind("apps/v1", "Deployment").plural
        'deployments'
    """
    group, _, version = api_version.rpartition("/")
    there = [one for one in kinds.gvks() if one.kind == kind]
    if version:
        there = [one for one in there if one.group == group]
    exact = GroupVersionKind(group, version, kind)
    found = kinds.find(exact if exact in there else there[0]) if there else None
    if found is None:
        return NamedKind(group, plural_of(kind) if kind else "", namespaced=True, known=False)
    mapping = mapping_of(found)
    return NamedKind(mapping.group, mapping.plural, mapping.namespaced, known=True)


def rights_of(
    verbs: Mapping[NamedKind, tuple[str, ...]],
    more: Iterable[PolicyRule] = (),
    *,
    what: str,
    namespaced: bool,
) -> Rights:
    """Return what it takes to use some kinds.

    Args:
        verbs: What is done with each kind.
        more: Rules beside those.
        what: What has these kinds, in a word.
        namespaced: Whether the operator has rights in its own namespace only.
    """
    own = [one for one in verbs if one.plural]
    rules = [PolicyRule((one.group,), (one.plural,), verbs[one]) for one in own]
    rules += more
    notes = [_guess_of(one) for one in own if not one.known]
    outside = {(one.group, one.plural) for one in own if not one.namespaced}
    if namespaced and outside:
        rules = [one for one in rules if not _is_of(one, outside)]
        names = ", ".join(sorted(plural for _, plural in outside))
        notes.append(
            f"the {what} has {names}, which are in no namespace, and the operator has rights in its"
            " own one only: `kubewright edit --no-namespaced` gives it a ClusterRole; then add"
            " rules for these"
        )
    return Rights(tuple(merged_rules(rules)), tuple(dict.fromkeys(notes)))


def _guess_of(kind: NamedKind) -> str:
    of = f" of {kind.group}" if kind.group else ""
    return (
        f"{kind.plural}{of} is a guess at the plural of a kind that Kubernetes does not have itself"
    )


def _is_of(rule: PolicyRule, resources: set[tuple[str, str]]) -> bool:
    pairs = {(group, plural) for group in rule.groups for plural in rule.resources}
    return bool(rule.urls) or bool(pairs & resources)
