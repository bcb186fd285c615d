"""The scale subresource."""

from kubewright.apiserver.builtin.autoscaling.scale import scale_of, validate_scale, with_scale
from tests.unit.apiserver.builtin.workload_samples import LABELS, NOW, UID, a_workload

EXPRESSIONS = [
    {"key": "tier", "operator": "In", "values": ["web", "api"]},
    {"key": "old", "operator": "DoesNotExist"},
]


def test_a_scale_shows_counts_and_the_selector_as_text() -> None:
    """Autoscalers list the pods with that text."""
    obj = {
        **a_workload(replicas=3, selector={"matchLabels": LABELS, "matchExpressions": EXPRESSIONS}),
        "status": {"replicas": 2},
    }
    obj["metadata"] |= {"resourceVersion": "7", "creationTimestamp": NOW, "labels": {"a": "b"}}

    assert scale_of(obj) == {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {
            "name": "x",
            "namespace": "default",
            "uid": UID,
            "resourceVersion": "7",
            "creationTimestamp": NOW,
        },
        "spec": {"replicas": 3},
        "status": {"replicas": 2, "selector": "app=shop,!old,tier in (api,web)"},
    }


def test_the_selector_of_a_replication_controller_is_its_map() -> None:
    """It is older than selectors with expressions."""
    obj = {**a_workload(selector=LABELS), "kind": "ReplicationController"}

    assert scale_of(obj)["status"]["selector"] == "app=shop"


def test_a_written_scale_changes_the_count_and_brings_its_version() -> None:
    """The version is what the change is based on; the input stays as it was."""
    obj = a_workload(replicas=3)
    obj["metadata"]["resourceVersion"] = "9"

    scaled = with_scale(obj, {"metadata": {"resourceVersion": "7"}, "spec": {"replicas": 5}})

    assert scaled["spec"]["replicas"] == 5
    assert scaled["metadata"]["resourceVersion"] == "7"
    assert obj["spec"]["replicas"] == 3
    assert "resourceVersion" not in with_scale(obj, {})["metadata"]


def test_there_are_no_fewer_than_no_pods() -> None:
    """Zero replicas are valid, a negative number is not."""
    [error] = validate_scale({"spec": {"replicas": -1}})

    assert str(error) == "spec.replicas: Invalid value: -1: must be greater than or equal to 0"
    assert not validate_scale({"spec": {}})
