"""`Resource`: a kind as a Python class, and what an object remembers of where it was read."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ClassVar, Literal, ParamSpec, Self, TypeVar

import msgspec

from kubewright import _json
from kubewright.api.definition import Column, Definition, Scale, plural_of
from kubewright.api.kind import GroupVersionKind, ObjectKey, RESTMapping
from kubewright.api.meta import ObjectMeta
from kubewright.api.model import Model, absent, field
from kubewright.errors import SchemeError

R = TypeVar("R", bound="Resource")
C = TypeVar("C", bound="type[Resource]")
P = ParamSpec("P")
T = TypeVar("T")

_RAW = "_raw"
_assign = msgspec.structs.force_setattr


class Resource(Model, dict=True, gc=True):
    """An API object: its apiVersion, kind and metadata, and the fields of your class.

    Subclass it and decorate the class with `resource`; ``apiVersion`` and ``kind`` are then filled
    in by themselves. An object that was read from a server remembers the bytes it came from, so
    that an update keeps fields which its class does not know.

    Example:
        >>> @resource(group="example.com", version="v1")
        ... class Shop(Resource):
        ...     size: int = 1
        >>> Shop(metadata=ObjectMeta(name="corner")).kind
        'Shop'
    """

    api_version: str = absent("")
    kind: str = absent("")
    metadata: ObjectMeta = field(default_factory=ObjectMeta)

    __definition__: ClassVar[Definition]
    __api_version__: ClassVar[str] = ""
    __kind__: ClassVar[str] = ""

    def __post_init__(self) -> None:
        # The items of a list that a server sends lack both; an object must always say what it is.
        # Past our own __setattr__, since this runs for each item of every list.
        if not self.kind:
            _assign(self, "kind", self.__kind__)
        if not self.api_version:
            _assign(self, "api_version", self.__api_version__)

    if not TYPE_CHECKING:  # a type checker would take every name for one that can be assigned

        def __setattr__(self, name: str, value: Any) -> None:
            # An object has a __dict__, to remember its bytes, and would take any name otherwise.
            if not hasattr(type(self), name) and not name.startswith("_"):
                raise AttributeError(_unknown_field(type(self), name))
            msgspec.Struct.__setattr__(self, name, value)

    @property
    def key(self) -> ObjectKey:
        """The namespace and name."""
        return ObjectKey(self.metadata.namespace, self.metadata.name)

    def __copy__(self) -> Self:
        return _rebuild(type(self), _fields_of(self), self.__dict__)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return _rebuild(type(self), deepcopy(_fields_of(self), memo), self.__dict__)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), _fields_of(self), self.__dict__)


def _unknown_field(kind: type[Resource], name: str) -> str:
    from difflib import get_close_matches

    wires = dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))
    near = get_close_matches(name, [*wires.values(), *wires], n=1)
    meant = wires.get(near[0], near[0]) if near else ""
    hint = f"did you mean {meant!r}?" if meant else f"it has {', '.join(kind.__struct_fields__)}"
    return f"{kind.__name__} has no field {name!r}: {hint}"


def _fields_of(resource: Resource) -> dict[str, Any]:
    return {name: getattr(resource, name) for name in resource.__struct_fields__}


def _rebuild(kind: type[R], fields: dict[str, Any], remembered: dict[str, Any]) -> R:
    rebuilt = kind(**fields)
    rebuilt.__dict__.update(remembered)
    return rebuilt


def _in_parentheses(function: Callable[P, T]) -> Callable[P, T]:
    """Explain what is missing after a bare ``@kw.resource``."""

    @wraps(function)
    def guarded(*misplaced: P.args, **options: P.kwargs) -> T:
        if misplaced:
            given = getattr(misplaced[0], "__name__", repr(misplaced[0]))
            raise SchemeError(
                f"{given} stands alone in kw.resource: write @kw.resource(group=..., version=...)"
            )
        return function(*misplaced, **options)

    return guarded


@_in_parentheses
def resource(  # noqa: PLR0913  # one keyword for each thing a CRD says of its names and versions
    *,
    group: str,
    version: str,
    kind: str = "",
    plural: str = "",
    singular: str = "",
    list_kind: str = "",
    scope: Literal["Namespaced", "Cluster"] = "Namespaced",
    short_names: Sequence[str] = (),
    categories: Sequence[str] = (),
    columns: Sequence[Column] = (),
    scale: Scale | None = None,
    status_subresource: bool | None = None,
    storage: bool = True,
    served: bool = True,
    deprecated: bool | str = False,
    selectable_fields: Sequence[str] = (),
    annotations: dict[str, str] | None = None,
    labels: dict[str, str] | None = None,
) -> Callable[[C], C]:
    """Declare what kind a `Resource` class is.

    Args:
        group: The API group, such as ``"example.com"``.
        version: The version, such as ``"v1alpha1"``.
        kind: The kind; the name of the class unless given.
        plural: The name in request paths; formed from the kind unless given.
        singular: The name that kubectl prints for one; the kind in lower case unless given.
        list_kind: The kind of a list; the kind with ``List`` unless given.
        scope: Whether objects live in namespaces.
        short_names: Abbreviations for kubectl, such as ``["po"]``.
        categories: Groups of kinds for kubectl, such as ``["all"]``.
        columns: What ``kubectl get`` prints besides the name. The age is printed only if there are
            none; among your own, ``Column("Age", ".metadata.creationTimestamp", type="date")``
            adds it.
        scale: Where the ``scale`` subresource finds its numbers.
        status_subresource: Whether the status is written apart from the rest; unless given, if
            there is a field for it.
        storage: Whether objects are stored in this version; true for exactly one of several.
        served: Whether the server answers in this version.
        deprecated: Whether the server warns of this version; a text is the warning.
        selectable_fields: JSON paths that field selectors may use.
        annotations: Annotations of the CRD itself.
        labels: Labels of the CRD itself.
    """

    def declare(cls: C) -> C:
        name = kind or cls.__name__
        return _declare(
            cls,
            Definition(
                mapping=RESTMapping(
                    group, version, name, plural or plural_of(name), namespaced=scope != "Cluster"
                ),
                singular=singular or name.lower(),
                list_kind=list_kind or f"{name}List",
                short_names=tuple(short_names),
                categories=tuple(categories),
                columns=tuple(columns),
                scale=scale,
                status_subresource=status_subresource,
                storage=storage,
                served=served,
                deprecated=bool(deprecated),
                deprecation_warning=deprecated if isinstance(deprecated, str) else None,
                selectable_fields=tuple(selectable_fields),
                annotations=annotations or {},
                labels=labels or {},
            ),
        )

    return declare


def builtin(
    group: str, version: str, kind: str, plural: str, *, namespaced: bool = True
) -> Callable[[C], C]:
    """Declare a built-in kind; used by the generated modules."""

    def declare(cls: C) -> C:
        mapping = RESTMapping(group, version, kind, plural, namespaced)
        return _declare(cls, Definition(mapping=mapping, builtin=True))

    return declare


def _declare(cls: C, definition: Definition) -> C:
    if not issubclass(cls, Resource):
        raise SchemeError(f"{cls.__name__} cannot be a resource: make it a subclass of kw.Resource")
    cls.__definition__ = definition
    cls.__kind__ = definition.mapping.kind
    cls.__api_version__ = definition.mapping.gvk.api_version
    return cls


def definition_of(kind: type[Resource]) -> Definition:
    """Return what *kind* was declared as.

    Raises:
        SchemeError: It is not a resource class, or was not decorated with `resource`.
    """
    try:
        return kind.__definition__
    except AttributeError:
        raise SchemeError(_undeclared(kind)) from None


def _undeclared(kind: Any) -> str:
    if not isinstance(kind, type):
        return f"{kind!r:.60} is not a class: give a subclass of kw.Resource"
    if issubclass(kind, Resource):
        advice = "decorate it with @kw.resource(group=..., version=...)"
        return f"{kind.__name__} has no group and version: {advice}"
    if issubclass(kind, Model):
        return f"{kind.__name__} is a Model, a part of an object: give a Resource"
    return f"{kind.__name__} is not a kind: make it a subclass of kw.Resource"


def has_status_subresource(kind: type[Resource]) -> bool:
    """Tell whether the status of *kind* is written apart from the rest of an object."""
    said = definition_of(kind).status_subresource
    return "status" in kind.__struct_fields__ if said is None else said


def mapping_of(kind: type[Resource]) -> RESTMapping:
    """Return where objects of *kind* live on a server."""
    return definition_of(kind).mapping


def gvk_of(kind: type[Resource]) -> GroupVersionKind:
    """Return the group, version and kind of *kind*."""
    return definition_of(kind).mapping.gvk


def read(raw: bytes, kind: type[R]) -> R:
    """Decode *raw* as a *kind* that remembers it.

    Raises:
        DecodeError: It does not fit the class; the message names the field.
    """
    found = _json.decode(raw, kind)
    found.__dict__[_RAW] = raw
    return found


def raw_of(resource: Resource) -> bytes | None:
    """Return the bytes that *resource* was read from, if it was read from a server."""
    raw: bytes | None = resource.__dict__.get(_RAW)
    return raw


def document(resource: Resource) -> dict[str, Any]:
    """Return *resource* as it is sent, in dicts and lists.

    ``spec`` and ``status`` are never ``None`` in Python; while they are empty they are not sent.
    """
    built: dict[str, Any] = _json.to_builtins(resource)
    if resource.__kind__ and "kind" not in built:  # a __post_init__ of its own, without super()
        built = {"apiVersion": resource.__api_version__, "kind": resource.__kind__, **built}
    left_out = _empty_by_default(type(resource))
    return {name: value for name, value in built.items() if value != {} or name not in left_out}


@cache
def _empty_by_default(kind: type[Resource]) -> frozenset[str]:
    """Return the fields whose default is an empty model, which need not be sent."""
    return frozenset(
        one.encode_name
        for one in msgspec.structs.fields(kind)
        if one.default_factory is not msgspec.NODEFAULT
        and _json.encode(one.default_factory()) == b"{}"
    )


def to_json(resource: Resource) -> bytes:
    """Return *resource* as it is sent."""
    data = _json.encode(resource)
    # A search in the bytes is cheap, and `{}` alone would be found in most objects: it is all over
    # their managed fields.
    for empty in _empty_members(type(resource)):
        if empty in data:
            return _json.encode(document(resource))
    return data


@cache
def _empty_members(kind: type[Resource]) -> tuple[bytes, ...]:
    return tuple(f'"{name}":{{}}'.encode() for name in sorted(_empty_by_default(kind)))
