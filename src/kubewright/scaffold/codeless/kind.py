"""Kinds that a chart or a role names, as rules of RBAC name them."""

from typing import NamedTuple

from kubewright import kinds
from kubewright.api.definition import plural_of
from kubewright.api.kind import GroupVersionKind
from kubewright.api.resource import mapping_of

__all__ = ["NamedKind", "guess_of", "named_kind"]


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


def guess_of(kind: NamedKind) -> str:
    """Return what users should know of a plural that is a guess."""
    return (
        f"{kind.plural} of {kind.group} is a guess at the plural of a kind that Kubernetes does not"
        " have itself"
    )
