"""The parent of a set: the object on the server that says what the set has.

Labels and annotations are those of the ApplySet specification (KEP-3659), so kubectl and other
tools see what belongs together.
"""

import base64
import hashlib
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from kubewright.api.kind import GroupKind, GroupVersionKind, ObjectKey
from kubewright.api.names import check_dns_label, check_dns_subdomain
from kubewright.applyset.member import Document, ObjectName
from kubewright.errors import ConfigError

__all__ = ["MADE_BY", "PART_OF", "Contents", "Parent", "which_set"]

PART_OF: Final = "applyset.kubernetes.io/part-of"
"""The label of each member, with the id of its set."""
MADE_BY: Final = "kubewright.dev/made-by-applyset"
"""The annotation of a namespace that was not there before, with the id of the set that made it."""
_ID: Final = "applyset.kubernetes.io/id"
_TOOLING: Final = "applyset.kubernetes.io/tooling"
_KINDS: Final = "applyset.kubernetes.io/contains-group-kinds"
_NAMESPACES: Final = "applyset.kubernetes.io/additional-namespaces"
_CONFIG_MAP: Final = GroupVersionKind("", "v1", "ConfigMap")


class Contents(msgspec.Struct, frozen=True):
    """Where members of a set may be: those that once were there, and are not any more, included.

    Attributes:
        kinds: Their kinds.
        namespaces: Their namespaces.
    """

    kinds: frozenset[GroupKind] = frozenset()
    namespaces: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: Iterable[ObjectName]) -> "Contents":
        """Return where the objects *names* are."""
        found = list(names)
        return cls(
            frozenset(one.gvk.group_kind for one in found),
            frozenset(one.key.namespace for one in found if one.key.namespace),
        )

    def __or__(self, other: "Contents") -> "Contents":
        return Contents(self.kinds | other.kinds, self.namespaces | other.namespaces)


class Parent(msgspec.Struct, frozen=True):
    """The identity of a set: a ConfigMap, which need not exist yet.

    Args:
        name: Its name.
        namespace: Its namespace.
        tooling: The tool that may change the set, and its version.

    Raises:
        ConfigError: A name is not one that Kubernetes takes.

    Example:
        >>> Parent("shop", "default").id
        'applyset-eJnHvE2GWb1x7cuOigFbmWy6kz3rLjS9N8VMrZGS2Os-v1'
    """

    name: str
    namespace: str
    tooling: str = "kubewright/v1"

    def __post_init__(self) -> None:
        try:
            check_dns_subdomain(self.name)
            check_dns_label(self.namespace)
        except ValueError as error:
            raise ConfigError(f"the set of objects has no name: {error}") from None

    @property
    def object(self) -> ObjectName:
        """The object that stands for the set."""
        return ObjectName(_CONFIG_MAP, ObjectKey(self.namespace, self.name))

    @property
    def id(self) -> str:
        """The value of the label of each member."""
        unencoded = f"{self.name}.{self.namespace}.ConfigMap."
        digest = hashlib.sha256(unencoded.encode()).digest()
        encoded = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        return f"applyset-{encoded}-v1"

    @property
    def tool(self) -> str:
        """The name of the tool, without its version."""
        return self.tooling.rpartition("/")[0] or self.tooling

    def document(self, contents: Contents) -> dict[str, Any]:
        """Return what to apply, so that the set has *contents*."""
        kinds = sorted(map(str, contents.kinds))
        namespaces = sorted(contents.namespaces - {self.namespace})
        return {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": self.name,
                "namespace": self.namespace,
                "labels": {_ID: self.id},
                "annotations": {
                    _TOOLING: self.tooling,
                    _KINDS: ",".join(kinds),
                    _NAMESPACES: ",".join(namespaces),
                },
            },
        }

    def contents(self, found: Document) -> Contents:
        """Return the contents that the object *found* tells.

        Raises:
            ConfigError: It is not our set: another tool made it, or it is something else.
        """
        metadata = found.get("metadata") or {}
        annotations = metadata.get("annotations") or {}
        tooling = annotations.get(_TOOLING)
        if tooling is None or (metadata.get("labels") or {}).get(_ID) != self.id:
            raise ConfigError(
                f"{self.object} is there, and is not the parent of a set: it lacks the label"
                f" {_ID} or the annotation {_TOOLING}. Delete it, or give the set another name"
            )
        owner = tooling.rpartition("/")[0] or tooling
        if owner != self.tool:
            raise ConfigError(
                f"the set {self.object} belongs to {owner}, and only {owner} may change it"
            )
        namespaces = frozenset(_split(annotations.get(_NAMESPACES)))
        kinds = frozenset(map(_kind, _split(annotations.get(_KINDS))))
        return Contents(kinds, namespaces | {self.namespace})


def which_set(id: str) -> str:  # noqa: A002  # the specification calls it so
    """Return how a person finds the set that an object belongs to."""
    return f"`kubectl get configmaps,secrets -A -l {_ID}={id}` shows which"


def _split(text: str | None) -> list[str]:
    return [one for one in (text or "").split(",") if one]


def _kind(text: str) -> GroupKind:
    kind, _, group = text.partition(".")
    return GroupKind(group, kind)
