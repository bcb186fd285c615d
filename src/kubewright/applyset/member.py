"""What is in a set: documents that are fit to be applied, and names of objects."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from kubewright.api.kind import GroupKind, GroupVersionKind, ObjectKey
from kubewright.errors import ConfigError

__all__ = ["Document", "Member", "ObjectName", "check_unique", "members_of"]

Document = Mapping[str, Any]

DEFINITION: tuple[str, str] = ("apiextensions.k8s.io", "CustomResourceDefinition")
NAMESPACE: tuple[str, str] = ("", "Namespace")


class ObjectName(msgspec.Struct, frozen=True, order=True, gc=False):
    """Which object: its kind, its namespace and its name.

    Example:
        >>> str(ObjectName(GroupVersionKind("apps", "v1", "Deployment"), ObjectKey("shop", "web")))
        'deployment.apps/web in shop'
    """

    gvk: GroupVersionKind
    key: ObjectKey

    def __str__(self) -> str:
        where = f" in {self.key.namespace}" if self.key.namespace else ""
        return f"{self.resource}/{self.key.name}{where}"

    @property
    def resource(self) -> str:
        """The kind as kubectl takes it, such as ``deployment.apps``."""
        return str(self.gvk.group_kind).lower()

    @property
    def is_definition(self) -> bool:
        """Whether it is a CustomResourceDefinition."""
        return (self.gvk.group, self.gvk.kind) == DEFINITION

    @property
    def is_namespace(self) -> bool:
        """Whether it is a Namespace."""
        return (self.gvk.group, self.gvk.kind) == NAMESPACE


class Member(msgspec.Struct, frozen=True):
    """An object that a set should have.

    Attributes:
        name: Which object.
        document: What is applied.
    """

    name: ObjectName
    document: Document

    @property
    def defines(self) -> tuple[tuple[GroupVersionKind, bool], ...]:
        """The kinds that it defines, if it is a CRD, and whether they are in namespaces."""
        if not self.name.is_definition:
            return ()
        spec = _part(self.document, "spec")
        kind, group = _part(spec, "names").get("kind", ""), spec.get("group", "")
        versions = [one.get("name", "") for one in spec.get("versions") or () if one.get("served")]
        namespaced = spec.get("scope") == "Namespaced"
        return tuple((GroupVersionKind(group, one, kind), namespaced) for one in versions)


def members_of(documents: Iterable[Document]) -> list[Member]:
    """Return *documents* as members of a set; a List is taken apart, and empty documents left out.

    Raises:
        ConfigError: One is not an object with a name, or an object is there twice.
    """
    found = [
        Member(_name_of(document, number), document)
        for number, document in enumerate(_flat(documents), 1)
    ]
    check_unique(found)
    return found


def check_unique(members: Iterable[Member]) -> None:
    """Check that no object is among *members* twice.

    Raises:
        ConfigError: One is.
    """
    found: set[tuple[GroupKind, ObjectKey]] = set()
    for member in members:
        # One object in two versions would be written twice, too.
        identity = (member.name.gvk.group_kind, member.name.key)
        if identity in found:
            raise ConfigError(
                f"{member.name} is there twice. Leave one out: the second would overwrite the first"
            )
        found.add(identity)


def _flat(documents: Iterable[Document | None]) -> Iterator[Document]:
    for document in documents:
        if not document:
            continue
        if _is_list(document):
            yield from _flat(document["items"])
        else:
            yield document


def _is_list(document: object) -> bool:
    return (
        isinstance(document, Mapping)
        and str(document.get("kind", "")).endswith("List")
        and isinstance(document.get("items"), list)
    )


def _name_of(document: object, number: int) -> ObjectName:
    if not isinstance(document, Mapping):
        raise ConfigError(f"document {number} is not a Kubernetes object, but {document!r:.60}")
    version, kind = document.get("apiVersion"), document.get("kind")
    if not _is_text(version) or not _is_text(kind):
        raise ConfigError(
            f"document {number} is not a Kubernetes object: it has no apiVersion/kind"
        )
    metadata = _part(document, "metadata")
    name, namespace = metadata.get("name"), metadata.get("namespace") or ""
    if not _is_text(name):
        raise ConfigError(
            f"document {number}, a {kind}, has no metadata.name. An object without a name of its"
            " own cannot be applied a second time"
        )
    if not isinstance(namespace, str):
        raise ConfigError(f"{kind} {name}: metadata.namespace is {namespace!r}, not a text")
    for text in (str(name), namespace):
        if text in {".", ".."} or "/" in text or "%" in text:
            raise ConfigError(f"{kind} {name}: {text!r} cannot be a name: it is a part of a URL")
    try:
        gvk = GroupVersionKind.of(str(version), str(kind))
    except ValueError as error:
        raise ConfigError(f"{kind} {name}: {error}") from None
    return ObjectName(gvk, ObjectKey(namespace, str(name)))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _part(document: Document, name: str) -> Document:
    found = document.get(name)
    return found if isinstance(found, Mapping) else {}
