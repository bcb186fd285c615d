"""Markers: what ``Annotated[...]`` may add to the Python type of a field.

Each one is a validation marker of controller-gen, with the same name and the same effect. A marker
is a value without behaviour towards your code: it changes the schema that the server checks, and
nothing that happens when an object is read here. `kubewright.crd.constraints` holds those about
values, `kubewright.crd.cel` the CEL rules.
"""

from copy import deepcopy
from typing import Any, ClassVar, Literal, NoReturn

import msgspec

from kubewright import _json
from kubewright.api.patches import apply_merge_patch
from kubewright.crd.known import OBJECT_META
from kubewright.errors import SchemaError

JSONSchema = dict[str, Any]


class MarkedSchema(msgspec.Struct):
    """A schema that markers are being applied to.

    ``names`` maps the Python names of the model's fields (of an array, its items' fields) to those
    in JSON, so that markers may use either.
    """

    schema: JSONSchema
    path: str
    names: dict[str, str] = {}

    @property
    def type(self) -> str:
        """The schema's type, or an empty string."""
        return str(self.schema.get("type", ""))

    def refuse(self, marker: "Marker", why: str) -> NoReturn:
        """Raise the error for a *marker* that does not fit here."""
        raise SchemaError(f"{self.path}: cannot apply {marker!r}: {why}")

    def wire_name(self, name: str, marker: "Marker") -> str:
        """Return the JSON name of the field *name*."""
        if name in self.names:
            return self.names[name]
        if name in self.names.values():
            return name
        known = ", ".join(sorted(self.names)) or "none"
        return self.refuse(marker, f"there is no field {name!r}. The fields are: {known}")


class Marker:
    """The base of all markers: frozen values that compare by their content."""

    __slots__ = ()

    rank: ClassVar[int] = 1
    """Lower ranks are applied first, whatever their order in ``Annotated``."""

    def apply(self, target: MarkedSchema) -> None:
        """Change the schema of *target*."""
        raise NotImplementedError


class Single(Marker, msgspec.Struct, frozen=True):
    """A marker with fields of its own."""

    # Defaults and examples contain lists and dicts, but Python hashes the values in Annotated.
    def __hash__(self) -> int:
        return hash(repr(self))


class Several(Marker):
    """A marker that takes any number of values."""

    __slots__ = ("values",)
    values: tuple[Any, ...]

    def __init__(self, *values: Any) -> None:
        object.__setattr__(self, "values", values)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Several) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.values))})"


class PreserveUnknownFields(Single, frozen=True):
    """Fields that the schema does not name are kept, not pruned."""

    def apply(self, target: MarkedSchema) -> None:
        """Set ``x-kubernetes-preserve-unknown-fields``."""
        if target.type not in ("object", ""):
            target.refuse(self, f"it fits object, and this is {target.type}")
        target.schema["x-kubernetes-preserve-unknown-fields"] = True


class EmbeddedResource(Single, frozen=True):
    """The object is itself a resource: with ``apiVersion``, ``kind`` and ``metadata``."""

    rank = 2  # after PreserveUnknownFields

    def apply(self, target: MarkedSchema) -> None:
        """Set ``x-kubernetes-embedded-resource``."""
        if target.type != "object":
            target.refuse(self, f"it fits object, and this is {target.type or 'untyped'}")
        preserves = "x-kubernetes-preserve-unknown-fields" in target.schema
        if not preserves and not target.schema.get("properties"):
            target.refuse(self, "nothing of it would be kept: add kw.PreserveUnknownFields()")
        target.schema["x-kubernetes-embedded-resource"] = True
        # The server looks after the metadata of such an object, and refuses a CRD that does, too.
        if target.schema.get("properties", {}).get("metadata") == OBJECT_META:
            target.schema["properties"]["metadata"] = {"type": "object"}


class ListType(Single, frozen=True):
    """How writers share an array: ``"map"`` (see `ListMapKey`), ``"set"`` or ``"atomic"``."""

    value: Literal["map", "set", "atomic"]

    def apply(self, target: MarkedSchema) -> None:
        """Set ``x-kubernetes-list-type``."""
        if target.type != "array":
            target.refuse(self, f"it fits array, and this is {target.type or 'untyped'}")
        if self.value not in ("map", "set", "atomic"):
            target.refuse(self, "it takes 'map', 'set' or 'atomic'")
        items = target.schema.get("items", {})
        if self.value == "set" and not is_atomic(items):
            target.refuse(self, "only strings, numbers and other atomic items make a set")
        if self.value == "map" and items.get("type") != "object":
            target.refuse(self, "only an array of models can be a map")
        target.schema["x-kubernetes-list-type"] = self.value


def is_atomic(schema: JSONSchema) -> bool:
    """Tell whether a value of *schema* is always replaced as a whole."""
    kind = schema.get("type")
    if kind == "object":
        return bool(schema.get("x-kubernetes-map-type") == "atomic")
    if kind == "array":
        return bool(schema.get("x-kubernetes-list-type", "atomic") == "atomic")
    return True


class ListMapKey(Several):
    """The fields that tell the items of a ``ListType("map")`` apart, by either name."""

    __slots__ = ()
    rank = 2  # after ListType
    values: tuple[str, ...]

    def __init__(self, *values: str) -> None:
        super().__init__(*values)

    def apply(self, target: MarkedSchema) -> None:
        """Set ``x-kubernetes-list-map-keys``, which repeat as controller-gen's marker does."""
        if target.schema.get("x-kubernetes-list-type") != "map":
            target.refuse(self, "only a map has keys: add kw.ListType('map')")
        items = target.schema["items"]
        keys = target.schema.setdefault("x-kubernetes-list-map-keys", [])
        for name in self.values:
            wire = target.wire_name(name, self)
            if wire not in items.get("required", []) and "default" not in items["properties"][wire]:
                target.refuse(self, f"the key {name!r} must be required or have a default")
            keys.append(wire)


class _Sharing(Single, frozen=True):
    value: Literal["granular", "atomic"]

    def apply(self, target: MarkedSchema) -> None:
        if target.type != "object":
            target.refuse(self, f"it fits object, and this is {target.type or 'untyped'}")
        if self.value not in ("granular", "atomic"):
            target.refuse(self, "it takes 'granular' or 'atomic'")
        target.schema["x-kubernetes-map-type"] = self.value


class MapType(_Sharing, frozen=True):
    """How writers share a dict: ``"granular"`` (each key for itself) or ``"atomic"``."""


class StructType(_Sharing, frozen=True):
    """How writers share a model: ``"granular"`` (each field for itself) or ``"atomic"``."""


class Nullable(Single, frozen=True):
    """``null`` is a value of the field, which the server keeps."""

    def apply(self, target: MarkedSchema) -> None:
        """Set ``nullable``."""
        target.schema["nullable"] = True


class Title(Single, frozen=True):
    """A title for documentation."""

    value: str

    def apply(self, target: MarkedSchema) -> None:
        """Set ``title``."""
        target.schema["title"] = self.value


class Description(Single, frozen=True):
    """The description, where there is no place for a string under the field."""

    value: str

    def apply(self, target: MarkedSchema) -> None:
        """Set ``description``."""
        target.schema["description"] = self.value


class Example(Single, frozen=True):
    """An example for documentation, as JSON."""

    value: Any

    def apply(self, target: MarkedSchema) -> None:
        """Set ``example``."""
        target.schema["example"] = deepcopy(self.value)


class ExternalDocs(Single, frozen=True):
    """Where more is written."""

    url: str
    description: str | None = None

    def apply(self, target: MarkedSchema) -> None:
        """Set ``externalDocs``."""
        about = {"description": self.description} if self.description is not None else {}
        target.schema["externalDocs"] = {**about, "url": self.url}


class Items(Several):
    """Markers for the items of an array; ``list[Annotated[str, MaxLength(5)]]`` says the same."""

    __slots__ = ()
    values: tuple[Marker, ...]

    def __init__(self, *values: Marker) -> None:
        super().__init__(*values)

    def apply(self, target: MarkedSchema) -> None:
        """Apply the markers to ``items``."""
        if target.type != "array" or "items" not in target.schema:
            target.refuse(self, f"it fits array, and this is {target.type or 'untyped'}")
        apply_all(
            self.values, MarkedSchema(target.schema["items"], f"{target.path}[]", target.names)
        )


class Default(Single, frozen=True):
    """The default that the server fills in, as JSON, where it differs from Python's."""

    rank = 3
    value: Any

    def apply(self, target: MarkedSchema) -> None:
        """Set ``default``."""
        target.schema["default"] = deepcopy(self.value)


class Required(Single, frozen=True):
    """The field must be given, though Python has a default for it.

    That default is then not the server's, which would fill it in and require nothing; `Default`
    says one that is.
    """

    is_sent: ClassVar[bool] = True
    """Tells `Model` to send the field even if it is an empty collection."""

    def apply(self, target: MarkedSchema) -> None:
        """Do nothing: the model around the field reads it."""


class Optional(Single, frozen=True):
    """The field may be left out, though Python has no default for it."""

    def apply(self, target: MarkedSchema) -> None:
        """Do nothing: the model around the field reads it."""


class NoDefault(Single, frozen=True):
    """Python's default is not the server's: nothing is filled in where the field is left out."""

    def apply(self, target: MarkedSchema) -> None:
        """Do nothing: the model around the field reads it."""


class KubernetesVersion(Single, frozen=True):
    """The version of Kubernetes whose built-in types are used here, such as ``"1.34"``.

    For all of a CRD, `Options` says it.
    """

    value: str

    def apply(self, target: MarkedSchema) -> None:
        """Do nothing: the maker of the schema reads it."""


class Schemaless(Single, frozen=True):
    """Nothing is derived from the Python type; the other markers make the whole schema."""

    def apply(self, target: MarkedSchema) -> None:
        """Do nothing: no schema is made in the first place."""


class Schema(Single, frozen=True):
    """The schema itself, verbatim; it replaces everything else about the field."""

    value: JSONSchema

    def apply(self, target: MarkedSchema) -> None:
        """Replace everything."""
        target.schema.clear()
        target.schema.update(deepcopy(self.value))


class SchemaPatch(Single, frozen=True):
    """A JSON merge patch on the schema, for what no other marker says."""

    rank = 9
    value: JSONSchema

    def apply(self, target: MarkedSchema) -> None:
        """Lay the patch over the schema."""
        patched = apply_merge_patch(target.schema, self.value)
        target.schema.clear()
        target.schema.update(patched)


def apply_all(markers: tuple[Marker, ...], target: MarkedSchema) -> None:
    """Apply *markers* in the order that their ranks ask for."""
    for marker in sorted(markers, key=lambda one: one.rank):
        marker.apply(target)
    if (named := target.schema.get("enum")) is not None:
        _check_enum(named, target)


_PYTHON_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}


def _check_enum(values: list[Any], target: MarkedSchema) -> None:
    wanted = _PYTHON_TYPES.get(target.type)
    for value in values:
        if value is None and target.schema.get("nullable"):
            continue
        wrong = wanted and not isinstance(value, wanted)
        if wrong or (isinstance(value, bool) and target.type in ("integer", "number")):
            spelled = _json.encode(value).decode()
            raise SchemaError(f"{target.path}: the enum value {spelled} is not {target.type}")
