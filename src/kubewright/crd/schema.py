"""Structural schemas: from Python types to what the API server validates, prunes and fills in."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, get_args, get_origin

import msgspec

from kubewright import _json
from kubewright.api.meta import ObjectMeta
from kubewright.api.model import Model
from kubewright.api.resource import Resource
from kubewright.crd import markers
from kubewright.crd.annotations import Annotation, parse, spell
from kubewright.crd.cel import Immutable, immutable_once_set, markers_of
from kubewright.crd.defaults import NOTHING, check_conformity, check_default, default_of
from kubewright.crd.descriptions import field_descriptions
from kubewright.crd.embedding import builtin_base, builtin_schema, checked_version, label_of
from kubewright.crd.finishing import DEFAULTS, Options, finished
from kubewright.crd.known import KNOWN, PRESERVE
from kubewright.crd.markers import JSONSchema, MarkedSchema, Marker, apply_all
from kubewright.crd.refusals import refuse
from kubewright.crd.scalars import described, find_scalar
from kubewright.errors import SchemaError

_COLLECTIONS = (list, dict, set, frozenset, tuple)

API_VERSION: JSONSchema = {
    "description": "The API group and version that the fields of this object follow.",
    "type": "string",
}
KIND: JSONSchema = {
    "description": "The kind of this object, in CamelCase. It cannot be changed.",
    "type": "string",
}

_COMMON: dict[str, JSONSchema] = {
    "apiVersion": API_VERSION,
    "kind": KIND,
    "metadata": {"type": "object"},
}


def schema_of(kind: Any, *, options: Options = DEFAULTS) -> JSONSchema:
    """Return the structural schema of *kind*, a model or any annotation.

    Raises:
        SchemaError: Something in it has no structural schema; the message names the field.
    """
    return finished(Builder(options).schema(kind, spell(kind)), options)


def resource_schema(kind: type[Resource], *, options: Options = DEFAULTS) -> JSONSchema:
    """Return the schema of a whole object of *kind*, as a CRD has it.

    Raises:
        SchemaError: Something in it has no structural schema; the message names the field.
    """
    return finished(Builder(options).resource(kind), options)


class Builder:
    """Builds one schema, and tracks the models around the current field."""

    def __init__(self, options: Options, known: Mapping[Any, bytes] | None = None) -> None:
        self._options = options
        self._known = known or {}  # as JSON, since decoding is the fastest way to copy
        self._inside: list[Any] = []
        self._version = options.kubernetes

    def resource(self, kind: type[Resource]) -> JSONSchema:
        """Return the schema of a whole object."""
        return self.schema(kind, kind.__name__, root=True)

    def schema(self, annotation: Any, path: str, *, root: bool = False) -> JSONSchema:
        """Return the schema of *annotation* with its markers applied."""
        parsed = parse(annotation, path)
        if raw := [one for one in parsed.markers if isinstance(one, markers.Schema)]:
            return deepcopy(raw[-1].value)
        around, self._version = self._version, _version_in(parsed) or self._version
        schema = {} if parsed.has(markers.Schemaless) else self._plain(parsed, path, root=root)
        self._version = around
        apply_all(parsed.markers, MarkedSchema(schema, path, _names_of(parsed.inner)))
        if parsed.has(markers.Schemaless) and not _is_structural(schema):
            raise SchemaError(
                f"{path}: kw.Schemaless() leaves it without a type: add kw.Type(...) or"
                f" kw.PreserveUnknownFields()"
            )
        return schema

    def _plain(self, parsed: Annotation, path: str, *, root: bool) -> JSONSchema:
        kind = parsed.inner
        if (found := find_scalar(parsed, path)) is not None:
            return found
        if get_origin(kind) in _COLLECTIONS:
            return self._collection(kind, path)
        if _is_model(get_origin(kind) or kind):
            return self._model(kind, path, root=root)
        return refuse(kind, path)

    def _collection(self, kind: Any, path: str) -> JSONSchema:
        origin, parts = get_origin(kind), get_args(kind)
        if origin is dict:
            return self._map(kind, path)
        if origin is tuple and parts[1:] != (Ellipsis,):
            refuse(kind, path)
        schema: JSONSchema = {"type": "array", "items": self.schema(parts[0], f"{path}[]")}
        if origin in (set, frozenset):
            names = _names_of(kind)
            markers.ListType("set").apply(MarkedSchema(schema, path, names))
        return schema

    def _map(self, kind: Any, path: str) -> JSONSchema:
        key, value = get_args(kind)
        parsed = parse(key)
        if parsed.inner is not str or parsed.markers:
            raise SchemaError(
                f"{path}: the keys of {spell(kind)} must be plain str, as in JSON. To restrict"
                f" them, write dict[str, ...] and kw.Rule('self.all(key, ...)')"
            )
        if value is Any:
            return {"type": "object", **PRESERVE}
        return {"type": "object", "additionalProperties": self.schema(value, f"{path}{{}}")}

    def _model(self, kind: Any, path: str, *, root: bool) -> JSONSchema:
        if kind in self._known:
            found: JSONSchema = _json.loads(self._known[kind])
            return found
        if kind in KNOWN:
            meta = kind is ObjectMeta and not self._options.embedded_object_meta
            return {"type": "object"} if meta else deepcopy(KNOWN[kind])
        if kind in self._inside:
            raise SchemaError(
                f"{path}: {spell(kind)} contains itself, and a structural schema has no end then:"
                f" write dict[str, Any] at one place, which keeps whatever is there"
            )
        if label_of(kind):
            return self._builtin(kind, path)
        if kind is Resource:
            return {"type": "object", "x-kubernetes-embedded-resource": True, **PRESERVE}
        self._inside.append(kind)
        try:
            return self._object(kind, path, root=root)
        finally:
            self._inside.pop()

    def _builtin(self, kind: Any, path: str) -> JSONSchema:
        version = checked_version(self._version, path)
        object_meta = self._options.embedded_object_meta
        return builtin_schema(kind, version, path, object_meta=object_meta)

    def _object(self, kind: Any, path: str, *, root: bool) -> JSONSchema:
        cls = get_origin(kind) or kind
        schema: JSONSchema = {**described(cls), "type": "object"}
        properties, required, rules = self._members(kind, path, root=root)
        if properties:
            schema["properties"] = properties
        if required:
            schema["required"] = sorted(required)
        apply_all((*rules, *markers_of(cls)), MarkedSchema(schema, path, _names_of(kind)))
        return schema

    def _members(
        self, kind: Any, path: str, *, root: bool
    ) -> tuple[dict[str, JSONSchema], set[str], list[Marker]]:
        """Return the fields of a model, which are required, and the rules that they bring."""
        cls = get_origin(kind) or kind
        is_resource = issubclass(cls, Resource)
        properties: dict[str, JSONSchema] = deepcopy(_COMMON) if is_resource else {}
        if is_resource and not root:
            properties["metadata"] = self._model(ObjectMeta, path, root=False)
        inherited = self._inherited(cls, path)
        required: set[str] = set()
        rules: list[Marker] = []
        texts = field_descriptions(cls)
        for field in _fields(kind, path):
            where = f"{path}.{field.name}"
            if is_resource and field.encode_name in _COMMON and not _is_verbatim(field, where):
                continue
            if field.encode_name in inherited:
                properties[field.encode_name], is_required = inherited[field.encode_name]
                required.update([field.encode_name] * is_required)
                continue
            properties[field.encode_name] = self._field(field, where, texts, root=root)
            # The server takes the status from no writer of the whole object, so none can give it.
            if _is_required(field, where) and not (root and field.encode_name == "status"):
                required.add(field.encode_name)
            elif parse(field.type).has(Immutable):
                rules.append(immutable_once_set(field.encode_name))
        return properties, required, rules

    def _inherited(self, cls: Any, path: str) -> dict[str, tuple[JSONSchema, bool]]:
        """Return the fields that *cls* has from a built-in class, and which are required."""
        if (base := builtin_base(cls)) is None:
            return {}
        schema = self._builtin(base, path)
        theirs, ours = ({f.encode_name: f for f in _fields(one, path)} for one in (base, cls))
        return {
            wire: (schema["properties"][wire], wire in schema.get("required", ()))
            for wire in theirs.keys() & schema.get("properties", {}).keys()
            if _is_same(theirs[wire], ours[wire])
        }

    def _field(
        self, field: msgspec.structs.FieldInfo, path: str, texts: dict[str, str], *, root: bool
    ) -> JSONSchema:
        parsed = parse(field.type, path)
        schema = self.schema(field.type, path)
        if parsed.has(markers.Schema):
            return schema
        if text := texts.get(field.name):
            schema["description"] = text
        if parsed.has(markers.Default):
            check_default(schema["default"], field.type, path)
        elif not (root and field.encode_name == "status") and not _keeps_default(parsed):
            value = default_of(field, schema, path)
            if value is not NOTHING:
                check_default(value, field.type, path)
                schema["default"] = value
        # A patch comes last, after everything that the field adds.
        for patch in (one for one in parsed.markers if isinstance(one, markers.SchemaPatch)):
            patch.apply(MarkedSchema(schema, path))
        check_conformity(schema, path)
        return schema


def _version_in(parsed: Annotation) -> str | None:
    said = [one for one in parsed.markers if isinstance(one, markers.KubernetesVersion)]
    return said[-1].value if said else None


def _keeps_default(parsed: Annotation) -> bool:
    """Tell whether a Python default must not go into the schema."""
    return parsed.has(markers.NoDefault) or parsed.has(markers.Required)


def _is_same(one: msgspec.structs.FieldInfo, other: msgspec.structs.FieldInfo) -> bool:
    said = ("type", "default", "default_factory")
    return all(getattr(one, what) == getattr(other, what) for what in said)


def _fields(kind: Any, path: str) -> tuple[msgspec.structs.FieldInfo, ...]:
    cls: Any = get_origin(kind) or kind
    if cls.__struct_config__.tag is not None or cls.__struct_config__.array_like:
        raise SchemaError(f"{path}: {spell(kind)} is tagged or array-like, which has no schema")
    try:
        return msgspec.structs.fields(kind)
    except NameError as error:
        raise SchemaError(
            f"{path}: an annotation of {spell(kind)} cannot be resolved: {error}. Define it in the"
            f" same module, at the top level, before the schema is made"
        ) from error


def _names_of(kind: Any) -> dict[str, str]:
    """Return the Python and JSON names of a model's fields, or of the items' of a collection."""
    origin = get_origin(kind)
    if origin in _COLLECTIONS and get_args(kind):
        return {} if origin is dict else _names_of(parse(get_args(kind)[0]).inner)
    cls: Any = origin or kind
    if not _is_model(cls):
        return {}
    return dict(zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True))


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Model)


def _is_structural(schema: JSONSchema) -> bool:
    return bool(
        schema.get("type")
        or schema.get("x-kubernetes-preserve-unknown-fields")
        or schema.get("x-kubernetes-int-or-string")
    )


def _is_verbatim(field: msgspec.structs.FieldInfo, path: str) -> bool:
    """Tell whether a resource class overrides the schema of a field that all resources have."""
    parsed = parse(field.type)
    if parsed.markers and not parsed.has(markers.Schema):
        raise SchemaError(
            f"{path}: the server defines it, and a CRD may say little of it: only"
            f" kw.Schema({{...}}) is taken here, such as one that limits metadata.name"
        )
    return bool(parsed.markers)


def _is_required(field: msgspec.structs.FieldInfo, path: str) -> bool:
    parsed = parse(field.type)
    if parsed.has(markers.Required):
        return True
    if parsed.has(markers.Optional) or not field.required:
        return False
    kind = parsed.inner
    if parsed.takes_none and not parsed.has(markers.Nullable) and kind is not Any:
        raise SchemaError(
            f"{path}: {spell(kind)} | None has no default. Write `= None` if it may be left out,"
            f" or add kw.Nullable() if null is a value that must be given"
        )
    nullable = parsed.takes_none or kind is Any or get_origin(kind) in _COLLECTIONS
    if parsed.has(markers.Nullable) and not nullable:
        raise SchemaError(
            f"{path}: it is nullable, and its type has no null: write {spell(kind)} | None"
        )
    return True
