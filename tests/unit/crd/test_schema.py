"""Schemas of models: fields, requiredness, defaults, nesting, options."""

from datetime import UTC, date, datetime
from enum import IntEnum, StrEnum
from typing import Annotated, Any, Generic, Literal, NewType, TypeVar
from uuid import UUID

import msgspec
import pytest

from kubewright import crd as kw
from kubewright._json import MicroTime
from kubewright.api.intorstring import IntOrString
from kubewright.api.meta import LabelSelector, ObjectMeta
from kubewright.api.model import Model, field
from kubewright.api.quantity import Quantity
from kubewright.api.resource import Resource, resource
from kubewright.api.times import Duration
from kubewright.crd import Options, resource_schema, schema_of
from kubewright.errors import SchemaError
from kubewright.kinds.core.v1 import PodTemplateSpec, ResourceRequirements

T = TypeVar("T")
Name = NewType("Name", str)
PRESERVE = {"x-kubernetes-preserve-unknown-fields": True}


class Colour(StrEnum):
    RED = "Red"


class Level(IntEnum):
    """How much."""

    LOW = 1


class Box(Model, Generic[T]):
    inside: T


class Size(Model):
    """How large it is."""

    width_cm: int
    depth: int | None = None


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "string"}),
        (bool, {"type": "boolean"}),
        (int, {"type": "integer", "format": "int64"}),
        (kw.Int32, {"type": "integer", "format": "int32"}),
        (float, {"type": "number"}),
        (bytes, {"type": "string", "format": "byte"}),
        (datetime, {"type": "string", "format": "date-time"}),
        (MicroTime, {"type": "string", "format": "date-time"}),
        (date, {"type": "string", "format": "date"}),
        (UUID, {"type": "string", "format": "uuid"}),
        (Duration, {"type": "string"}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal[1, 2], {"type": "integer", "enum": [1, 2]}),
        (Colour, {"type": "string", "enum": ["Red"]}),
        (Level, {"type": "integer", "enum": [1], "description": "How much."}),
        (Name, {"type": "string"}),
        (str | None, {"type": "string"}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (tuple[str, ...], {"type": "array", "items": {"type": "string"}}),
        (
            frozenset[str],
            {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        ),
        (dict[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (dict[Name, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (dict[str, Any], {"type": "object", **PRESERVE}),
        (Any, PRESERVE),
        (list[Any], {"type": "array", "items": PRESERVE}),
        (
            Box[int],
            {
                "type": "object",
                "properties": {"inside": {"type": "integer", "format": "int64"}},
                "required": ["inside"],
            },
        ),
        (Resource, {"type": "object", "x-kubernetes-embedded-resource": True, **PRESERVE}),
    ],
    ids=str,
)
def test_a_python_type_has_one_schema(annotation: Any, schema: dict[str, Any]) -> None:
    """The table of types is the contract with everybody's stored objects."""
    assert schema_of(annotation) == schema


def test_int_or_string_and_quantity_take_both() -> None:
    """The server checks them by an extension, not by a type."""
    assert schema_of(IntOrString)["x-kubernetes-int-or-string"] is True
    assert schema_of(Quantity)["pattern"].startswith("^")
    assert schema_of(list[Quantity])["items"] == schema_of(Quantity)


def test_fields_are_called_as_in_json_and_required_without_a_default() -> None:
    """A field that Python demands and the schema does not would break the reader."""
    assert schema_of(Size) == {
        "description": "How large it is.",
        "type": "object",
        "properties": {
            "widthCm": {"type": "integer", "format": "int64"},
            "depth": {"type": "integer", "format": "int64"},
        },
        "required": ["widthCm"],
    }


def test_keys_come_in_order() -> None:
    """A generated file that shuffles makes every diff unreadable."""
    schema = schema_of(Size)

    assert list(schema) == ["description", "properties", "required", "type"]
    assert list(schema["properties"]) == ["depth", "widthCm"]


class Sizes(Model):
    large: Size
    small: Size | None = None
    """The small one."""
    others: list[Size] = []


def test_the_string_under_a_field_wins_over_the_docstring_of_its_type() -> None:
    """What is said of the field is nearer than what is said of all such fields."""
    properties = schema_of(Sizes)["properties"]

    assert properties["large"]["description"] == "How large it is."
    assert properties["small"]["description"] == "The small one."
    assert "description" not in properties["others"]
    assert properties["others"]["items"]["description"] == "How large it is."


class Filled(Model):
    size: int = 3
    name: str | None = None


class Defaults(Model):
    text: str = "a"
    empty_text: str = ""
    zero: int = 0
    off: bool = False
    nothing: str | None = None
    empty: list[str] = []
    tags: list[str] = ["b", "a"]
    labels: dict[str, str] = {"a": "b"}
    unique: set[str] = {"c", "b", "a"}
    colour: Colour = Colour.RED
    moment: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    plain: Filled = field(default_factory=Filled)
    custom: Filled = field(default_factory=lambda: Filled(size=4))
    hollow: LabelSelector = field(default_factory=LabelSelector)
    random: str = field(default_factory=iter(map(str, range(99))).__next__)
    said: Annotated[int | None, kw.Default(7)] = None


def test_defaults_with_a_meaning_are_the_servers_too() -> None:
    """What Python fills in for itself, kubectl's users should see as well."""
    properties = schema_of(Defaults)["properties"]
    found = {name: one["default"] for name, one in properties.items() if "default" in one}

    assert found == {
        "text": "a",
        "emptyText": "",
        "zero": 0,
        "off": False,
        "tags": ["b", "a"],
        "labels": {"a": "b"},
        "unique": ["a", "b", "c"],
        "colour": "Red",
        "moment": "2026-01-01T00:00:00Z",
        "plain": {},
        "custom": {"size": 4},
        "said": 7,
    }
    assert "required" not in schema_of(Defaults)


class Status(Model):
    phase: Literal["NEW", "DONE"] = "NEW"


class Spec(Model):
    replicas: int = 1


@resource(group="example.com", version="v1")
class Shop(Resource):
    """Sells things."""

    spec: Spec = field(default_factory=Spec)
    status: Status = field(default_factory=Status)


def test_a_spec_of_defaults_is_filled_in_and_a_status_never() -> None:
    """A status that appears on its own would say that somebody had looked."""
    properties = resource_schema(Shop)["properties"]

    assert properties["spec"]["default"] == {}
    assert "default" not in properties["status"]
    assert properties["status"]["properties"]["phase"]["default"] == "NEW"


def test_a_resource_has_metadata_that_the_server_knows_best() -> None:
    """The schema of metadata is the server's; a CRD may only say that it is an object."""
    schema = resource_schema(Shop)

    assert schema["properties"]["metadata"] == {"type": "object"}
    assert set(schema["properties"]) == {"apiVersion", "kind", "metadata", "spec", "status"}
    assert "required" not in schema
    assert "x-kubernetes-embedded-resource" not in schema


class Holder(Model):
    shop: Shop
    template: PodTemplateSpec | None = None
    resources: ResourceRequirements | None = None


def test_a_kind_inside_another_need_not_say_what_it_is() -> None:
    """The field says it; so it is in the volume claims of a StatefulSet."""
    shop = schema_of(Holder)["properties"]["shop"]

    assert "x-kubernetes-embedded-resource" not in shop
    assert "required" not in shop
    assert {"apiVersion", "kind", "spec"} <= shop["properties"].keys()
    assert "labels" in shop["properties"]["metadata"]["properties"]


def test_an_embedded_resource_has_the_metadata_of_the_server() -> None:
    """The server requires apiVersion and kind then, and refuses other words on the metadata."""
    shop = schema_of(Annotated[Shop, kw.EmbeddedResource()])

    assert shop["x-kubernetes-embedded-resource"] is True
    assert shop["properties"]["metadata"] == {"type": "object"}


class Counted(Model):
    ready: Annotated[int, kw.Required()] = 0
    total: Annotated[int, kw.NoDefault()] = 7
    size: Annotated[int, kw.Required(), kw.Default(3)] = 3


def test_a_required_field_has_no_default_of_python() -> None:
    """A default of the server would fill it in, and nothing would be required."""
    schema = schema_of(Counted)

    assert schema["required"] == ["ready", "size"]
    assert "default" not in schema["properties"]["ready"]
    assert schema["properties"]["size"]["default"] == 3


def test_a_default_can_be_of_python_alone() -> None:
    """The program may have another view of what is missing than the server."""
    assert "default" not in schema_of(Counted)["properties"]["total"]
    assert Counted().total == 7


def test_metadata_of_a_template_names_what_people_write() -> None:
    """``{type: object}`` alone would prune the labels of every pod template."""
    template = schema_of(Holder)["properties"]["template"]
    bare = schema_of(ObjectMeta, options=Options(embedded_object_meta=False))

    assert "labels" in template["properties"]["metadata"]["properties"]
    assert bare == {"type": "object"}


def test_builtin_types_bring_no_prose() -> None:
    """Ten thousand lines of descriptions would exceed what kubectl apply can annotate."""
    assert "description" not in str(schema_of(PodTemplateSpec))


def test_quantities_of_builtin_types_are_recognised() -> None:
    """A limit of ``1`` and one of ``100m`` are both what people write."""
    resources = schema_of(Holder)["properties"]["resources"]
    limits = resources["properties"]["limits"]["additionalProperties"]

    assert limits == schema_of(Quantity)


class Inherited(Sizes):
    extra: str


def test_inherited_fields_keep_their_descriptions() -> None:
    """A base class is how people share fields."""
    assert schema_of(Inherited)["properties"]["small"]["description"] == "The small one."


def test_descriptions_can_be_cut_or_left_out() -> None:
    """A CRD above 256 kB cannot be applied by kubectl from the client's side."""
    cut = schema_of(Sizes, options=Options(max_description_length=9))
    none = schema_of(Sizes, options=Options(max_description_length=0))

    assert cut["properties"]["large"]["description"] == "How large"
    assert "description" not in str(none)


class Named(Model):
    description: str = "a"
    default: int = 1
    properties: dict[str, str] = {}


def test_fields_named_like_keywords_are_fields() -> None:
    """Cutting descriptions must not touch a field that is called so."""
    none = schema_of(Named, options=Options(max_description_length=0))

    assert set(none["properties"]) == {"description", "default", "properties"}


def test_the_schema_is_a_copy_each_time() -> None:
    """Who changes a schema must not change the next one."""
    schema_of(LabelSelector)["properties"].clear()

    assert "matchLabels" in schema_of(LabelSelector)["properties"]


class Constrained(Model):
    text: Annotated[str, msgspec.Meta(min_length=1, pattern="^a", description="Text.")]
    number: Annotated[int, msgspec.Meta(gt=0, le=9, multiple_of=3)]
    items: Annotated[list[str], msgspec.Meta(max_length=3)]
    entries: Annotated[dict[str, str], msgspec.Meta(min_length=1)]


def test_constraints_of_msgspec_are_markers_too() -> None:
    """They are checked on reading already, and the server should not accept what we refuse."""
    properties = schema_of(Constrained)["properties"]

    assert properties["text"] == {
        "type": "string", "minLength": 1, "pattern": "^a", "description": "Text.",
    }  # fmt: skip
    assert properties["number"] == {
        "type": "integer", "format": "int64", "minimum": 0, "exclusiveMinimum": True,
        "maximum": 9, "multipleOf": 3,
    }  # fmt: skip
    assert properties["items"]["maxItems"] == 3
    assert properties["entries"]["minProperties"] == 1


class Once(Model):
    must: Annotated[str | None, kw.Required()] = None
    may: Annotated[str, kw.Optional()]
    null: Annotated[str | None, kw.Nullable()]


def test_presence_can_be_said_apart_from_the_default() -> None:
    """Python's default and the server's requirement are two things."""
    schema = schema_of(Once)

    assert schema["required"] == ["must", "null"]
    assert schema["properties"]["null"]["nullable"] is True


class Alike(Model):
    raw: Annotated[int, kw.Schema({"type": "string"}), kw.MaxLength(3)] = 3
    """Not seen: the schema is verbatim."""


def test_a_verbatim_schema_is_all_that_is_said() -> None:
    """The escape hatch must not be touched by anything."""
    assert schema_of(Alike)["properties"]["raw"] == {"type": "string"}


class WrongDefault(Model):
    size: int = "three"  # type: ignore[assignment]  # that is the test


def test_a_default_that_does_not_fit_is_refused() -> None:
    """The server would refuse the whole CRD for it, with a longer message."""
    with pytest.raises(SchemaError) as caught:
        schema_of(WrongDefault)

    assert str(caught.value) == (
        "WrongDefault.size: the default 'three' does not fit: Expected `int`, got `str`"
    )


class Demanding(Model):
    must: Annotated[str | None, kw.Required()] = None
    size: int = 3


class Demand(Model):
    inner: Demanding = field(default_factory=Demanding)


def test_a_model_that_the_server_cannot_complete_has_no_default() -> None:
    """``{}`` would lack the required field, and the server would refuse the CRD."""
    assert "default" not in schema_of(Demand)["properties"]["inner"]


SHORT = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 9}}}


@resource(group="example.com", version="v1")
class ShortNamed(Resource):
    metadata: Annotated[ObjectMeta, kw.Schema(SHORT)] = field(default_factory=ObjectMeta)


@resource(group="example.com", version="v1")
class Marked(Resource):
    metadata: Annotated[ObjectMeta, kw.Nullable()] = field(default_factory=ObjectMeta)


def test_names_can_be_limited_by_a_verbatim_schema() -> None:
    """The server takes limits of the name, and nothing else, in the metadata of a CRD."""
    assert resource_schema(ShortNamed)["properties"]["metadata"] == SHORT


def test_other_markers_on_metadata_are_refused() -> None:
    """They would have no effect."""
    with pytest.raises(SchemaError, match=r"^Marked\.metadata: the server defines it"):
        resource_schema(Marked)
