"""HorizontalPodAutoscalers."""

from typing import Any

import pytest

from tests.unit.apiserver.builtin.workload_samples import Obj, an_object, created, refusals

TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
METRIC = "spec.metrics[0]"
CPU = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
}
QUEUE: Obj = {
    "type": "Pods",
    "pods": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "5"}},
}


def an_autoscaler(**spec: Any) -> Obj:
    return an_object({"spec": {"scaleTargetRef": TARGET, "maxReplicas": 3, **spec}})


def test_a_minimal_autoscaler_watches_the_processors() -> None:
    """Users see these defaults in kubectl after creating a minimal autoscaler."""
    stored = created("autoscaling", "horizontalpodautoscalers", an_autoscaler())

    target = {"type": "Utilization", "averageUtilization": 80}
    assert stored["spec"]["metrics"] == [
        {"type": "Resource", "resource": {"name": "cpu", "target": target}}
    ]
    assert stored["spec"]["minReplicas"] == 1
    assert stored["status"] == {"desiredReplicas": 0, "currentMetrics": None}


def test_half_a_behavior_is_completed() -> None:
    """The other direction keeps its usual rules."""
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 10}}

    stored = created("autoscaling", "horizontalpodautoscalers", an_autoscaler(behavior=behavior))

    found = stored["spec"]["behavior"]
    assert found["scaleDown"]["stabilizationWindowSeconds"] == 10
    assert found["scaleDown"]["policies"] == [
        {"type": "Percent", "value": 100, "periodSeconds": 15}
    ]
    assert found["scaleUp"]["stabilizationWindowSeconds"] == 0


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {"maxReplicas": 0},
            [
                (
                    "spec.maxReplicas: Invalid value: 0: must be greater than or equal to"
                    " `minReplicas`"
                ),
                "spec.maxReplicas: Required value",
            ],
        ),
        (
            {"minReplicas": 0},
            [
                (
                    "spec.metrics: Forbidden: must specify at least one Object or External metric"
                    " to support scaling to zero replicas"
                )
            ],
        ),
        (
            {"scaleTargetRef": {"kind": "Deployment", "name": "d"}},
            [
                (
                    'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify '
                    "API group"
                )
            ],
        ),
        (
            {"scaleTargetRef": {"kind": "ReplicationController", "name": "d", "apiVersion": "v1"}},
            [],
        ),
        (
            {"metrics": [{"type": "X"}]},
            [
                (
                    f'{METRIC}.type: Unsupported value: "X": supported values: '
                    '"ContainerResource", "External", "Object", "Pods", "Resource"'
                )
            ]
            * 2,
        ),
        (
            {"metrics": [{"type": "Resource", "pods": QUEUE["pods"]}]},
            [
                (
                    f"{METRIC}.resource: Required value: must populate information for the given "
                    "metric source"
                )
            ],
        ),
        (
            {"metrics": [{**CPU, "pods": QUEUE["pods"]}]},
            [f"{METRIC}.pods: Forbidden: must populate the given metric source only"],
        ),
        (
            {"metrics": [{"type": "Resource", "resource": {"target": {"type": "Utilization"}}}]},
            [
                f"{METRIC}.resource.name: Required value: must specify a resource name",
                (
                    f"{METRIC}.resource.target.averageUtilization: Required value: must set either"
                    " a target raw value or a target utilization"
                ),
            ],
        ),
        (
            {
                "metrics": [
                    {
                        "type": "External",
                        "external": {
                            "metric": {"name": "q"},
                            "target": {"type": "Value", "value": "0"},
                        },
                    }
                ]
            },
            [f'{METRIC}.external.target.value: Invalid value: "0": must be positive'],
        ),
        (
            {
                "behavior": {
                    "scaleUp": {
                        "policies": [{"type": "X", "value": 1, "periodSeconds": 1801}],
                        "selectPolicy": "X",
                    }
                }
            },
            [
                (
                    'spec.behavior.scaleUp.selectPolicy: Unsupported value: "X": supported '
                    'values: "Disabled", "Max", "Min"'
                ),
                (
                    'spec.behavior.scaleUp.policies[0].type: Unsupported value: "X": supported '
                    'values: "Percent", "Pods"'
                ),
                (
                    "spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must "
                    "be less than or equal to 1800"
                ),
            ],
        ),
    ],
)
def test_a_wrong_autoscaler_is_refused(spec: Any, expected: list[str]) -> None:
    """The texts and their order are Kubernetes'."""
    assert refusals("autoscaling", "horizontalpodautoscalers", an_autoscaler(**spec)) == expected
