"""Turns the JSON schema of a chart's values into a structural schema, as CRDs have them.

References within the file are replaced by what they refer to. What a structural schema cannot say
is left out, and a note says so: such a value is not checked by the API server, and still by helm.

Two things are read differently, since users say in a spec only what they want to be different from
``values.yaml``: a field that has a value there is not required, and the keys that are there are
allowed where the schema does not forbid them. Defaults are left out, too: those of the chart hold.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from kubewright.crd.patterns import problem_of
from kubewright.crd.values.inference import INT_OR_STRING, OPEN
from kubewright.crd.values.joining import joined, pointed_at
from kubewright.crd.values.junctor import Junctors

__all__ = ["Structural", "structural_schema"]

Schema = dict[str, Any]

_KEPT = (
    "description", "title", "enum", "minimum", "maximum", "multipleOf", "minLength", "maxLength",
    "minItems", "maxItems", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string",
)  # fmt: skip
_COUNTS = ("minProperties", "maxProperties")
_SILENT = {
    "$anchor", "$comment", "$defs", "$id", "$schema", "definitions", "default", "deprecated",
    "examples", "readOnly", "writeOnly",
}  # fmt: skip
_READ = {
    *_KEPT, *_COUNTS, *_SILENT, "$ref", "additionalProperties", "allOf", "anyOf", "const",
    "exclusiveMaximum", "exclusiveMinimum", "format", "items", "not", "oneOf", "pattern",
    "properties", "required", "type",
}  # fmt: skip
_OF_OBJECTS = ("properties", "additionalProperties", "patternProperties", "required")
_TYPES = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
_FORMATS = {
    "byte", "cidr", "creditcard", "date", "date-time", "datetime", "double", "duration", "email",
    "float", "hexcolor", "hostname", "int32", "int64", "ipv4", "ipv6", "isbn", "isbn10", "isbn13",
    "mac", "password", "rgbcolor", "ssn", "uri", "uuid", "uuid3", "uuid4", "uuid5",
}  # fmt: skip
_DEEPEST = 100


class Structural(NamedTuple):
    """A structural schema.

    Attributes:
        schema: The schema.
        notes: What it does not say, one line for each place.
    """

    schema: Schema
    notes: tuple[str, ...]


class _Place(NamedTuple):
    """Where a schema stands.

    Attributes:
        path: The path of the value, such as ``image.tag``.
        defaults: The value that the chart has there; ``None`` if it has none.
        inferred: The schema of that value.
        refs: The references that led here.
        depth: How deep it is.
    """

    path: str
    defaults: Any = None
    inferred: Mapping[str, Any] = {}
    refs: tuple[str, ...] = ()
    depth: int = 0

    def below(self, name: str, *, key: str = "") -> "_Place":
        """Return the place of a part of the value; *key* is its key, if it is in a mapping."""
        values = self.defaults if isinstance(self.defaults, dict) else {}
        inferred = self.inferred.get("properties") or {}
        path = f"{self.path}{name}" if name.startswith("[") or not self.path else ""
        return _Place(
            path or f"{self.path}.{name}",
            values.get(key) if key else None,
            inferred.get(key) or {} if key else {},
            self.refs,
            self.depth + 1,
        )


def structural_schema(
    document: Mapping[str, Any], defaults: Mapping[str, Any], inferred: Mapping[str, Any]
) -> Structural:
    """Return the structural schema of values that *document* describes.

    Args:
        document: The JSON schema, of any draft from 4 on.
        defaults: The values of the chart.
        inferred: The schema that was made from these.

    Example:
        >>> structural_schema({"properties": {"size": {"type": "integer"}}}, {}, {}).schema
        {'type': 'object', 'properties': {'size': {'type': 'integer'}}}
    """
    conversion = _Conversion(document)
    found = conversion.convert(document, _Place("", dict(defaults), inferred))
    if found.get("type") != "object":
        found = {"type": "object", **OPEN}
    return Structural(found, tuple(dict.fromkeys(conversion.notes)))


class _Conversion:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self.notes: list[str] = []

    def convert(self, schema: Any, place: _Place) -> Schema:
        """Return the structural schema of *schema*."""
        if schema is True:
            return dict(OPEN)
        resolved, place = self._resolve(schema, place)
        if resolved is None:
            return dict(OPEN)
        for word in sorted(set(resolved) - _READ):
            self._note(place, f"{word} is left out, which a CRD cannot say")
        if "const" in resolved:
            resolved = {**resolved, "enum": [resolved["const"]]}
        return self._of_type(resolved, place)

    def _note(self, place: _Place, text: str) -> None:
        self.notes.append(f"{place.path or 'the values'}: {text}")

    # --- References ---

    def _resolve(self, schema: Any, place: _Place) -> tuple[Schema | None, _Place]:
        """Return *schema* with its references and ``allOf`` replaced by what they say."""
        if not isinstance(schema, dict) or place.depth > _DEEPEST:
            self._note(place, "it is not a schema that a CRD can have, so everything is allowed")
            return None, place
        parts: list[Schema] = [{key: schema[key] for key in schema if key not in {"$ref", "allOf"}}]
        if isinstance(schema.get("$ref"), str):
            part, place = self._referred(schema["$ref"], place)
            if part is None:
                return None, place
            parts.append(part)
        several = schema.get("allOf")
        for one in several if isinstance(several, list) else ():
            part, _ = self._resolve(one, place) if one is not True else ({}, place)
            if part is None:
                return None, place
            parts.append(part)
        return joined(parts), place

    def _referred(self, reference: str, place: _Place) -> tuple[Schema | None, _Place]:
        if reference in place.refs:
            self._note(place, f"it refers to itself ({reference}), so everything is allowed")
            return None, place
        found = pointed_at(self._root, reference)
        if found is None:
            self._note(place, f"{reference} is not in this file, so everything is allowed")
            return None, place
        return self._resolve(found, place._replace(refs=(*place.refs, reference)))

    # --- Types ---

    def _of_type(self, schema: Schema, place: _Place) -> Schema:
        types, nullable = _types_of(schema)
        if schema.get("x-kubernetes-int-or-string"):
            return {**_kept(schema), **INT_OR_STRING}
        if not types:
            chosen = self._one_of_several(schema, place)
            if chosen is not None:
                return chosen
        if set(types) in ({"integer", "string"}, {"number", "string"}):
            found: Schema = {**_kept(schema, "description", "title", "enum"), **INT_OR_STRING}
        elif set(types) == {"integer", "number"} or len(types) == 1:
            only = types[0] if len(types) == 1 else "number"
            found = self._single(only, schema, place)
        else:
            if types:
                self._note(place, f"it may be {' or '.join(types)}, so everything is allowed")
            return {**_kept(schema, "description", "title"), **OPEN}
        if nullable:
            found["nullable"] = True
        return found

    def _one_of_several(self, schema: Schema, place: _Place) -> Schema | None:
        """Return a schema for ``anyOf`` and ``oneOf`` that choose a type; ``None`` for others."""
        for word in ("anyOf", "oneOf"):
            branches = schema.get(word)
            if not isinstance(branches, list) or not branches:
                continue
            found = [self._resolve(one, place)[0] for one in branches]
            said = [_types_of(one or {})[0] for one in found]
            real = [one for one in found if one is not None and one.get("type") != "null"]
            about = {key: schema[key] for key in ("description", "title") if key in schema}
            if len(real) == 1:
                only = self.convert({**real[0], **about}, place)
                return {**only, "nullable": True} if len(found) > 1 else only
            together = sorted({kind for types in said for kind in types})
            if together and all(types or one == {"type": "null"} for types, one in zip(
                said, found, strict=True
            )):  # fmt: skip
                rest = {key: value for key, value in schema.items() if key != word}
                if len(together) == 1:
                    rest[word] = branches
                nullable = ["null"] if len(real) < len(found) else []
                return self._of_type({**rest, "type": [*together, *nullable]}, place)
        return None

    def _single(self, kind: str, schema: Schema, place: _Place) -> Schema:
        found: Schema = {"type": kind, **_kept(schema)}
        if kind == "object":
            found |= self._object(schema, place)
        elif kind == "array":
            found["items"] = self._items(schema, place)
            if schema.get("uniqueItems"):
                self._note(place, "uniqueItems is left out, which takes API servers too long")
        elif kind == "string":
            found |= self._text(schema, place)
        found |= _bounds(schema)
        junctors = Junctors(found, place.defaults if kind == "object" else None, self._branch)
        for word in ("anyOf", "oneOf", "not"):
            if word in schema:
                said, problem = junctors.find(word, schema[word])
                found |= said
                if problem:
                    self._note(place, f"{word} is left out: {problem}")
        return found

    def _branch(self, schema: Any) -> Schema | None:
        return self._resolve(schema, _Place(""))[0]

    # --- Objects, lists and texts ---

    def _object(self, schema: Schema, place: _Place) -> Schema:
        found: Schema = {}
        own = schema.get("properties")
        more = schema.get("additionalProperties")
        if isinstance(own, dict) and own:
            inferred = place.inferred.get("properties") or {}
            found["properties"] = {
                str(name): _described(
                    self.convert(one, place.below(str(name), key=str(name))),
                    inferred.get(name) or {},
                )
                for name, one in own.items()
            }
            if more is not False:
                found["properties"] = {**inferred, **found["properties"]}
            if more is True or isinstance(more, dict):
                found |= OPEN
                if more not in (True, {}):
                    self._note(place, "additionalProperties beside properties are not checked")
        elif isinstance(more, dict):
            found["additionalProperties"] = self.convert(more, place.below("*"))
        elif more is not False:
            found |= OPEN
        if schema.get("patternProperties"):
            found |= {} if "additionalProperties" in found else OPEN
        return found | self._required(schema, place)

    def _required(self, schema: Schema, place: _Place) -> Schema:
        """Return what must be there and has no value in ``values.yaml``."""
        there = place.defaults if isinstance(place.defaults, dict) else {}
        wanted = schema.get("required")
        names = [one for one in wanted if one not in there] if isinstance(wanted, list) else []
        found: Schema = {"required": names} if names else {}
        if not there:
            found |= {key: schema[key] for key in _COUNTS if key in schema}
        return found

    def _items(self, schema: Schema, place: _Place) -> Schema:
        items = schema.get("items", True)
        if isinstance(items, list):
            self._note(place, "its items differ by their position, so they are not checked")
            return dict(OPEN)
        return self.convert(items, place.below("[]"))

    def _text(self, schema: Schema, place: _Place) -> Schema:
        found: Schema = {}
        pattern = schema.get("pattern")
        if isinstance(pattern, str):
            problem = problem_of(pattern)
            if problem:
                self._note(place, f"its pattern is left out: {problem}")
            else:
                found["pattern"] = pattern
        if schema.get("format") in _FORMATS:
            found["format"] = schema["format"]
        elif "format" in schema:
            self._note(place, f"the format {schema['format']!r} is left out, as no server knows it")
        return found


def _described(schema: Schema, inferred: Mapping[str, Any]) -> Schema:
    """Return *schema* with the comment in ``values.yaml`` if it has no description itself."""
    if "description" in schema or "description" not in inferred:
        return schema
    return {**schema, "description": inferred["description"]}


def _kept(schema: Schema, *words: str) -> Schema:
    return {key: schema[key] for key in words or _KEPT if key in schema}


def _types_of(schema: Schema) -> tuple[list[str], bool]:
    """Return the types that a value may have besides null, and whether it may be null."""
    said = schema.get("type")
    types = [said] if isinstance(said, str) else list(said or ())
    values = schema.get("enum")
    if not types and isinstance(values, list) and values:
        types = sorted({_TYPES.get(type(one), "null") for one in values})
    if not types and any(word in schema for word in _OF_OBJECTS):
        types = ["object"]
    if not types and "items" in schema:
        types = ["array"]
    return [one for one in types if one != "null"], "null" in types


def _bounds(schema: Schema) -> Schema:
    """Return exclusive bounds as CRDs have them: a flag beside the bound."""
    found: Schema = {}
    for word, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        said = schema.get(word)
        if isinstance(said, bool) and said and bound in schema:
            found[word] = True
        elif isinstance(said, int | float) and not isinstance(said, bool):
            found |= {bound: said, word: True}
    return found
