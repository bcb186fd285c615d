"""Shapes: how a schema is owned and merged, by field, by element, or as a whole.

A `Shape` is made once for each node of a schema, which caches it.
"""

from threading import RLock
from typing import Any, Literal, NamedTuple, cast

from kubewright.apiserver.schema import definitions
from kubewright.apiserver.schema.tree import UNSET, Schema

Scalar = Literal["", "numeric", "string", "boolean", "untyped"]
Form = Literal["map", "scalar", "list"]

_CONTAINERS = frozenset({dict, list})
_STRUCT_FORMATS = frozenset({"date-time", "micro-time", "quantity"})
_OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
# Defaults of list keys, which the published OpenAPI document lacks.
_KEY_DEFAULTS = {
    "ContainerPort": {"protocol": "TCP"},
    "ServicePort": {"protocol": "TCP"},
}


class Shape:
    """How the values of one schema node are owned and merged.

    Attributes:
        scalar: The allowed scalar type; empty for none.
        is_map: Whether objects are allowed.
        atomic_map: Whether an object is owned as a whole.
        fields: The declared fields: the step to each, and its shape.
        element: The shape of other fields; ``None`` if there are none.
        zeros: Declared fields that are implied even if unset, with their empty values.
        is_list: Whether lists are allowed.
        atomic_list: Whether a list is owned as a whole.
        keys: The keys of list elements, sorted; empty for sets.
        declared_keys: The keys in the order of the schema, for messages.
        item: The shape of the elements.
        granular_map: Whether objects are allowed and owned by field.
        granular_list: Whether lists are allowed and owned by element.
        steps: A cache of steps to elements, by their key, if they have one key.
        form: The form to assume for ``null`` and for values of a wrong type.
        mixed: Whether values of more than one form are allowed.
        loose: Whether ``1`` and ``true``, which are equal in Python, could both occur below.
    """

    __slots__ = (
        "atomic_list",
        "atomic_map",
        "declared_keys",
        "element",
        "fields",
        "form",
        "granular_list",
        "granular_map",
        "is_list",
        "is_map",
        "item",
        "key_defaults",
        "keys",
        "loose",
        "mixed",
        "scalar",
        "steps",
        "zeros",
    )

    def __init__(self) -> None:
        self.scalar: Scalar = ""
        self.is_map: bool = False
        self.atomic_map: bool = False
        self.fields: dict[str, tuple[str, Shape]] = {}
        self.element: Shape | None = None
        self.zeros: dict[str, Any] = {}
        self.is_list: bool = False
        self.atomic_list: bool = False
        self.keys: tuple[str, ...] = ()
        self.declared_keys: tuple[str, ...] = ()
        self.key_defaults: dict[str, Any] = {}
        self.item: Shape | None = None
        self.granular_map: bool = False
        self.granular_list: bool = False
        self.steps: dict[str, str] = {}
        self.form: Form = "scalar"
        self.mixed: bool = False
        self.loose: bool = False

    def form_of(self, value: Any) -> Form:
        """Return which of the allowed forms *value* has."""
        if not self.mixed:
            return self.form
        if isinstance(value, dict):
            return "map" if self.is_map else self.form
        if isinstance(value, list):
            return "list" if self.is_list else self.form
        return "scalar" if value is not None and self.scalar else self.form

    def settle(self) -> None:
        """Set the attributes that depend on others."""
        self.form = "map" if self.is_map else "scalar" if self.scalar else "list"
        self.mixed = self.is_map + self.is_list + bool(self.scalar) > 1
        below = [child for _, child in self.fields.values()]
        below += [child for child in (self.element, self.item) if child is not None]
        self.loose = self.mixed or any(child.loose for child in below)
        self.granular_map = self.is_map and not self.atomic_map
        self.granular_list = self.is_list and not self.atomic_list


def _anything(*, atomic: bool) -> Shape:
    shape = Shape()
    shape.scalar = "untyped"
    shape.is_map = shape.is_list = shape.atomic_list = True
    shape.atomic_map = atomic
    shape.element = shape
    shape.item = shape
    shape.settle()
    return shape


ATOMIC: Shape = _anything(atomic=True)
"""Anything, owned as a whole."""

DEDUCED: Shape = _anything(atomic=False)
"""Anything: objects are owned by field, lists as a whole."""
DEDUCED.item = ATOMIC


def root(schema: Schema, *, implied: bool = True) -> Shape:
    """Return the shape of whole objects.

    Args:
        schema: The schema of a kind.
        implied: Whether fields that Go structs cannot omit count as set; they do in stored
            objects, and do not in applied configurations.
    """
    name = "fieldmanager.root" if implied else "fieldmanager.root.plain"
    known: Shape | None = schema.memo.get(name)
    if known is None:
        known = schema.memo[name] = _root(schema, implied=implied)
    return known


class _Context(NamedTuple):
    """The options for making shapes; a node has one shape for each combination.

    Attributes:
        implied: As for `root`.
        preserve: Whether a node above preserves unknown fields, which all nodes below inherit.
    """

    implied: bool = False
    preserve: bool = False

    def below(self, child: Schema) -> "_Context":
        """Return the context of a child; named types do not inherit *preserve*."""
        return self._replace(preserve=self.preserve and not child.name)


def _root(schema: Schema, *, implied: bool) -> Shape:
    metadata = schema.properties.get("metadata")
    if schema.name and metadata is not None and metadata.name == "ObjectMeta":
        return _of(schema, _Context(implied=implied))
    if implied:
        return root(schema, implied=False)  # custom resources have no implied fields
    if not schema.properties and not schema.preserve_unknown:
        return DEDUCED
    shape = _filled(Shape(), schema, _Context(preserve=schema.preserve_unknown))
    _add_object_fields(shape)
    return shape


def _add_object_fields(shape: Shape) -> None:
    for name in ("apiVersion", "kind"):
        shape.fields[name] = (f"f:{name}", _of(Schema(type="string"), _Context()))
    metadata = _of(definitions.definition(_OBJECT_META), _Context())
    shape.fields["metadata"] = ("f:metadata", metadata)


def _of(schema: Schema, context: _Context) -> Shape:
    """Return the shape of a node."""
    if schema.name == "RawExtension":
        return ATOMIC
    if schema.preserve_unknown:
        context = context._replace(preserve=True)
    name = f"fieldmanager.{context.implied:d}{context.preserve:d}"
    known: Shape | None = schema.memo.get(name)
    return _new_shape(schema, context, name) if known is None else known


_lock = RLock()
_making: dict[tuple[int, str], tuple[Schema, Shape]] = {}


def _new_shape(schema: Schema, context: _Context, name: str) -> Shape:
    """Return a new shape; other threads see it only when it is complete."""
    with _lock:
        if (known := schema.memo.get(name)) is not None:
            return cast("Shape", known)
        if (begun := _making.get((id(schema), name))) is not None:
            return begun[1]  # JSONSchemaProps contains itself
        is_first = not _making
        shape = Shape()
        _making[id(schema), name] = schema, shape
        try:
            _filled(shape, schema, context)
            if schema.name == "FieldsV1":
                shape.loose = False  # free in form, but without scalars
            if is_first:
                for (_, way), (node, made) in _making.items():
                    node.memo[way] = made
        finally:
            if is_first:
                _making.clear()
    return shape


def _filled(shape: Shape, schema: Schema, context: _Context) -> Shape:
    shape.scalar = _scalar(schema)
    if schema.type in ("", "object"):
        _fill_map(shape, schema, context)
    if schema.type in ("", "array"):
        _fill_list(shape, schema, context)
    shape.settle()
    return shape


def _scalar(schema: Schema) -> Scalar:
    match schema.type:
        case "integer" | "number":
            return "numeric"
        case "boolean":
            return "boolean"
        case "string":
            return "string" if schema.format in ("", "byte") else "untyped"
        case "":
            return "untyped"
    return ""


def _fill_map(shape: Shape, schema: Schema, context: _Context) -> None:
    shape.is_map = True
    shape.atomic_map = schema.map_type == "atomic"
    for name, child in schema.properties.items():
        shape.fields[name] = (f"f:{name}", _of(child, context.below(child)))
    if schema.embedded_resource:
        _add_object_fields(shape)
    shape.element = _element(schema, context)
    if context.implied:
        shape.zeros = zeros(schema)


def _element(schema: Schema, context: _Context) -> Shape | None:
    allowed = schema.source.get("additionalProperties")
    if allowed is True:
        return DEDUCED
    if schema.additional is not None:
        return _of(schema.additional, context.below(schema.additional))
    free = context.preserve or not schema.properties
    return DEDUCED if free and allowed is not False else None


def _fill_list(shape: Shape, schema: Schema, context: _Context) -> None:
    shape.is_list = True
    shape.atomic_list, shape.declared_keys = _relationship(schema)
    shape.keys = tuple(sorted(shape.declared_keys))
    items = schema.items
    if items is None:
        shape.item = ATOMIC
        return
    shape.item = _of(items, context.below(items))
    shape.key_defaults = _key_defaults(items, shape.keys)


def _relationship(schema: Schema) -> tuple[bool, tuple[str, ...]]:
    """Return whether a list is atomic, and the keys of its elements."""
    if "x-kubernetes-list-type" in schema.source or not schema.patch_strategy:
        return schema.list_type == "atomic", schema.list_map_keys
    # Older types have only a patch strategy.
    if "merge" not in schema.patch_strategy:
        return True, ()
    return False, (schema.merge_key,) if schema.merge_key else ()


def _key_defaults(items: Schema, keys: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    implied = zeros(items)
    for name in keys:
        child = items.properties.get(name)
        if child is None:
            continue
        default = _KEY_DEFAULTS.get(items.name, {}).get(name, child.default)
        if default is UNSET:
            default = implied.get(name)
        if default is not None:
            found[name] = default
    return found


def zeros(schema: Schema) -> dict[str, Any]:
    """Return the fields of a built-in type that Go cannot omit, with their empty values.

    Every object on a real server has them, so a client that leaves them out does not change them
    and does not become their owner.
    """
    found: dict[str, Any] = {}
    for name, kind in definitions.fields_in_go(schema).items():
        child = schema.properties.get(name)
        if child is not None and _is_always_there(child, kind):
            found[name] = None if kind.startswith("*") else _zero(child)
    return found


def _is_always_there(schema: Schema, kind: str) -> bool:
    if kind.endswith("!"):
        return True
    is_struct = bool(schema.properties) or schema.format in _STRUCT_FORMATS
    return is_struct and not kind.startswith(("*", "[]", "map["))


def _zero(schema: Schema) -> Any:
    if schema.format in ("date-time", "micro-time"):
        return None
    if schema.format == "quantity":
        return "0"
    if schema.int_or_string or schema.type in ("integer", "number"):
        return 0
    if schema.type == "object":
        return None if schema.is_map else {}
    return {"boolean": False, "string": ""}.get(schema.type)


def with_implied(value: Any, shape: Shape) -> Any:
    """Return *value* with its implied fields."""
    if isinstance(value, dict) and shape.granular_map:
        fields, element = shape.fields, shape.element or shape
        full = {**shape.zeros, **value} if shape.zeros else value
        return {
            name: with_implied(child, fields[name][1] if name in fields else element)
            if type(child) in _CONTAINERS
            else child
            for name, child in full.items()
        }
    if isinstance(value, list) and shape.item is not None and not shape.atomic_list:
        item = shape.item
        return [with_implied(child, item) for child in value]
    return value


def without_nulls(value: Any, shape: Shape) -> Any:
    """Return a copy of *value* without declared fields that are ``null``, which means unset."""
    if isinstance(value, dict):
        fields, element = shape.fields, shape.element or shape
        return {
            name: without_nulls(child, fields[name][1] if name in fields else element)
            if type(child) in _CONTAINERS
            else child
            for name, child in value.items()
            if child is not None or name not in fields
        }
    if isinstance(value, list):
        item = shape.item or shape
        return [without_nulls(child, item) for child in value]
    return value


def copied(value: Any) -> Any:
    """Return a deep copy of JSON."""
    if isinstance(value, dict):
        return {name: copied(child) for name, child in value.items()}
    return [copied(child) for child in value] if isinstance(value, list) else value


def untyped(shape: Shape) -> bool:
    """Return whether a map declares no fields."""
    return shape.element is DEDUCED and not shape.fields
