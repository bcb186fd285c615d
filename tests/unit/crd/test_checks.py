"""What `resource` was told is checked before a server sees it."""

from typing import Any

import pytest

from kubewright.api.definition import Column, Scale
from kubewright.api.model import Model, field
from kubewright.api.resource import Resource, resource
from kubewright.crd import custom_resource_definition
from kubewright.crd.checks import find_path, problem_of
from kubewright.errors import SchemaError


class Spec(Model):
    replicas: int = 1
    ratio: float = 0.5
    names: list[str] = []


class Status(Model):
    replicas: int = 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": ""}, "Shop: '' is not a group for a CRD: write a DNS name of yours"),
        ({"group": "shops"}, "Shop: 'shops' is not a group for a CRD"),
        ({"group": "Example.com"}, "Shop: 'Example.com' is not a group for a CRD"),
        ({"version": "1"}, "Shop: the version '1' must be a DNS label"),
        ({"plural": "Shops"}, "Shop: the plural 'Shops' must be a DNS label"),
        ({"short_names": ["s h"]}, "Shop: the short name 's h' 's h' must be a DNS label"),
        (
            {"columns": [Column("Phase", "status.phase")]},
            (
                "Shop: the column 'Phase' needs a name and a JSON path that begins with a dot,"
                " such as '.status.phase'; it has 'status.phase'"
            ),
        ),
        (
            {"columns": [Column("Phase", ".status.phase")]},
            "Shop: the column 'Phase' shows nothing: .status has no field 'phase': it has replicas",
        ),
        (
            {"columns": [Column("N", ".spec.replicas", type="int")]},  # type: ignore[arg-type]  # so
            "Shop: the column 'N' has the type 'int': it must be one of string, integer, number",
        ),
        (
            {"scale": Scale(".spec.size")},
            "Shop: scale needs an int field below .spec, and '.spec.size' is none",
        ),
        ({"scale": Scale(".spec.ratio")}, "and '.spec.ratio' is none"),
        ({"scale": Scale(".status.replicas")}, "scale needs an int field below .spec"),
        (
            {"scale": Scale(label_selector_path=".status.selector")},
            "Shop: the label selector path of scale, '.status.selector', is not a str field",
        ),
        (
            {"selectable_fields": [".spec.names"]},
            "Shop: '.spec.names' cannot be selected: it must lead to a str, bool or int field",
        ),
        ({"selectable_fields": [".metadata.name"]}, "'.metadata.name' cannot be selected"),
        ({"selectable_fields": [".spec.replicas"] * 9}, "has at most eight selectable fields"),
    ],
)
def test_a_declaration_that_no_server_takes_is_refused(
    options: dict[str, Any], message: str
) -> None:
    """The server's message comes later and names a generated file."""

    @resource(**{"group": "example.com", "version": "v1", **options})
    class Shop(Resource):
        spec: Spec
        status: Status = field(default_factory=Status)

    with pytest.raises(SchemaError) as caught:
        custom_resource_definition(Shop)

    assert message in str(caught.value)


def test_a_simple_path_leads_to_a_schema_or_nowhere() -> None:
    """Filters and indexes are for columns only."""
    schema = {"properties": {"a": {"properties": {"b": {"type": "string"}}}}}

    assert find_path(schema, ".a.b") == {"type": "string"}
    assert find_path(schema, ".a.c") is None
    assert find_path(schema, ".a[0]") is None
    assert find_path(schema, "a.b") is None


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "metadata": {"type": "object"},
        "spec": {
            "type": "object",
            "properties": {
                "raw": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        },
        "status": {
            "type": "object",
            "properties": {
                "readyReplicas": {"type": "integer"},
                "conditions": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"status": {"type": "string"}}},
                },
            },
        },
    },
}


@pytest.mark.parametrize(
    "path",
    [
        ".metadata.creationTimestamp",
        ".metadata.labels.app",
        ".status.readyReplicas",
        ".status['readyReplicas']",
        '.status.conditions[?(@.type=="Ready")].status',
        ".status.conditions[0].status",
        ".status.conditions[*].status",
        ".spec.raw.whatever[0]",
        ".spec.labels.app",
        ".spec..whatever",
    ],
)
def test_a_path_to_a_field_passes(path: str) -> None:
    """So does what lies in the open, and what we do not read."""
    assert problem_of(path, SCHEMA) == ""


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (".status.ready_replicas", "did you mean .status.readyReplicas?"),
        (".status.readyReplica", ".status has no field 'readyReplica': did you mean .status.ready"),
        (".statuz.x", "the object has no field 'statuz': did you mean .status?"),
        (".status.phase", ".status has no field 'phase': it has readyReplicas, conditions"),
        (".status.readyReplicas.x", ".status.readyReplicas has no field 'x': it has none"),
        (".status.readyReplicas[0]", ".status.readyReplicas is not a list"),
        (".status.conditions[0].reason", ".status.conditions[0] has no field 'reason'"),
    ],
)
def test_a_path_to_nothing_says_where_it_gets_lost(path: str, told: str) -> None:
    """An operator sees kubectl print an empty column, and no reason."""
    assert told in problem_of(path, SCHEMA)
