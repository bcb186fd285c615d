"""The kinds that every Kubernetes server has, as classes: ``kubewright.kinds.<group>.<version>``.

The module of a kind is named after the first word of its group, with ``core`` for the group that
has no name: ``kubewright.kinds.apps.v1.Deployment``, ``kubewright.kinds.rbac.v1.Role``. Parts that
all groups share, such as ``LabelSelector`` and ``Status``, are in ``kubewright.kinds.meta.v1``.
Modules are imported one by one, when they are asked for.
"""

from importlib import import_module

from kubewright.api.kind import GroupVersionKind
from kubewright.api.resource import Resource
from kubewright.kinds._table import KINDS, MODULES

__all__ = ["find", "gvks", "modules"]


def find(gvk: GroupVersionKind) -> type[Resource] | None:
    """Return the class of a built-in kind, or None; imports only the module that has it.

    Example:
        >>> find(GroupVersionKind("apps", "v1", "Deployment"))
        <class 'kubewright.kinds.apps.v1.Deployment'>
        >>> find(GroupVersionKind("example.com", "v1", "Shop")) is None
        True
    """
    module, kinds = KINDS.get((gvk.group, gvk.version), ("", set()))
    if gvk.kind not in kinds:
        return None
    found: type[Resource] = getattr(import_module(module), gvk.kind)
    return found


def gvks() -> list[GroupVersionKind]:
    """Return every built-in kind that has a class, without importing any of them."""
    return [
        GroupVersionKind(group, version, kind)
        for (group, version), (_, kinds) in KINDS.items()
        for kind in sorted(kinds)
    ]


def modules() -> tuple[str, ...]:
    """Return the names of all modules of built-in kinds, without importing any of them."""
    return MODULES
