"""Schemas as trees, for built-in kinds and for custom resources.

Built-in kinds get theirs from the OpenAPI document in the package (`definitions`), custom resources
from their CRD. Pruning, defaulting, validation, strategic merge and managed fields all walk
this tree.
"""

from collections.abc import Iterator
from typing import Any, Literal

ListType = Literal["atomic", "set", "map"]

UNSET: Any = type("Unset", (), {"__repr__": lambda _: "UNSET"})()
"""Means "no default", since ``None`` can be a default."""


class Schema:
    """The schema of one value.

    Attributes:
        type: ``object``, ``array``, ``string``, ``integer``, ``number`` or ``boolean``; empty for
            any type.
        format: Such as ``int32``, ``date-time``, ``int-or-string`` or ``quantity``; may be empty.
        properties: The fields of an object with fixed fields.
        additional: The schema of the values if the object is a map, or ``None``.
        items: The schema of the elements of an array.
        required: The required fields.
        default: The default, or `UNSET`.
        nullable: Whether ``null`` is allowed.
        preserve_unknown: Whether fields without a schema are kept.
        int_or_string: Whether integers and strings are both allowed.
        embedded_resource: Whether the value is an object with apiVersion, kind and metadata.
        list_type: How lists are merged by apply.
        list_map_keys: The fields that tell the elements of a ``map`` list apart.
        map_type: Whether apply owns the object as a whole (``atomic``) or by field.
        merge_key: The field by which a strategic merge patch matches elements.
        patch_strategy: ``merge``, ``retainKeys``, ``replace``, as the patch strategy tags say.
        name: The short name of the definition, for messages: ``DeploymentSpec``; may be empty.
        definition: The full name: ``io.k8s.api.apps.v1.DeploymentSpec``.
        source: The JSON that this was read from, for validation and OpenAPI.
    """

    __slots__ = (
        "additional",
        "default",
        "definition",
        "embedded_resource",
        "format",
        "int_or_string",
        "items",
        "list_map_keys",
        "list_type",
        "map_type",
        "memo",
        "merge_key",
        "name",
        "nullable",
        "patch_strategy",
        "preserve_unknown",
        "properties",
        "required",
        "source",
        "type",
    )

    def __init__(self, *, type: str = "", format: str = "") -> None:  # noqa: A002  # JSON schema's words
        self.type: str = type
        self.format: str = format
        self.properties: dict[str, Schema] = {}
        self.additional: Schema | None = None
        self.items: Schema | None = None
        self.required: tuple[str, ...] = ()
        self.default: Any = UNSET
        self.nullable: bool = False
        self.preserve_unknown: bool = False
        self.int_or_string: bool = False
        self.embedded_resource: bool = False
        self.list_type: ListType = "atomic"
        self.list_map_keys: tuple[str, ...] = ()
        self.map_type: Literal["granular", "atomic"] = "granular"
        self.merge_key: str = ""
        self.patch_strategy: tuple[str, ...] = ()
        self.name: str = ""
        self.definition: str = ""
        self.source: dict[str, Any] = {}
        self.memo: dict[str, Any] = {}  # what modules compute for this node, by module name

    def __repr__(self) -> str:
        return f"Schema({self.name or self.type or 'any'})"

    @property
    def is_map(self) -> bool:
        """Return whether this is an object with arbitrary keys."""
        return self.additional is not None

    def children(self) -> Iterator["Schema"]:
        """Yield the schemas directly below."""
        yield from self.properties.values()
        if self.additional is not None:
            yield self.additional
        if self.items is not None:
            yield self.items


def read(source: dict[str, Any], into: Schema) -> Schema:
    """Fill *into* from the JSON schema *source*, without its children."""
    into.source = source
    into.type = source.get("type") or ""
    into.format = source.get("format") or ""
    into.required = tuple(source.get("required") or ())
    into.default = source.get("default", UNSET)
    into.nullable = bool(source.get("nullable"))
    into.preserve_unknown = bool(source.get("x-kubernetes-preserve-unknown-fields"))
    into.int_or_string = bool(
        source.get("x-kubernetes-int-or-string") or into.format == "int-or-string"
    )
    into.embedded_resource = bool(source.get("x-kubernetes-embedded-resource"))
    into.list_type = source.get("x-kubernetes-list-type") or "atomic"
    into.list_map_keys = tuple(source.get("x-kubernetes-list-map-keys") or ())
    into.map_type = source.get("x-kubernetes-map-type") or "granular"
    into.merge_key = source.get("x-kubernetes-patch-merge-key") or ""
    strategy = source.get("x-kubernetes-patch-strategy") or ""
    into.patch_strategy = tuple(strategy.split(",")) if strategy else ()
    return into


def parse(source: dict[str, Any]) -> Schema:
    """Return the tree of a schema without references, such as those in CRDs."""
    schema = read(source, Schema())
    for name, child in (source.get("properties") or {}).items():
        schema.properties[name] = parse(child)
    additional = source.get("additionalProperties")
    if additional is True:
        schema.additional = Schema()
        schema.additional.preserve_unknown = True
    elif isinstance(additional, dict):
        schema.additional = parse(additional)
    items = source.get("items")
    if isinstance(items, dict):
        schema.items = parse(items)
    return schema
