"""What an annotation says: the type inside, the markers around it, whether it takes ``None``."""

import types
import typing
from typing import Annotated, Any, get_args, get_origin

import msgspec

from kubewright.crd import constraints, markers
from kubewright.crd.markers import Marker
from kubewright.errors import SchemaError


class Annotation(msgspec.Struct, frozen=True):
    """An annotation taken apart; of markers that say the same thing, the outer one comes last."""

    inner: Any
    markers: tuple[Marker, ...] = ()
    takes_none: bool = False
    extra: str = ""
    """The Kubernetes type where Python has none: ``int-or-string``, ``quantity``."""

    def has(self, kind: type[Marker]) -> bool:
        """Tell whether there is a marker of *kind*."""
        return any(isinstance(marker, kind) for marker in self.markers)


def parse(annotation: Any, path: str = "") -> Annotation:
    """Take *annotation* apart, through aliases, ``Annotated``, ``NewType`` and ``| None``.

    Raises:
        SchemaError: A marker is written as a class, and needs arguments; *path* is where.
    """
    found: tuple[Marker, ...] = ()
    takes_none, extra = False, ""
    while True:
        annotation = _without_alias(annotation)
        if get_origin(annotation) is Annotated:
            annotation, *metadata = get_args(annotation)
            found = (*_markers_in(metadata, annotation, path), *found)
            extra = extra or _extra_in(metadata)
        elif _is_optional(annotation):
            takes_none = True
            rest = tuple(part for part in get_args(annotation) if part is not types.NoneType)
            annotation = typing.Union[rest]  # noqa: UP007  # of a tuple
        else:
            return Annotation(annotation, found, takes_none, extra)


def _without_alias(annotation: Any) -> Any:
    if isinstance(annotation, typing.NewType):
        return annotation.__supertype__
    if type(annotation).__name__ == "TypeAliasType":
        return annotation.__value__
    origin = get_origin(annotation)
    if type(origin).__name__ == "TypeAliasType":
        return typing.cast("Any", origin).__value__[get_args(annotation)]
    return annotation


def is_union(annotation: Any) -> bool:
    """Tell whether *annotation* is ``X | Y``."""
    return get_origin(annotation) in (typing.Union, types.UnionType)


def _is_optional(annotation: Any) -> bool:
    parts = get_args(annotation)
    return is_union(annotation) and types.NoneType in parts and len(parts) > 1


def _markers_in(metadata: list[Any], annotation: Any, path: str) -> tuple[Marker, ...]:
    found: list[Marker] = []
    for one in metadata:
        if isinstance(one, type) and issubclass(one, Marker):
            one = _made(one, path)  # noqa: PLW2901  # `Nullable` stands for `Nullable()`
        if isinstance(one, Marker):
            found.append(one)
        elif isinstance(one, msgspec.Meta):
            found += _markers_of_meta(one, annotation)
    return tuple(found)


def _made(marker: type[Marker], path: str) -> Marker:
    try:
        return marker()
    except TypeError:
        name = marker.__name__
        raise SchemaError(
            f"{path}: {name} is a class, and says nothing: write kw.{name}(...)"
        ) from None


def _markers_of_meta(meta: msgspec.Meta, annotation: Any) -> list[Marker]:
    """Return the markers that say what msgspec's own constraints say."""
    lengths = _length_markers(annotation)
    said: list[tuple[Any, typing.Callable[[Any], Marker]]] = [
        (meta.ge, constraints.Minimum),
        (meta.le, constraints.Maximum),
        (meta.gt, constraints.ExclusiveMinimum),
        (meta.lt, constraints.ExclusiveMaximum),
        (meta.multiple_of, constraints.MultipleOf),
        (meta.pattern, constraints.Pattern),
        (meta.min_length, lengths[0]),
        (meta.max_length, lengths[1]),
        (meta.title, markers.Title),
        (meta.description, markers.Description),
    ]
    return [marker(value) for value, marker in said if value is not None]


def _length_markers(annotation: Any) -> tuple[type[Marker], type[Marker]]:
    inner = parse(annotation).inner
    origin = get_origin(inner) or inner
    if origin is dict:
        return constraints.MinProperties, constraints.MaxProperties
    if origin in (list, tuple, set, frozenset):
        return constraints.MinItems, constraints.MaxItems
    return constraints.MinLength, constraints.MaxLength


def _extra_in(metadata: list[Any]) -> str:
    for one in metadata:
        if isinstance(one, msgspec.Meta) and one.extra and "kubernetes" in one.extra:
            return str(one.extra["kubernetes"])
    return ""


def spell(annotation: Any) -> str:
    """Return *annotation* as a person would write it."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return spell(parts[0])
    if is_union(annotation):
        return " | ".join(spell(part) for part in parts)
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(repr, parts))}]"
    if origin is not None and parts:
        inner = ", ".join("..." if part is Ellipsis else spell(part) for part in parts)
        return f"{spell(origin)}[{inner}]"
    if isinstance(annotation, type):
        return "None" if annotation is types.NoneType else annotation.__name__
    return str(annotation).removeprefix("typing.").removeprefix("~")
