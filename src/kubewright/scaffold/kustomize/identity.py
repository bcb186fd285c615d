"""`Identity`: group, version, kind, namespace and name of an object, now or before."""

from typing import NamedTuple

from kubewright.scaffold.kustomize.scope import is_cluster_scoped

__all__ = ["NO_NAMESPACE", "GroupVersionKind", "Identity"]

NO_NAMESPACE: str = "_non_namespaceable_"
"""Stands for the namespace of what belongs to none."""
DEFAULT: str = "default"


class GroupVersionKind(NamedTuple):
    """A kind; in what selects, an empty part selects all."""

    group: str = ""
    version: str = ""
    kind: str = ""

    @classmethod
    def parse(cls, api_version: str, kind: str) -> "GroupVersionKind":
        """Return the kind that the two fields of an object name."""
        group, slash, version = api_version.partition("/")
        return cls(group if slash else "", version if slash else api_version, kind)

    @property
    def api_version(self) -> str:
        """Group and version, as objects have them."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def is_selected_by(self, selector: "GroupVersionKind") -> bool:
        """Return whether each part that *selector* gives is the same here."""
        return all(not wanted or wanted == own for own, wanted in zip(self, selector, strict=True))

    def __str__(self) -> str:
        return ".".join(filter(None, (self.kind, self.version, self.group)))


class Identity(NamedTuple):
    """What tells an object from all others."""

    gvk: GroupVersionKind
    name: str
    namespace: str

    @property
    def is_cluster_scoped(self) -> bool:
        """Whether the kind is known to belong to no namespace."""
        return is_cluster_scoped(*self.gvk)

    @property
    def effective_namespace(self) -> str:
        """The namespace, where an empty one means ``default``."""
        return NO_NAMESPACE if self.is_cluster_scoped else self.namespace or DEFAULT

    def equals(self, other: "Identity") -> bool:
        """Return whether both mean the same object."""
        return (
            self.name == other.name
            and self.gvk == other.gvk
            and self.effective_namespace == other.effective_namespace
        )

    def is_selected_by(self, selector: "Identity") -> bool:
        """Return whether each part that *selector* gives is the same here."""
        return (
            selector.name in ("", self.name)
            and selector.namespace in ("", self.namespace or DEFAULT)
            and self.gvk.is_selected_by(selector.gvk)
        )

    def __str__(self) -> str:
        place = f"in namespace {self.namespace}" if self.namespace else ""
        return " ".join(filter(None, (str(self.gvk), self.name, place))) or "object"
