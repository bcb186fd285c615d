"""HorizontalPodAutoscalers in their old version."""

from kubewright.apiserver.builtin.autoscaling.conversion import (
    BEHAVIOR,
    METRICS,
    hpa_from_v1,
    hpa_to_v1,
)
from tests.unit.apiserver.builtin.autoscaling.test_horizontalpodautoscalers import (
    CPU,
    QUEUE,
    TARGET,
    an_autoscaler,
)
from tests.unit.apiserver.builtin.workload_samples import an_object, created


def test_the_old_version_carries_the_rest_in_annotations() -> None:
    """A client that knows one number must not lose the others."""
    stored = created(
        "autoscaling", "horizontalpodautoscalers", an_autoscaler(metrics=[CPU, QUEUE], behavior={})
    )

    old = hpa_to_v1(stored)

    assert old["apiVersion"] == "autoscaling/v1"
    assert old["spec"]["targetCPUUtilizationPercentage"] == 50
    assert old["status"] == {"desiredReplicas": 0, "currentReplicas": 0}
    notes = old["metadata"]["annotations"]
    assert (
        notes[METRICS] == '[{"type":"Pods","pods":{"metricName":"queue","targetAverageValue":"5"}}]'
    )
    assert notes[BEHAVIOR].startswith(
        '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max"'
    )


def test_nothing_is_lost_on_the_way_to_the_old_version_and_back() -> None:
    """Only the order of the metrics may change: the one number comes last."""
    others = [
        QUEUE,
        {
            "type": "Object",
            "object": {
                "describedObject": TARGET,
                "metric": {"name": "q"},
                "target": {"type": "Value", "value": "5"},
            },
        },
        {
            "type": "External",
            "external": {
                "metric": {"name": "q"},
                "target": {"type": "AverageValue", "averageValue": "5"},
            },
        },
        {
            "type": "ContainerResource",
            "containerResource": {
                "name": "memory",
                "container": "c",
                "target": {"type": "AverageValue", "averageValue": "1Gi"},
            },
        },
    ]
    stored = created(
        "autoscaling",
        "horizontalpodautoscalers",
        an_autoscaler(metrics=[*others, CPU], behavior={}),
    )
    current = {
        "type": "Resource",
        "resource": {"name": "cpu", "current": {"averageUtilization": 7, "averageValue": "1"}},
    }
    stored["status"] = {
        "desiredReplicas": 2,
        "currentMetrics": [current],
        "conditions": [{"type": "AbleToScale", "status": "True"}],
    }

    back = hpa_from_v1(hpa_to_v1(stored))

    assert back["spec"] == stored["spec"]
    assert back["status"] == {**stored["status"], "currentReplicas": 0}
    assert "annotations" not in back["metadata"]


def test_a_spoilt_annotation_is_dropped() -> None:
    """People edit annotations by hand."""
    old = an_object(
        {"spec": {"maxReplicas": 2}}, annotations={METRICS: "{", BEHAVIOR: "[]", "mine": "1"}
    )

    new = hpa_from_v1(old)

    assert new["metadata"]["annotations"] == {"mine": "1"}
    assert len(new["spec"]["metrics"]) == 1
    assert "behavior" not in new["spec"]
