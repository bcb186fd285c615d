"""The types of CEL, for the checker and for ``type(x)``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal[
    "bool",
    "int",
    "uint",
    "double",
    "string",
    "bytes",
    "null",
    "dyn",
    "error",
    "list",
    "map",
    "type",
    "timestamp",
    "duration",
    "opaque",
    "object",
    "param",
]


@dataclass(frozen=True, slots=True)
class Declared:
    """What a schema declares about a value beyond its type."""

    fields: Mapping[str, "Field"] = field(default_factory=dict)
    """The fields of an object, by their names in CEL."""
    list_type: str = ""
    list_map_keys: tuple[str, ...] = ()
    format: str = ""
    nullable: bool = False
    from_schema: bool = False
    """Whether values come from JSON, so that null needs a schema that allows it."""
    max_elements: int | None = None
    """The most characters, items or entries, for cost estimates."""
    min_size: int = 0
    """The fewest bytes of the value in JSON, for cost estimates."""


_PLAIN = Declared()

RESERVED: frozenset[str] = frozenset(
    {
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for"),
        *("function", "if", "import", "let", "loop", "package", "namespace", "return", "var"),
        *("void", "while"),
    }
)
"""The words that cannot be identifiers."""


@dataclass(frozen=True, slots=True)
class Type:
    """A type. Types are equal if the checker treats them alike; *declared* is ignored."""

    kind: Kind
    name: str
    params: tuple["Type", ...] = ()
    declared: Declared = field(default=_PLAIN, compare=False, repr=False)

    def __str__(self) -> str:
        shown = _SHOWN.get(self.kind)
        if shown is not None:
            return shown
        if not self.params:
            return self.name
        return f"{self.name}({', '.join(map(str, self.params))})"

    def is_wild(self) -> bool:
        """Return whether any type fits: ``dyn``, and the type after an error."""
        return self.kind in {"dyn", "error"}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an object type, and its name in JSON."""

    type: Type
    json_name: str


_SHOWN: Mapping[str, str] = {
    "duration": "duration",
    "timestamp": "timestamp",
    "null": "null",
    "error": "!error!",
}

BOOL = Type("bool", "bool")
INT = Type("int", "int")
UINT = Type("uint", "uint")
DOUBLE = Type("double", "double")
STRING = Type("string", "string")
BYTES = Type("bytes", "bytes")
NULL = Type("null", "null_type")
DYN = Type("dyn", "dyn")
ERROR = Type("error", "error")
TIMESTAMP = Type("timestamp", "google.protobuf.Timestamp")
DURATION = Type("duration", "google.protobuf.Duration")
TYPE = Type("type", "type")
LIST = Type("list", "list")
MAP = Type("map", "map")
OPTIONAL = Type("opaque", "optional_type")
"""A bare ``optional_type``, as ``type()`` returns it."""


def list_of(item: Type, declared: Declared = _PLAIN) -> Type:
    """Return the type of a list."""
    return Type("list", "list", (item,), declared)


def map_of(key: Type, value: Type, declared: Declared = _PLAIN) -> Type:
    """Return the type of a map."""
    return Type("map", "map", (key, value), declared)


def optional_of(value: Type) -> Type:
    """Return the type of an optional value."""
    return Type("opaque", "optional_type", (value,))


def type_of_type(of: Type) -> Type:
    """Return the type of a type."""
    return Type("type", "type", (of,))


def object_type(name: str, fields: Mapping[str, Type | Field]) -> Type:
    """Return the type of an object with known fields."""
    known = {key: f if isinstance(f, Field) else Field(f, key) for key, f in fields.items()}
    return Type("object", name, (), Declared(fields=known))


def growing_type(name: str, fields: Mapping[str, Field]) -> Type:
    """Return the type of an object whose *fields*, kept by reference, may still be added to."""
    return Type("object", name, (), Declared(fields=fields))


def find_field(owner: Type, name: str) -> Field | None:
    """Return a field of an object type, or ``None``; reserved words need not be escaped."""
    fields = owner.declared.fields
    return fields.get(name) or fields.get(f"__{name}__" if name in RESERVED else name)


def param(name: str) -> Type:
    """Return a type parameter of a signature."""
    return Type("param", name)


_NAMED: Mapping[str, Type] = {
    "bool": BOOL,
    "int": INT,
    "uint": UINT,
    "double": DOUBLE,
    "string": STRING,
    "bytes": BYTES,
    "null": NULL,
    "null_type": NULL,
    "dyn": DYN,
    "timestamp": TIMESTAMP,
    "duration": DURATION,
    "google.protobuf.Timestamp": TIMESTAMP,
    "google.protobuf.Duration": DURATION,
}

IDENTIFIERS: Mapping[str, Type] = {
    "bool": BOOL,
    "int": INT,
    "uint": UINT,
    "double": DOUBLE,
    "string": STRING,
    "bytes": BYTES,
    "null_type": NULL,
    "type": TYPE,
    "list": list_of(DYN),
    "map": map_of(DYN, DYN),
    "google.protobuf.Timestamp": TIMESTAMP,
    "google.protobuf.Duration": DURATION,
    "optional_type": optional_of(DYN),
    "net.IP": Type("opaque", "net.IP"),
    "net.CIDR": Type("opaque", "net.CIDR"),
}
"""The types that an expression can name."""


def parse_type(text: str) -> Type:
    """Read a type as signatures write it: ``map(K, list(string))``."""
    found, rest = _parsed(text)
    assert not rest, f"{rest!r} is left of {text!r}"
    return found


def parse_types(text: str) -> list[Type]:
    """Read a comma-separated list of types."""
    types: list[Type] = []
    while text:
        found, text = _parsed(text)
        types.append(found)
        text = text.removeprefix(",").lstrip()
    return types


def _parsed(text: str) -> tuple[Type, str]:
    end = next((i for i, char in enumerate(text) if char in "(),"), len(text))
    name, rest = text[:end], text[end:]
    if not rest.startswith("("):
        return _named(name), rest
    params: list[Type] = []
    while not rest.startswith(")"):
        found, rest = _parsed(rest[1:].lstrip())
        params.append(found)
    return _generic(name, params), rest[1:]


def _named(name: str) -> Type:
    if name in _NAMED:
        return _NAMED[name]
    if len(name) == 1:
        return param(name)
    return Type("object" if name.startswith("kubernetes.") else "opaque", name)


def _generic(name: str, params: list[Type]) -> Type:
    kinds: dict[str, Any] = {"list": "list", "map": "map", "type": "type"}
    return Type(kinds.get(name, "opaque"), name, tuple(params))
