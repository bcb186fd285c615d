"""`Kind`: the name of a kind that has no class; its objects are `Unstructured`."""

import re
from typing import Any, Final, Generic, TypeAlias, TypeVar

from kubewright.api.definition import plural_of
from kubewright.api.kind import (
    GroupVersion,
    GroupVersionKind,
    GroupVersionResource,
    RESTMapping,
)
from kubewright.api.names import check_dns_label, check_dns_subdomain
from kubewright.api.resource import Resource, mapping_of
from kubewright.api.unstructured import Unstructured

__all__ = [
    "Kind",
    "KindLike",
    "KindOf",
    "gvk_in",
    "kind_of",
    "kind_text",
    "kind_title",
    "likely_mapping",
]

T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R", bound=Resource | Unstructured)

_VERSION: Final = re.compile(r"v[0-9]+((alpha|beta)[0-9]+)?")


class KindOf(Generic[T_co]):
    """What type checkers know of a `Kind`: of which class its objects are."""

    __slots__ = ()


class Kind(KindOf[Unstructured]):
    """A kind without a class, by its ``apiVersion`` and ``kind`` or by the name of its resource.

    It works wherever a class does: ``@operator.reconciler(Widget)``, ``owns=[Widget]``,
    ``client.get(Widget, "a")``. Objects are then `Unstructured`. The server's discovery
    says where the kind lives, and whether in namespaces, when that is needed, and again when the
    kind has disappeared and returned.

    Calling it makes an object of the kind.

    Args:
        api_version: The ``apiVersion``, such as ``"apps/v1"``; or, alone, the name of the resource:
            its plural and its group, ``"deployments.apps"``, maybe with the version between them,
            ``"deployments.v1.apps"``. Without one it is the version that the server prefers.
        kind: The kind, such as ``"Deployment"``.

    Raises:
        ValueError: It is neither.

    Example:
        >>> Widget = Kind("example.com/v1", "Widget")
        >>> Widget(metadata={"name": "a"}, spec={"size": 3}).api_version
        'example.com/v1'
        >>> Kind("deployments.apps").group
        'apps'
    """

    __slots__ = ("group", "kind", "plural", "version")

    group: str
    """The API group; empty for the core group."""
    version: str
    """The version; empty for the one that the server prefers."""
    kind: str
    """The kind; empty if the resource is named."""
    plural: str
    """The name of the resource; empty if the kind is named."""

    def __init__(self, api_version: str, kind: str = "") -> None:
        if kind:
            group, version = _parsed(api_version, kind)
            plural = ""
        else:
            plural, version, group = _resource(api_version)
        for name, value in zip(self.__slots__, (group, kind, plural, version), strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self!r} does not change: make another Kind")

    def __call__(self, **fields: Any) -> Unstructured:
        """Return a new object of this kind: ``Widget(metadata={...}, spec={...})``.

        Raises:
            ValueError: Only the resource is named, which does not say what its objects are.
        """
        if not (self.kind and self.version):
            raise ValueError(
                f"{self!r} does not say what its objects are called: to make one, name the kind as"
                " in kw.Kind('apps/v1', 'Deployment')"
            )
        gvk = GroupVersionKind(self.group, self.version, self.kind)
        return Unstructured({"apiVersion": gvk.api_version, "kind": self.kind, **fields})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind) and self._fields == other._fields

    def __hash__(self) -> int:
        return hash(self._fields)

    def __repr__(self) -> str:
        if self.kind:
            return f"Kind({str(GroupVersion(self.group, self.version))!r}, {self.kind!r})"
        return f"Kind({str(self)!r})"

    def __str__(self) -> str:
        parts = [self.kind] if self.kind else [self.plural, self.version]
        return ".".join(filter(None, [*parts, self.group]))

    def __reduce__(self) -> tuple[Any, ...]:
        if self.kind:
            return Kind, (str(GroupVersion(self.group, self.version)), self.kind)
        return Kind, (str(self),)

    @property
    def _fields(self) -> tuple[str, str, str, str]:
        return self.group, self.version, self.kind, self.plural

    @property
    def gvk(self) -> GroupVersionKind | None:
        """The group, version and kind; ``None`` if the resource is named."""
        return GroupVersionKind(self.group, self.version, self.kind) if self.kind else None

    @property
    def gvr(self) -> GroupVersionResource | None:
        """The resource, maybe without a version; ``None`` if the kind is named."""
        if not self.plural:
            return None
        return GroupVersionResource(self.group, self.version, self.plural)


KindLike: TypeAlias = type[R] | KindOf[R]
"""A class, or a `Kind`."""


def kind_of(obj: R) -> KindLike[R]:
    """Return the kind of *obj*: its class, or a `Kind` if it has none.

    Raises:
        ValueError: It does not say what it is.
    """
    if not isinstance(obj, Unstructured):
        return type(obj)
    found: Any = Kind(obj.api_version, obj.kind)
    return found  # type: ignore[no-any-return]  # of `Unstructured`, which R is then


def kind_text(kind: KindLike[Any]) -> str:
    """Return *kind* as a user would write it: the name of the class, or ``Kind(...)``."""
    return kind.__name__ if isinstance(kind, type) else repr(kind)


def kind_title(kind: KindLike[Any]) -> str:
    """Return what *kind* is called in a sentence or a name: ``Widget``, or its plural.

    Raises:
        SchemeError: It is not a kind.
    """
    return likely_mapping(kind).kind


def gvk_in(kind: KindLike[Any]) -> GroupVersionKind | None:
    """Return the group, version and kind of *kind*; ``None`` if only the server knows.

    Raises:
        SchemeError: It is not a kind.
    """
    return kind.gvk if isinstance(kind, Kind) else likely_mapping(kind).gvk


def likely_mapping(kind: KindLike[Any]) -> RESTMapping:
    """Return where *kind* lives; where it most likely does, if only the server knows.

    That is: the plural by the rule that Kubernetes follows, in namespaces. Of a resource that is
    named, the kind is not known, and is called by the plural.

    Raises:
        SchemeError: It is not a kind.
    """
    if not isinstance(kind, Kind):
        return mapping_of(kind)  # type: ignore[arg-type]  # raises if it is not a class
    plural = kind.plural or plural_of(kind.kind)
    return RESTMapping(kind.group, kind.version, kind.kind or plural, plural)


def _parsed(api_version: str, kind: str) -> tuple[str, str]:
    try:
        found = GroupVersion.parse(api_version)
        check_dns_label(kind.lower())
    except ValueError as error:
        raise ValueError(
            f"Kind({api_version!r}, {kind!r}) names no kind: {error}. Write"
            " kw.Kind('apps/v1', 'Deployment')"
        ) from None
    return found.group, found.version


def _resource(name: str) -> tuple[str, str, str]:
    """Return the plural, the version and the group in the name of a resource."""
    plural, dot, place = name.partition(".")
    version, _, group = place.partition(".")
    if not _VERSION.fullmatch(version):
        version, group = "", place
    try:
        check_dns_label(plural)
        if dot:
            check_dns_subdomain(place)
    except ValueError as error:
        raise ValueError(
            f"Kind({name!r}) names no resource: {error}. Write kw.Kind('deployments.apps'), or the"
            " kind with its apiVersion: kw.Kind('apps/v1', 'Deployment')"
        ) from None
    return plural, version, group
