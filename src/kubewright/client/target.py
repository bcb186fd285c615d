"""Resolves the arguments of a verb (a kind, an object or a name) to a place on the server."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import msgspec

from kubewright.api.field_selectors import FieldSelector
from kubewright.api.kind import (
    GroupVersionKind,
    GroupVersionResource,
    ObjectKey,
    RESTMapping,
)
from kubewright.api.kind_reference import Kind
from kubewright.api.meta import LabelSelector, ObjectMeta
from kubewright.api.requests import Place
from kubewright.api.resource import Resource, mapping_of, read
from kubewright.api.selectors import Selector, selector_from
from kubewright.api.unstructured import Unstructured

T = TypeVar("T")
R = TypeVar("R", bound=Resource)
O = TypeVar("O", bound="Object")  # noqa: E741  # an object, as it came in

Dynamic: TypeAlias = Kind | str | GroupVersionKind | RESTMapping
"""A kind without a class: a `Kind`, what kubectl calls it (``"deploy"``), a GVK or a mapping."""

Object: TypeAlias = Resource | Unstructured
Labels: TypeAlias = str | Mapping[str, str] | Selector | LabelSelector
Fields: TypeAlias = str | Mapping[str, str] | FieldSelector


class Mapper(Protocol):
    """Finds where kinds live on the server."""

    async def mapping(self, gvk: GroupVersionKind) -> RESTMapping:
        """Return where *gvk* lives.

        Raises:
            NoMatchError: The server has no such kind.
        """
        ...

    async def resource(self, resource: GroupVersionResource) -> RESTMapping:
        """Return where *resource* lives; without a version, in the one that the server prefers."""
        ...

    async def resolve(self, name: str) -> RESTMapping:
        """Return what *name* stands for: a plural, a kind, a short name, maybe with its group."""
        ...


class ServedKind(msgspec.Struct, Generic[T], frozen=True):
    """A kind as the server has it, and how to decode its objects."""

    mapping: RESTMapping
    decode: Callable[[bytes], T]

    def place(self, name: str, namespace: str, subresource: str = "") -> Place:
        """Return the place of an object, or of the collection for an empty name."""
        where = namespace if self.mapping.namespaced else ""
        return Place(self.mapping, where, name, subresource)


_typed: dict[type, ServedKind[Any]] = {}


def typed(kind: type[R]) -> ServedKind[R]:
    """Return the `ServedKind` of a class, without asking the server."""
    found = _typed.get(kind)
    if found is None:
        found = _typed[kind] = ServedKind(mapping_of(kind), partial(read, kind=kind))
    return found


async def resolve(kind: Any, mapper: Mapper) -> ServedKind[Any]:
    """Return the `ServedKind` for any way to name a kind.

    Raises:
        NoMatchError: The server has no such kind.
    """
    if isinstance(kind, type):
        return typed(kind)
    if isinstance(kind, Resource):
        return typed(type(kind))
    if isinstance(kind, Unstructured):
        kind = kind.gvk
    return dynamic(await _mapping(kind, mapper))


def located(kind: Kind, mapper: Mapper) -> Awaitable[RESTMapping]:
    """Return where *kind* lives.

    Raises:
        NoMatchError: The server does not have it.
    """
    if (gvr := kind.gvr) is not None:
        return mapper.resource(gvr)
    assert kind.gvk is not None
    return mapper.mapping(kind.gvk)


def _mapping(kind: Dynamic, mapper: Mapper) -> Awaitable[RESTMapping]:
    if isinstance(kind, Kind):
        return located(kind, mapper)
    if isinstance(kind, str):
        return mapper.resolve(kind)
    if isinstance(kind, GroupVersionKind):
        return mapper.mapping(kind)
    return _done(kind)


async def _done(mapping: RESTMapping) -> RESTMapping:
    return mapping


def dynamic(mapping: RESTMapping) -> ServedKind[Unstructured]:
    """Return the `ServedKind` of a kind without a class."""
    return ServedKind(mapping, partial(read_as, mapping=mapping))


def read_as(raw: bytes, mapping: RESTMapping) -> Unstructured:
    """Return the object in *raw*, which is of the kind that *mapping* names.

    The items of a list of built-in kinds lack ``apiVersion`` and ``kind``.
    """
    found = Unstructured.read(raw)
    found.setdefault("apiVersion", mapping.gvk.api_version)
    found.setdefault("kind", mapping.kind)
    return found


def checked(obj: O) -> O:
    """Return *obj*, which must be an object that can be written.

    Raises:
        TypeError: It is a dict, a class, or has metadata of the wrong kind.
    """
    if isinstance(obj, Unstructured):
        return obj
    if isinstance(obj, dict):
        raise TypeError("a dict does not say that it is an object: wrap it in kw.Unstructured(...)")
    if isinstance(obj, type):
        raise TypeError(f"{obj.__name__} is a class: give an object of it")
    if not isinstance(obj, Resource):
        raise TypeError(f"{type(obj).__name__} is not a kind: give a Resource or an Unstructured")
    if not isinstance(obj.metadata, ObjectMeta):
        raise TypeError(
            f"the metadata of this {type(obj).__name__} is a {type(obj.metadata).__name__}:"
            " write kw.ObjectMeta(name=...)"
        )
    return obj


def key_of(name: str | ObjectKey | Object, namespace: str | None) -> ObjectKey:
    """Return the key that a caller gave as a name, a ``namespace/name``, a key or an object."""
    if not isinstance(name, (str, ObjectKey, Resource, Unstructured)):
        raise TypeError(f"a name is a text, 'namespace/name' or an ObjectKey, not {name!r}")
    if isinstance(name, str):
        name = ObjectKey.parse(name) if "/" in name else ObjectKey("", name)
    elif not isinstance(name, ObjectKey):
        name = name.key
    if namespace and name.namespace and namespace != name.namespace:
        raise ValueError(f"{str(name)!r} is not in namespace {namespace!r}: give one or the other")
    return ObjectKey(name.namespace or namespace or "", name.name)


def labels_text(labels: Labels | None) -> str:
    """Return a label selector as the server reads it; ``None`` is no restriction.

    Raises:
        ValueError: It is not a label selector.
    """
    if labels is None:
        return ""
    if not isinstance(labels, (str, Mapping, Selector, LabelSelector)):
        raise TypeError(f"labels are a text, a dict or a selector, not {labels!r}")
    return str(selector_from(labels))


def fields_text(fields: Fields | None) -> str:
    """Return a field selector as the server reads it; ``None`` is no restriction.

    Raises:
        ValueError: It is not a field selector.
    """
    if fields is None:
        return ""
    if not isinstance(fields, (str, Mapping, FieldSelector)):
        raise TypeError(f"fields are a text, a dict or a FieldSelector, not {fields!r}")
    if isinstance(fields, str):
        return str(FieldSelector.parse(fields))
    return str(FieldSelector.of(fields) if isinstance(fields, Mapping) else fields)
