"""Finds kinds that are built into Kubernetes, and says which one was meant."""

from typing import NamedTuple

from kubewright import kinds
from kubewright.api.kind import GroupVersionKind
from kubewright.errors import ConfigError
from kubewright.scaffold.naming import suggestion_for

__all__ = ["Builtin", "find_builtin", "is_core"]


class Builtin(NamedTuple):
    """A kind that every cluster has.

    Attributes:
        group: The first part of its API group; ``core`` for the one without a name.
        domain: The rest of its API group.
        version: Its version.
        kind: The kind.
        module: The module that has its class.
    """

    group: str
    domain: str
    version: str
    kind: str
    module: str


def find_builtin(group: str, version: str, kind: str) -> Builtin | None:
    """Return the kind that *group*, *version* and *kind* name, if Kubernetes has it.

    Args:
        group: Its API group, whole or only the first part, or ``core``.
        version: Its version.
        kind: The kind.

    Raises:
        ConfigError: There is one that is called almost so, or in another version.
    """
    there = [gvk for gvk in kinds.gvks() if group in _names_of(gvk.group)]
    if not there:
        return None
    found = GroupVersionKind(there[0].group, version, kind)
    if found in there:
        cls = kinds.find(found)
        assert cls is not None  # it has just been listed
        head, _, rest = (found.group or "core").partition(".")
        return Builtin(head, rest, version, kind, _public(cls.__module__))
    _check_near(group, version, kind, there)
    return None


def is_core(version: str, kind: str) -> bool:
    """Tell whether Kubernetes has *kind* in the group without a name.

    Example:
        >>> is_core("v1", "Pod"), is_core("v1", "Deployment")
        (True, False)
    """
    return GroupVersionKind("", version, kind) in kinds.gvks()


def _check_near(group: str, version: str, kind: str, there: list[GroupVersionKind]) -> None:
    """Refuse what is only almost a kind of Kubernetes: it was mistyped."""
    versions = sorted({one.version for one in there if one.kind == kind})
    if versions:
        raise ConfigError(
            f"Kubernetes has no {kind} in version {version} of {group}. Say --version"
            f" {' or --version '.join(versions)}; for a kind of your own with that name, add"
            " --resource"
        )
    hint = suggestion_for(kind, sorted({one.kind for one in there}))
    if hint:
        raise ConfigError(
            f"Kubernetes has no kind {kind} in the group {group}.{hint} For a kind of your own"
            " with that name, add --resource"
        )


def _names_of(group: str) -> set[str]:
    return {group, group.partition(".")[0] or "core"}


def _public(module: str) -> str:
    """Return *module* without a private last part, such as that of the kinds about pods."""
    head, _, last = module.rpartition(".")
    return head if last.startswith("_") else module
