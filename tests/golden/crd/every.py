"""A kind that uses every type and every marker; ``every.yaml`` is its CRD."""

from datetime import date, datetime
from enum import IntEnum, StrEnum
from typing import Annotated, Any, Generic, Literal, NewType, TypeVar
from uuid import UUID

import msgspec

from kubewright import crd as kw
from kubewright._json import MicroTime
from kubewright.api.definition import Column, Scale
from kubewright.api.intorstring import IntOrString
from kubewright.api.meta import Condition, LabelSelector, ObjectMeta
from kubewright.api.model import Model, field
from kubewright.api.quantity import Quantity
from kubewright.api.resource import Resource, resource
from kubewright.api.times import Duration

T = TypeVar("T")
Name = NewType("Name", str)
Port = Annotated[int, kw.Minimum(1), kw.Maximum(65535), kw.Description("A port.")]


class Colour(StrEnum):
    """A colour of the rainbow."""

    RED = "Red"
    BLUE = "Blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Box(Model, Generic[T]):
    """Holds one thing."""

    inside: T


class Types(Model):
    """One field for each type."""

    text: str
    flag: bool
    whole: int
    small: kw.Int32
    large: kw.Int64
    ratio: float
    data: bytes
    moment: datetime
    precise: MicroTime
    day: date
    id: UUID
    word: Literal["a", "b"]
    number: Literal[1, 2]
    colour: Colour
    level: Level
    name: Name
    port: Port
    box: Box[int]
    names: list[str] = []
    ports: tuple[Port, ...] = ()
    tags: set[str] = set()
    labels: dict[str, str] = {}
    boxes: dict[str, list[Box[str]]] = {}
    anything: Any = None
    raw: dict[str, Any] = {}
    share: IntOrString = "25%"
    memory: Quantity | None = None
    timeout: Duration | None = None
    selector: LabelSelector | None = None
    template: ObjectMeta | None = None
    conditions: Annotated[list[Condition], kw.ListType("map"), kw.ListMapKey("type")] = []
    embedded: Resource | None = None
    limited: Annotated[str, msgspec.Meta(min_length=1, max_length=9, pattern="^a")] | None = None


class Values(Model):
    """Markers for values."""

    minimum: Annotated[int, kw.Minimum(3)] | None = None
    maximum: Annotated[int, kw.Maximum(3)] | None = None
    above: Annotated[float, kw.ExclusiveMinimum(0.5)] | None = None
    below: Annotated[int, kw.Maximum(3), kw.ExclusiveMaximum()] | None = None
    multiple_of: Annotated[int, kw.MultipleOf(5)] | None = None
    min_length: Annotated[str, kw.MinLength(2)] | None = None
    max_length: Annotated[str, kw.MaxLength(2)] | None = None
    pattern: Annotated[str, kw.Pattern("^a+$")] | None = None
    enum_values: Annotated[float, kw.EnumValues(0.5, 1.5)] | None = None
    email: Annotated[str, kw.Format("email")] | None = None
    plain: Annotated[int, kw.Format("")] | None = None
    kind_of: Annotated[int, kw.Type("string"), kw.MaxLength(3)] | None = None
    min_items: Annotated[list[str], kw.MinItems(1)] = []
    max_items: Annotated[list[str], kw.MaxItems(1)] = []
    items: Annotated[list[str], kw.Items(kw.MaxLength(2), kw.Pattern("^b"))] = []
    elements: list[Annotated[str, kw.MaxLength(2)]] = []
    min_properties: Annotated[dict[str, str], kw.MinProperties(1)] = {}
    max_properties: Annotated[dict[str, str], kw.MaxProperties(1)] = {}
    nullable: Annotated[str | None, kw.Nullable()] = None
    not_unique: Annotated[list[str], kw.UniqueItems(False)] = []


class Entry(Model):
    key_name: str
    protocol: str = "TCP"
    value: str | None = None


@kw.rules(kw.StructType("atomic"), kw.MinProperties(1))
class Whole(Model):
    a: int | None = None


@kw.rules(kw.PreserveUnknownFields())
class Open(Model):
    known: str | None = None


class Structure(Model):
    """Markers for structure."""

    keyed: Annotated[
        list[Entry], kw.ListType("map"), kw.ListMapKey("key_name"), kw.ListMapKey("protocol")
    ] = []
    as_set: Annotated[list[int], kw.ListType("set")] = []
    atomic: Annotated[list[int], kw.ListType("atomic")] = []
    atomic_map: Annotated[dict[str, str], kw.MapType("atomic")] = {}
    granular_map: Annotated[dict[str, str], kw.MapType("granular")] = {}
    whole: Whole | None = None
    open: Open | None = None
    embedded: Annotated[dict[str, Any], kw.EmbeddedResource()] = {}
    either: Annotated[str | int, kw.Schemaless(), kw.XIntOrString()] | None = None
    schemaless: Annotated[object, kw.Schemaless(), kw.PreserveUnknownFields()] = None
    verbatim: Annotated[Any, kw.Schema({"type": "string", "maxLength": 7})] = None
    patched: Annotated[str, kw.SchemaPatch({"maxLength": 7})] | None = None


class Filled(Model):
    """Defaults inside."""

    size: int = 3
    tags: list[str] = ["a"]


class Presence(Model):
    """Markers for presence, defaults and documentation."""

    must: Annotated[str | None, kw.Required()] = None
    may: Annotated[str, kw.Optional()]
    filled: Filled = field(default_factory=Filled)
    other: Filled = field(default_factory=lambda: Filled(size=4))
    served: Annotated[str | None, kw.Default("by the server")] = None
    colour: Colour = Colour.RED
    tags: set[str] = {"b", "a"}
    documented: Annotated[
        str | None,
        kw.Title("A title"),
        kw.Example("an example"),
        kw.ExternalDocs("https://example.com", description="More of it."),
        kw.Description("Not seen: the string under the field is nearer."),
    ] = None
    """The string under a field.

    It may have several lines: this one, for example.
    """


@kw.rules(
    kw.Rule("self.low <= self.high", message="low is above high", field_path=".low"),
    kw.Rule("self.low > 0", message_expression="self.low < 0 ? 'low is negative' : 'low is 0'"),
    kw.Rule("!oldSelf.hasValue() || self.low >= 0", optional_old_self=True),
    kw.AtMostOneOf("one_way", "another_way"),
    kw.ExactlyOneOf("left", "right"),
    kw.AtLeastOneOf("low", "namespace"),
)
class Ruled(Model):
    """CEL rules."""

    low: Annotated[int, kw.Rule("self != 13", reason="FieldValueForbidden")] = 1
    high: int = 2
    one_way: str | None = None
    another_way: str | None = None
    left: str | None = None
    right: str | None = None
    namespace: str | None = None
    fixed: Annotated[str, kw.Immutable()] = "fixed"
    once: Annotated[str | None, kw.Immutable()] = None
    digits: Annotated[list[int], kw.MaxItems(10), kw.Items(kw.Rule("self < 10"))] = []


class EverySpec(Model):
    replicas: kw.Int32 = 1
    colour: str | None = None
    types: Types | None = None
    values: Values | None = None
    structure: Structure | None = None
    presence: Presence | None = None
    ruled: Ruled | None = None


class EveryStatus(Model):
    replicas: kw.Int32 = 0
    selector: str | None = None


@resource(
    group="golden.example.com",
    version="v1",
    plural="everies",
    scope="Namespaced",
    short_names=["ev"],
    categories=["all", "golden"],
    columns=[
        Column("Colour", ".spec.colour", description="The colour."),
        Column("Age", ".metadata.creationTimestamp", type="date", priority=1),
        Column("Size", ".spec.replicas", type="integer", format="int32"),
    ],
    scale=Scale(label_selector_path=".status.selector"),
    selectable_fields=[".spec.colour"],
    annotations={"example.com/note": "yes"},
    labels={"app": "golden"},
)
class Every(Resource):
    """Uses everything.

    The second paragraph stays, too.
    """

    spec: EverySpec
    status: EveryStatus = field(default_factory=EveryStatus)


@resource(
    group="golden.example.com",
    version="v1beta1",
    kind="Every",
    plural="everies",
    short_names=["ev"],
    categories=["all", "golden"],
    storage=False,
    deprecated="golden.example.com/v1beta1 Every is deprecated; use v1",
)
class OldEvery(Resource):
    spec: Annotated[dict[str, Any], kw.PreserveUnknownFields()]


@resource(
    group="golden.example.com",
    version="v1alpha1",
    kind="Every",
    plural="everies",
    short_names=["ev"],
    categories=["all", "golden"],
    storage=False,
    served=False,
    deprecated=True,
)
class OldestEvery(Resource):
    spec: dict[str, Any] = {}


def every_crd() -> dict[str, Any]:
    """Return the CRD of all three versions."""
    return kw.custom_resource_definition(Every, OldEvery, OldestEvery)
