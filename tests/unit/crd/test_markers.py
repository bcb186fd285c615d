"""Markers about structure, presence and documentation."""

import copy
from typing import Annotated, Any, cast

import pytest

from kubewright import crd as kw
from kubewright.api.model import Model
from kubewright.crd import schema_of
from kubewright.errors import SchemaError


class Entry(Model):
    key_name: str
    protocol: str = "TCP"
    value: str | None = None


def refusal(annotation: Any) -> str:
    """Return the message with which *annotation* is refused."""
    with pytest.raises(SchemaError) as caught:
        schema_of(annotation)
    return str(caught.value)


def test_markers_are_values() -> None:
    """They stand in annotations, which Python compares and hashes."""
    minimum, maximum = cast("list[object]", [kw.Minimum(3), kw.Maximum(3)])
    assert minimum == kw.Minimum(3)
    assert minimum != maximum
    assert kw.EnumValues("a") == kw.EnumValues("a") != kw.EnumValues("b")
    assert hash(kw.Default({"a": [1]})) == hash(kw.Default({"a": [1]}))
    assert repr(kw.ListMapKey("a", "b")) == "ListMapKey('a', 'b')"
    assert copy.deepcopy(kw.Default({"a": [1]})) == kw.Default({"a": [1]})


@pytest.mark.parametrize("marker", [kw.Minimum(3), kw.EnumValues("a")])
def test_markers_are_frozen(marker: Any) -> None:
    """An alias with markers is shared by all fields that use it."""
    with pytest.raises(AttributeError):
        marker.value = 4


def test_unhashable_values_may_stand_in_an_optional_annotation() -> None:
    """Python hashes the members of a union, and defaults are often dicts."""
    annotation = Annotated[dict[str, str], kw.Default({"a": "b"})] | None

    assert schema_of(annotation)["default"] == {"a": "b"}


def test_a_marker_class_may_stand_for_its_value() -> None:
    """``kw.Nullable`` instead of ``kw.Nullable()`` has one possible meaning."""
    assert schema_of(Annotated[str | None, kw.Nullable])["nullable"] is True


def test_the_outer_marker_wins() -> None:
    """An alias says what is usual; the field says what holds here."""
    port = Annotated[int, kw.Maximum(65535)]

    assert schema_of(Annotated[port, kw.Maximum(1023)])["maximum"] == 1023


def test_foreign_metadata_is_left_alone() -> None:
    """Other libraries write into Annotated too."""
    assert schema_of(Annotated[str, "note", 3]) == {"type": "string"}


def test_list_map_keys_take_either_name_and_gather() -> None:
    """controller-gen's marker is repeated, one for each key."""
    annotation = Annotated[
        list[Entry], kw.ListMapKey("key_name"), kw.ListMapKey("protocol"), kw.ListType("map")
    ]

    schema = schema_of(annotation)

    assert schema["x-kubernetes-list-map-keys"] == ["keyName", "protocol"]
    assert schema == schema_of(
        Annotated[list[Entry], kw.ListType("map"), kw.ListMapKey("keyName", "protocol")]
    )


@pytest.mark.parametrize(
    ("annotation", "why"),
    [
        (Annotated[str, kw.ListType("set")], "it fits array, and this is string"),
        (Annotated[list[Entry], kw.ListType("set")], "only strings, numbers and other atomic"),
        (Annotated[list[str], kw.ListType("map")], "only an array of models can be a map"),
        (Annotated[list[str], kw.ListType("bag")], "it takes 'map', 'set' or 'atomic'"),  # type: ignore[arg-type]  # that is the test
        (Annotated[list[Entry], kw.ListMapKey("value")], "only a map has keys"),
        (
            Annotated[list[Entry], kw.ListType("map"), kw.ListMapKey("value")],
            "the key 'value' must be required or have a default",
        ),
        (
            Annotated[list[Entry], kw.ListType("map"), kw.ListMapKey("name")],
            "there is no field 'name'. The fields are: key_name, protocol, value",
        ),
        (Annotated[str, kw.MapType("atomic")], "it fits object, and this is string"),
        (Annotated[Entry, kw.StructType("whole")], "it takes 'granular' or 'atomic'"),  # type: ignore[arg-type]  # that is the test
        (Annotated[str, kw.PreserveUnknownFields()], "it fits object, and this is string"),
        (Annotated[str, kw.EmbeddedResource()], "it fits object, and this is string"),
        (Annotated[dict[str, str], kw.EmbeddedResource()], "add kw.PreserveUnknownFields()"),
        (Annotated[str, kw.Items(kw.MaxLength(1))], "it fits array, and this is string"),
        (Annotated[list[int], kw.Items(kw.MaxLength(1))], "it fits string, and this is integer"),
    ],
    ids=str,
)
def test_a_marker_that_does_not_fit_is_refused(annotation: Any, why: str) -> None:
    """A marker without effect would be a rule that nobody enforces."""
    assert why in refusal(annotation)


class Wrong(Model):
    size: Annotated[int, kw.MinLength(3)]


def test_the_refusal_names_field_and_marker() -> None:
    """Both must be found in the source."""
    assert refusal(Wrong) == (
        "Wrong.size: cannot apply MinLength(value=3): it fits string, and this is integer"
    )


def test_documentation_goes_where_it_belongs() -> None:
    """Titles and examples are for those who read the CRD."""
    annotation = Annotated[
        str,
        kw.Title("T"),
        kw.Example(["e"]),
        kw.ExternalDocs("https://example.com"),
        kw.Description("D"),
    ]

    assert schema_of(annotation) == {
        "type": "string",
        "title": "T",
        "example": ["e"],
        "externalDocs": {"url": "https://example.com"},
        "description": "D",
    }


def test_a_patch_adds_and_removes() -> None:
    """What no marker says can still be said, without giving up the rest."""
    annotation = Annotated[int, kw.SchemaPatch({"format": None, "not": {"enum": [3]}})]

    assert schema_of(annotation) == {"type": "integer", "not": {"enum": [3]}}


def test_a_raw_value_is_copied_into_the_schema() -> None:
    """Who changes the schema must not change the marker."""
    marker = kw.Schema({"type": "object", "properties": {}})

    schema_of(Annotated[Any, marker])["properties"]["a"] = 1

    assert marker.value == {"type": "object", "properties": {}}
