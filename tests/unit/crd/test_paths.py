"""Paths of columns: they lead to a field, or say where they get lost."""

from typing import Any

import pytest

from kubewright.crd.paths import problem_of

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
        (".status.readyReplicas[0]", ".status.readyReplicas is no list"),
        (".status.conditions[0].reason", ".status.conditions[0] has no field 'reason'"),
    ],
)
def test_a_path_to_nothing_says_where_it_gets_lost(path: str, told: str) -> None:
    """An operator sees kubectl print an empty column, and no reason."""
    assert told in problem_of(path, SCHEMA)
