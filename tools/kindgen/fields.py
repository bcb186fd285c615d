"""The fields of each class: their names, types and defaults."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.kindgen.document import Document, ref_of
from tools.kindgen.facts import (
    ABSENT_IN_GO,
    ALIASES,
    EXTENSIONS,
    HAND_WRITTEN,
    IMPORTS,
    NULL_IN_GO,
    OBJECT_META,
    SCALARS,
    ZEROS,
    Category,
    Schema,
)
from tools.kindgen.names import InputError, camel, module_of, short, snake

WIDTH = 100


@dataclass(frozen=True)
class Shape:
    """The Python type of a property: how it is written, and what it needs to be known."""

    annotation: str
    category: Category
    refs: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Field:
    """One field of a class, ready to be written."""

    name: str
    wire: str
    shape: Shape
    annotation: str
    default: str | None  # None: the field must be given
    enum: tuple[str, ...] = ()

    def line(self, *, quoted: bool) -> str:
        """Return the field as Python, on one line where it fits."""
        annotation = f'"{self.annotation}"' if quoted else self.annotation
        default = self._default()
        line = f"    {self.name}: {annotation}" + (f" = {default}" if default else "")
        if len(line) <= WIDTH or not default:
            return line
        head, call, arguments = line.partition("field(")
        if not call:
            return f"    {self.name}: (\n        {annotation}\n    ) = {default}"
        return f"{head}field(\n        {arguments.removesuffix(')')}\n    )"

    def _default(self) -> str | None:
        named = "" if camel(self.name) == self.wire else f'name="{self.wire}"'
        if self.default is None:
            return f"field({named})" if named else None
        if self.default.startswith("factory:"):
            factory = f"default_factory={self.default.removeprefix('factory:')}"
            return f"field({factory}, {named})" if named else f"field({factory})"
        return f"field(default={self.default}, {named})" if named else self.default


# By type and format. What has neither may be anything.
SIMPLE: dict[tuple[str | None, str | None], Shape] = {
    **{(told, None): Shape(name, "scalar") for told, name in SCALARS.items()},
    ("string", "byte"): Shape("bytes", "scalar"),
    ("string", "date-time"): Shape("datetime", "time", names=frozenset({"datetime"})),
    ("object", None): Shape("dict[str, Any]", "collection", names=frozenset({"Any"})),
    (None, None): Shape("Any", "any", names=frozenset({"Any"})),
}


class Fields:
    """Gives each definition of a document the fields of its class."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._statuses = document.status_parts()
        self._fields: dict[str, list[Field]] = {}

    def shape(self, schema: Schema) -> Shape:
        """Return the Python type of a property.

        Raises:
            InputError: The schema is of a sort that Kubernetes does not use.
        """
        if ref := ref_of(schema):
            return self._shape_of_ref(ref)
        found: Shape | None
        match schema.get("type"):
            case "array":
                item = self.shape(schema.get("items", {}))
                found = self._collection("list[{}]", item)
            case "object" if "additionalProperties" in schema:
                item = self.shape(schema["additionalProperties"])
                found = self._collection("dict[str, {}]", item)
            case simple:
                found = SIMPLE.get((simple, schema.get("format"))) or SIMPLE.get((simple, None))
        if found is None:
            raise InputError(f"cannot give a Python type to the schema {json.dumps(schema)[:200]}")
        return found

    def _collection(self, form: str, item: Shape) -> Shape:
        return Shape(form.format(item.annotation), "collection", item.refs, item.names)

    def _shape_of_ref(self, ref: str) -> Shape:
        self.document.schema(ref)
        if ref in ALIASES:
            text, category = ALIASES[ref]
            words = set(re.findall(r"\w+", text))
            refs = {EXTENSIONS + word for word in words if word == "JSONSchemaProps"}
            return Shape(text, category, frozenset(refs), frozenset(words & IMPORTS.keys()))
        if ref in HAND_WRITTEN:
            name = HAND_WRITTEN[ref]
            return Shape(name, "struct", names=frozenset({name}))
        return Shape(short(ref), "struct", frozenset({ref}))

    def of(self, name: str) -> list[Field]:
        """Return the fields of the class of a definition, without what its base class has."""
        if name not in self._fields:
            inherited = set()
            if self.document.is_resource(name):
                inherited = {"apiVersion", "kind", "metadata"}
            wires = [w for w in sorted(self.document.properties(name)) if w not in inherited]
            made = [self._field(name, wire) for wire in wires]
            _check_names(name, made)
            self._fields[name] = made
        return self._fields[name]

    def _field(self, name: str, wire: str) -> Field:
        schema = self.document.properties(name)[wire]
        shape = self.shape(schema)
        annotation, default = self._typed(name, wire, shape)
        enum = tuple(schema.get("enum", ()))
        python = snake(wire)
        if python == "key" and self.document.is_resource(name):
            python = "key_"  # `Resource.key` is the namespace and name of an object
        return Field(python, wire, shape, annotation, default, enum)

    def _typed(self, name: str, wire: str, shape: Shape) -> tuple[str, str | None]:
        """Return the annotation and the default of a field."""
        if (fixed := self._said_by_kind(name, wire)) is not None:
            return "str", f'"{fixed}"'
        optional = f"{shape.annotation} | None", "None"
        match shape.category:
            case "collection":
                return shape.annotation, "[]" if shape.annotation.startswith("list") else "{}"
            case "any":
                return "Any", "None"
            case "time":  # Go has no other word than `null` for a time that is not set
                return optional
            case "struct":
                return self._typed_struct(name, wire, shape) or optional
            case "scalar":
                return self._typed_scalar(name, wire, shape) or optional

    def _typed_scalar(self, name: str, wire: str, shape: Shape) -> tuple[str, str | None] | None:
        """Return how a required scalar is written; None if it may be None."""
        where = f"{module_of(name)}.{short(name)}.{wire}"
        if where in NULL_IN_GO or not self.document.required(name, wire):
            return None
        zero = ZEROS.get(shape.annotation)
        lenient = name in self._statuses or where in ABSENT_IN_GO or shape.annotation == "bytes"
        return shape.annotation, f"absent({zero})" if lenient and zero else None

    def _typed_struct(self, name: str, wire: str, shape: Shape) -> tuple[str, str | None] | None:
        """Return how a struct is written that is never None; None if it may be."""
        where = f"{module_of(name)}.{short(name)}.{wire}"
        never_none = self.document.required(name, wire) or self._always_there(name, wire)
        if where in NULL_IN_GO or not never_none:
            return None
        if all(self.buildable(ref) for ref in self._structs(shape)):
            return shape.annotation, f"factory:{shape.annotation}"
        # Nothing can be said of an object before it has a status, so this one may be missing.
        return None if name in self._statuses else (shape.annotation, None)

    def _said_by_kind(self, name: str, wire: str) -> str | None:
        """Return what ``apiVersion`` and ``kind`` always are in options and answers."""
        if wire not in {"apiVersion", "kind"} or self.document.is_resource(name):
            return None
        if not self.document.schema(name).get("x-kubernetes-group-version-kind"):
            return None
        return "v1" if wire == "apiVersion" else short(name)

    def _structs(self, shape: Shape) -> Iterator[str]:
        yield from shape.refs
        yield from (ref for ref, name in HAND_WRITTEN.items() if name in shape.names)

    def _always_there(self, name: str, wire: str) -> bool:
        """Say whether a part is never None: those of kinds, and those of templates of kinds."""
        if wire == "status":
            return self.document.is_resource(name)
        has_metadata = self.document.refers(name, "metadata", OBJECT_META)
        return has_metadata and wire in {"metadata", "spec"}

    def buildable(self, name: str) -> bool:
        """Say whether an object of a definition can be made of nothing."""
        if name in HAND_WRITTEN:
            return not self.document.schema(name).get("required")
        return all(made.default is not None for made in self.of(name))


def _check_names(name: str, fields: list[Field]) -> None:
    """Refuse two properties of one Python name, which would silently become one field."""
    seen: dict[str, str] = {}
    for made in fields:
        if made.name in seen:
            raise InputError(
                f"{name} has the properties {seen[made.name]!r} and {made.wire!r}, "
                f"which would both be called {made.name!r}: teach snake() to tell them apart"
            )
        seen[made.name] = made.wire
    uses_field = any("field(" in made.line(quoted=False).partition(" = ")[2] for made in fields)
    if "field" in seen and uses_field:
        raise InputError(f"{name} has a property 'field', which hides field(): add it to RESERVED")
