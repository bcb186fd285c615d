from typing import Any

import pytest

from tests.unit.apiserver.table.rows import BEFORE, Kind, named, table

PODS = Kind("", "pods")
SHIPS = Kind(
    "example.com",
    "ships",
    custom=True,
    columns=(
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1},
        {"name": "Built", "type": "date", "jsonPath": ".status.built"},
    ),
)


def test_a_table_has_the_shape_that_kubectl_reads() -> None:
    """Each column has all five fields, each row its object's metadata."""
    made = table(PODS, named(namespace="default"))

    assert (made["kind"], made["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    name = made["columnDefinitions"][0]
    assert {**name, "description": ""} == {
        "name": "Name",
        "type": "string",
        "format": "name",
        "description": "",
        "priority": 0,
    }
    assert made["rows"][0]["object"] == {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"name": "x", "creationTimestamp": BEFORE, "namespace": "default"},
    }


@pytest.mark.parametrize(("include", "shown"), [("None", None), ("Object", named())])
def test_a_row_carries_as_much_of_its_object_as_asked(include: str, shown: Any) -> None:
    """``includeObject`` in the query."""
    assert table(PODS, named(), include=include)["rows"][0]["object"] == shown


def test_the_old_version_of_tables_is_named_throughout() -> None:
    """Kubectl before 1.15 asks for it."""
    made = table(PODS, named(), version="v1beta1")

    assert made["apiVersion"] == made["rows"][0]["object"]["apiVersion"] == "meta.k8s.io/v1beta1"


def test_columns_of_custom_resources_come_from_their_definition() -> None:
    """Values of another type than the column's are not shown."""
    ship = named({"spec": {"size": 3, "color": ["red"]}, "status": {"built": BEFORE}})

    made = table(SHIPS, ship, named({"spec": {"size": "3"}, "status": {"built": "x"}}))

    assert [item["name"] for item in made["columnDefinitions"]] == [
        "Name",
        "Size",
        "Color",
        "Built",
    ]
    assert made["rows"][0]["cells"] == ["x", 3, '["red"]', "5m"]
    assert made["rows"][1]["cells"] == ["x", None, None, "<invalid>"]


def test_a_kind_without_a_printer_shows_when_it_was_made() -> None:
    """Kubectl turns the time into an age itself."""
    made = table(Kind("rbac.authorization.k8s.io", "roles"), named())

    assert [item["name"] for item in made["columnDefinitions"]] == ["Name", "Created At"]
    assert made["rows"][0]["cells"] == ["x", BEFORE]


def test_objects_of_another_version_are_read_as_the_hub() -> None:
    """The row of an HPA is the same in v1 and v2."""

    def to_hub(obj: dict[str, Any]) -> dict[str, Any]:
        return {**obj, "type": "Normal"}

    made = table(Kind("events.k8s.io", "events", to_hub=to_hub), named(), include="Object")

    assert made["rows"][0]["cells"][1] == "Normal"
    assert "type" not in made["rows"][0]["object"]


def test_no_objects_make_no_rows() -> None:
    """Kubectl prints that it found nothing."""
    assert table(PODS)["rows"] == []
