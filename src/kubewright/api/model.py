"""`Model`: the base class of every typed object, and the rules for encoding it.

The rule for what is sent: ``None`` and empty collections are not, unless the server requires the
collection; everything else is. msgspec's
``omit_defaults`` alone would also swallow ``phase: str = "PENDING"``, which the server must see;
so a default with a meaning is turned into a default factory, which msgspec always writes.
"""

import sys
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any, ClassVar, TypeVar, dataclass_transform, get_origin, overload

import msgspec

from kubewright.errors import SchemaError

T = TypeVar("T")

_COLLECTIONS = (list, dict, set, tuple, frozenset)
_FIELD = type(msgspec.field())


class Absent:
    """Marks a default that means "not set": Go's ``omitempty`` on a plain string or number."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value: object = value


def absent(value: T) -> T:
    """Declare *value* as the default that is not sent, such as an empty name.

    For our own hand-written types; user types say ``X | None = None``.
    """
    return Absent(value)  # type: ignore[return-value]  # ModelMeta unwraps it


@overload
def field(*, default: T, name: str | None = None) -> T: ...
@overload
def field(*, default_factory: Callable[[], T], name: str | None = None) -> T: ...
@overload
def field(*, name: str | None = None) -> Any: ...
def field(
    *,
    default: Any = msgspec.NODEFAULT,
    default_factory: Any = msgspec.NODEFAULT,
    name: str | None = None,
) -> Any:
    """Describe a field: its default, or the name it has in JSON where that is irregular.

    Example:
        >>> class Address(Model):
        ...     cluster_ip: str | None = field(default=None, name="clusterIP")
    """
    if isinstance(default, Absent):
        return msgspec.field(default=default.value, name=name)
    if _is_meaningful(default):
        return msgspec.field(default_factory=_always(default), name=name)
    if default_factory is not msgspec.NODEFAULT:
        return msgspec.field(default_factory=default_factory, name=name)
    return msgspec.field(default=default, name=name)


def _is_meaningful(default: object) -> bool:
    if default is None or default is msgspec.NODEFAULT or default is msgspec.UNSET:
        return False
    return not isinstance(default, _COLLECTIONS) or bool(default)


def _always(value: Any) -> Callable[[], Any]:
    # A default that can be changed is copied, so that two objects never share it.
    if isinstance(value, (list, dict, set, msgspec.Struct)):
        return partial(deepcopy, value)
    return lambda: value


def _annotated(namespace: dict[str, Any]) -> dict[str, Any]:
    """Return the annotations of a class that is being made."""
    if sys.version_info >= (3, 14):
        import annotationlib

        if (annotate := annotationlib.get_annotate_from_class_namespace(namespace)) is None:
            return {}
        return annotationlib.call_annotate_function(annotate, annotationlib.Format.FORWARDREF)
    else:  # noqa: RET505  # mypy reads only the branch of its own version
        found: dict[str, Any] = namespace.get("__annotations__", {})
        return found


def _is_class_variable(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.removeprefix("typing.").removeprefix("t.").startswith("ClassVar")
    return annotation is ClassVar or get_origin(annotation) is ClassVar


def _is_required(annotation: Any) -> bool:
    """Tell whether a marker, `Required`, has the field sent whatever is in it."""
    if isinstance(annotation, str):
        return "Required()" in annotation
    return any(getattr(mark, "is_sent", False) for mark in getattr(annotation, "__metadata__", ()))


def _sent_if_empty(default: Any) -> Any:
    """Return the field for an empty collection, which msgspec would leave out."""
    declared = default if isinstance(default, _FIELD) else msgspec.field(default=default)
    empty = declared.default
    if declared.default_factory in _COLLECTIONS:
        empty = declared.default_factory()
    if not isinstance(empty, _COLLECTIONS) or empty:
        return default
    return msgspec.field(default_factory=_always(empty), name=declared.name)


def _refuse_bare_fields(name: str, namespace: dict[str, Any], annotations: dict[str, Any]) -> None:
    """Refuse ``replicas = 3``, which Python takes for a class attribute, not for a field."""
    for attribute, value in namespace.items():
        if attribute in annotations or attribute.startswith("_") or not _is_data(value):
            continue
        kind = "..." if value is None or isinstance(value, _FIELD) else type(value).__name__
        raise SchemaError(
            f"{name}.{attribute} has no annotation, so it would not be a field: write"
            f" `{attribute}: {kind} = ...`, or `{attribute}: ClassVar[{kind}] = ...` if it is"
            f" no field"
        )


def _is_data(value: object) -> bool:
    """Tell whether *value* stands for itself, unlike functions, properties and nested classes."""
    if value is None or isinstance(value, (_FIELD, Absent)):
        return True
    return not isinstance(value, type) and not callable(value) and not hasattr(value, "__get__")


class ModelMeta(msgspec.StructMeta):
    """Makes defaults with a meaning part of what is sent."""

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any
    ) -> Any:
        """Create the class, with `field` around each default that needs it."""
        annotations = _annotated(namespace)
        _refuse_bare_fields(name, namespace, annotations)
        for attribute, annotation in annotations.items():
            default = namespace.get(attribute, msgspec.NODEFAULT)
            plain = _is_meaningful(default) and not isinstance(default, _FIELD)
            if plain and not _is_class_variable(annotation):
                namespace[attribute] = field(default=default)
            elif attribute in namespace and _is_required(annotation):
                namespace[attribute] = _sent_if_empty(default)
        options.setdefault("kw_only", True)  # msgspec does not inherit this one
        return super().__new__(cls, name, bases, namespace, **options)


# On the class, not on its metaclass: type checkers ask the bases first, and `msgspec.Struct` would
# tell them that fields are positional and that `field` is not a field.
@dataclass_transform(kw_only_default=True, field_specifiers=(field, msgspec.field))
class Model(
    msgspec.Struct,
    metaclass=ModelMeta,
    kw_only=True,
    omit_defaults=True,
    rename="camel",
    repr_omit_defaults=True,
    gc=False,
):
    """A typed object: snake_case here, camelCase in JSON, fields given by keyword.

    Collections default to empty and are never ``None``; optional fields are ``X | None = None``.
    ``None`` and empty collections are not sent; every other value is, defaults included. A
    collection that the server requires, with `kubewright.Required`, is sent when empty, too.

    Example:
        >>> class ShopSpec(Model):
        ...     max_size: int = 3
        ...     tags: list[str] = []
        >>> ShopSpec().max_size
        3
    """

    # Not tracked by the cyclic garbage collector, which would walk every object of a large cache
    # over and over. Models form trees, so there are no cycles to collect.
