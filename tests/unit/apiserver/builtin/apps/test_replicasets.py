"""ReplicaSets."""

from kubewright.apiserver.builtin import strategy_for
from tests.unit.apiserver.builtin.workload_samples import (
    a_workload,
    created,
    status_refusals,
)


def test_a_replica_set_shows_and_is_selected_by_its_count() -> None:
    """A count of zero is shown and can be selected by."""
    stored = created("apps", "replicasets", a_workload())

    assert stored["status"] == {"replicas": 0}
    fields = strategy_for("apps", "replicasets").selectable_fields({"status": {"replicas": 3}})
    assert fields == {"status.replicas": "3"}


def test_a_negative_count_does_not_hide_what_else_is_wrong() -> None:
    """Zero is more than minus one, and Kubernetes says so of every count."""
    texts = status_refusals("apps", "replicasets", a_workload(), {}, {"replicas": -1})

    assert texts[0] == "status.replicas: Invalid value: -1: must be greater than or equal to 0"
    assert len(texts) == 4
