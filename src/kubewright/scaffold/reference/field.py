"""Fields as a reader sees them: a type, what must hold, and the fields inside."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from kubewright.crd.identifiers import Names
from kubewright.crd.known import find_name
from kubewright.crd.recognition import find_builtin
from kubewright.scaffold.reference.words import constraints_of, rules_of, type_words

Schema = dict[str, Any]

_DOCS = "https://kubernetes.io/docs/reference/generated/kubernetes-api"
_LEAST_FIELDS = 8
_LONGEST_DEFAULT = 200


class Field(msgspec.Struct, frozen=True):
    """A field of a kind.

    Attributes:
        name: Its name.
        path: Its place in an object, up to what is in it: ``.spec.ports[]`` for a list.
        anchor: What a link says after the sign ``#``.
        type: Its type in words.
        required: Whether an object must have it.
        default: The default as JSON; ``None`` if there is none.
        description: What the CRD says about it: foreign text.
        constraints: What its value must be, in words.
        rules: What CEL rules say, as people or as the server reads them.
        link: The page about its type, if Kubernetes has one.
        fields: The fields inside.
    """

    name: str
    path: str
    anchor: str
    type: str
    required: bool = False
    default: str | None = None
    description: str = ""
    constraints: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    link: str = ""
    fields: tuple["Field", ...] = ()

    def walk(self) -> Iterator["Field"]:
        """Yield the field and all inside it."""
        yield self
        for one in self.fields:
            yield from one.walk()


def fields_of(schema: Schema, prefix: str, anchors: Names) -> tuple[Field, ...]:
    """Return the fields of a kind, without those that all kinds have.

    Args:
        schema: The schema of the kind.
        prefix: What all anchors begin with.
        anchors: Gives out anchors, each once.
    """
    ours = {"apiVersion", "kind", "metadata"}
    named = {
        name: one for name, one in (schema.get("properties") or {}).items() if name not in ours
    }
    maker = _Maker(prefix, anchors)
    return maker.fields({**schema, "properties": named}, "")


def anchor_of(*parts: str) -> str:
    """Return an anchor made of *parts*.

    Example:
        >>> anchor_of("Shop", "v1", ".spec.ports[].name")
        'shop-v1-spec-ports-name'
    """
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-")


class _Maker:
    def __init__(self, prefix: str, anchors: Names) -> None:
        self._prefix = prefix
        self._anchors = anchors

    def fields(self, schema: Schema, path: str) -> tuple[Field, ...]:
        """Return the fields of an object: the required ones first, as people write them."""
        required = set(schema.get("required") or ())
        properties = schema.get("properties") or {}
        names = sorted(properties, key=lambda name: (name not in required, name))
        return tuple(
            self._field(name, properties[name], f"{path}.{name}", is_required=name in required)
            for name in names
        )

    def _field(self, name: str, schema: Schema, path: str, *, is_required: bool) -> Field:
        anchor = self._anchors.take(anchor_of(self._prefix, path))
        inner, suffix = _innermost(schema)
        words, link = type_words(schema), ""
        inside: tuple[Field, ...] = ()
        if (known := _builtin(inner, name)) is not None:
            words = words.replace("object", known[0])
            link = known[1]
        else:
            inside = self.fields(inner, path + suffix)
        default = schema.get("default")
        return Field(
            name,
            path + suffix,
            anchor,
            words,
            is_required,
            None if default is None else _shortened(msgspec.json.encode(default).decode()),
            str(schema.get("description") or inner.get("description") or "").strip(),
            tuple(_constraints(schema)),
            tuple(_rules(schema)),
            link,
            inside,
        )


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_DEFAULT else f"{text[: _LONGEST_DEFAULT - 1]}…"


def _innermost(schema: Schema) -> tuple[Schema, str]:
    """Return the schema inside lists and maps, and what a path says for them."""
    suffix = ""
    while True:
        if isinstance(schema.get("items"), dict):
            schema, suffix = schema["items"], f"{suffix}[]"
        elif isinstance(schema.get("additionalProperties"), dict):
            schema, suffix = schema["additionalProperties"], f"{suffix}.*"
        else:
            return schema, suffix


def _constraints(schema: Schema) -> Iterator[str]:
    yield from constraints_of(schema)
    word = "each item"
    while inner := _next(schema):
        word = "each item" if "items" in schema else "each value"
        schema = inner
        yield from (f"{word}: {text}" for text in constraints_of(schema))


def _rules(schema: Schema) -> Iterator[str]:
    yield from rules_of(schema)
    while inner := _next(schema):
        schema = inner
        yield from rules_of(schema)


def _next(schema: Schema) -> Schema | None:
    for key in ("items", "additionalProperties"):
        if isinstance(found := schema.get(key), dict):
            return found
    return None


def _builtin(schema: Schema, name: str) -> tuple[str, str] | None:
    """Return the name of a large type of Kubernetes' own, and the page about it."""
    if not isinstance(schema.get("properties"), dict):
        return None
    if find_name(schema) == "kw.LabelSelector":
        return "LabelSelector", f"{_DOCS}/v1.34/#labelselector-v1-meta"
    found = find_builtin(schema, name)
    if found is None or _weight(schema) < _LEAST_FIELDS:
        return None
    module, _, kind = found.label.rpartition(".")
    group, _, version = module.partition(".")
    return kind, f"{_DOCS}/v{found.version}/#{kind.lower()}-{version}-{group}"


def _weight(schema: Schema) -> int:
    """Return how many fields there are in *schema*, at any depth."""
    inner = _innermost(schema)[0].get("properties") or {}
    return len(inner) + sum(map(_weight, inner.values()))
