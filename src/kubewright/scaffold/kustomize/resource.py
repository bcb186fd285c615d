"""`Resource`: an object on its way through the transformations, with the names that it has had."""

from collections.abc import Iterator
from typing import Any

from kubewright.scaffold.kustomize.identity import GroupVersionKind, Identity
from kubewright.scaffold.kustomize.node import (
    Mapping,
    Node,
    copied,
    is_empty,
    is_missing,
    node_of,
    plain,
    renewed,
    text_in,
    texts_in,
)
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.scalar import text
from kubewright.scaffold.kustomize.syntax import Document, documents

__all__ = ["Resource", "resources"]

_NEEDS_HASH = "internal.config.kubernetes.io/needsHashSuffix"
_INTERNAL = frozenset(
    {
        *(
            f"internal.config.kubernetes.io/{name}"
            for name in (
                "allowKindChange",
                "allowNameChange",
                "annotations-migration-resource-id",
                "generatorBehavior",
                "id",
                "index",
                "needsHashSuffix",
                "path",
                "prefixes",
                "previousKinds",
                "previousNames",
                "previousNamespaces",
                "refBy",
                "seqindent",
                "suffixes",
            )
        ),
        "config.kubernetes.io/index",
        "config.kubernetes.io/path",
        "config.k8s.io/id",
    }
)


class Resource:
    """One object.

    Attributes:
        node: The object; ``None`` once a patch has deleted it.
        place: The file and the line that it comes from.
        previous: Namespace, name and kind before each change of one of them, the oldest first.
        prefixes: What was put before the name, in that order.
        suffixes: What was put behind the name.
        behavior: For generated ones: ``create``, ``replace`` or ``merge``.
        needs_hash: Whether a hash of the contents ends the name.
        variables: The variables that are read from it.
    """

    def __init__(self, node: Mapping, *, place: str = "") -> None:
        self.node: Mapping | None = node
        self.place = place
        self.previous: list[tuple[str, str, str]] = []
        self.prefixes: list[str] = []
        self.suffixes: list[str] = []
        self.behavior: str = "create"
        annotations = texts_in(node, "metadata", "annotations")
        self.needs_hash: bool = annotations.get(_NEEDS_HASH) == "enabled"
        self.variables: list[str] = []

    @property
    def root(self) -> Mapping:
        """The object, which must not have been deleted."""
        assert self.node is not None
        return self.node

    @property
    def metadata(self) -> Mapping:
        """The metadata, made if there are none."""
        found = self.root.get("metadata")
        if not isinstance(found, dict):
            found = self.root["metadata"] = {}
        return found

    @property
    def kind(self) -> str:
        """The kind."""
        return text_in(self.node, "kind")

    @property
    def name(self) -> str:
        """The name as it is now."""
        return text_in(self.node, "metadata", "name")

    @property
    def namespace(self) -> str:
        """The namespace as it is now; empty if none is given."""
        return text_in(self.node, "metadata", "namespace")

    @property
    def labels(self) -> dict[str, str]:
        """The labels."""
        return texts_in(self.node, "metadata", "labels")

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations."""
        return texts_in(self.node, "metadata", "annotations")

    @property
    def gvk(self) -> GroupVersionKind:
        """Group, version and kind as they are now."""
        return GroupVersionKind.parse(text_in(self.node, "apiVersion"), self.kind)

    @property
    def identity(self) -> Identity:
        """What the object is now."""
        return Identity(self.gvk, self.name, self.namespace)

    @property
    def previous_identities(self) -> list[Identity]:
        """What the object has been, the oldest first."""
        group, version, _ = self.gvk
        return [
            Identity(GroupVersionKind(group, version, kind), name, namespace)
            for namespace, name, kind in self.previous
        ]

    @property
    def original_identity(self) -> Identity:
        """What the object was in its file."""
        return next(iter(self.previous_identities), self.identity)

    @property
    def identities(self) -> Iterator[Identity]:
        """All that it has been, and what it is."""
        yield from self.previous_identities
        yield self.identity

    def remember(self) -> None:
        """Note what the object is, before that changes: references may still say it."""
        identity = self.identity
        self.previous.append((identity.effective_namespace, identity.name, identity.gvk.kind))

    def rename(self, name: str) -> None:
        """Set the name."""
        self.metadata["name"] = renewed(self.metadata.get("name"), name)

    def move(self, namespace: str) -> None:
        """Set the namespace; none if it is empty."""
        if namespace:
            self.metadata["namespace"] = renewed(self.metadata.get("namespace"), namespace)
        else:
            self.metadata.pop("namespace", None)

    def set_texts(self, field: str, texts: dict[str, str]) -> None:
        """Set labels or annotations; each becomes a text, whatever it was."""
        if texts:
            self.metadata[field] = {name: text(texts[name]) for name in sorted(texts)}
        else:
            self.metadata.pop(field, None)

    def copy(self) -> "Resource":
        """Return a resource that changes for itself."""
        other = Resource(copied(self.root), place=self.place)
        for name, value in vars(self).items():
            if name != "node":
                setattr(other, name, value.copy() if isinstance(value, list) else value)
        return other

    def finished(self) -> dict[str, Any]:
        """Return the object as it is printed.

        Raises:
            ProblemError: JSON has no such value; the message names the field.
        """
        kept = {name: value for name, value in self.annotations.items() if name not in _INTERNAL}
        self.set_texts("annotations", kept)
        found: dict[str, Any] = plain(self.root)
        return found

    def __repr__(self) -> str:
        return f"Resource({self.identity})"


def resources(content: str, *, place: str) -> list[Resource]:
    """Return the objects in *content*; lists are taken apart.

    Raises:
        ProblemError: It is not YAML, or not the YAML of objects.
    """
    waiting = documents(content)
    if len(waiting) == 1 and text_in(waiting[0].node, "kind") in ("List", "ResourceList"):
        waiting = _items(waiting[0])
    found = []
    while waiting:
        document, *waiting = waiting
        if is_empty(document.node):
            continue
        node = _checked(document)
        if node_kind(node).endswith("List") and "items" in node:
            waiting += _items(document, again=True)
        else:
            found.append(Resource(node, place=f"{place}, line {document.line}"))
    return found


def node_kind(node: Node) -> str:
    """Return the kind of an object."""
    return text_in(node, "kind")


def _items(document: Document, *, again: bool = False) -> list[Document]:
    assert isinstance(document.node, dict)
    if "items" not in document.node:
        return [document]
    items = document.node["items"]
    if is_missing(items):
        return []
    if not isinstance(items, list):
        raise ProblemError(f"items of {node_kind(document.node)} is no list", line=document.line)
    nodes = [node_of(plain(item)) for item in items] if again else items
    return [Document(node, document.line) for node in nodes]


def _checked(document: Document) -> Mapping:
    node, line = document
    if not isinstance(node, dict):
        raise ProblemError("an object is a mapping, with apiVersion, kind and metadata", line=line)
    if not node_kind(node):
        raise ProblemError("kind is missing", line=line)
    if not node_kind(node).endswith("List") and not text_in(node, "metadata", "name"):
        raise ProblemError(f"metadata.name of the {node_kind(node)} is missing", line=line)
    return node
