from typing import Any

import pytest

from tests.unit.apiserver.table.rows import row

CPU = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
}


def targets(metrics: list[Any], current: list[Any] | None = None) -> str:
    content = {"spec": {"metrics": metrics}, "status": {"currentMetrics": current or []}}
    shown: str = row("autoscaling", "horizontalpodautoscalers", content)["Targets"]
    return shown


def test_an_autoscaler_shows_what_it_scales() -> None:
    """The row also has the minimum and maximum of replicas."""
    spec = {"scaleTargetRef": {"kind": "Deployment", "name": "d"}, "maxReplicas": 5}

    found = row("autoscaling", "horizontalpodautoscalers", {"spec": spec})

    assert (found["Reference"], found["Targets"]) == ("Deployment/d", "<none>")
    assert (found["MinPods"], found["MaxPods"], found["Replicas"]) == ("<unset>", 5, 0)


@pytest.mark.parametrize(
    ("metric", "current", "shown"),
    [
        (CPU, None, "cpu: <unknown>/80%"),
        (CPU, {"resource": {"current": {"averageUtilization": 40}}}, "cpu: 40%/80%"),
        (
            {"type": "Resource", "resource": {"name": "memory", "target": {"averageValue": "5Mi"}}},
            {"resource": {"current": {"averageValue": "3Mi"}}},
            "memory: 3Mi/5Mi",
        ),
        (
            {"type": "Pods", "pods": {"target": {"averageValue": "5"}}},
            {"pods": {"current": {"averageValue": "4"}}},
            "4/5",
        ),
        (
            {"type": "External", "external": {"target": {"averageValue": "5"}}},
            None,
            "<unknown>/5 (avg)",
        ),
        (
            {"type": "Object", "object": {"target": {"value": "5"}}},
            {"object": {"current": {"value": "2"}}},
            "2/5",
        ),
        ({"type": "X"}, None, "<unknown type>"),
        (
            {"type": "ContainerResource", "containerResource": {"name": "cpu", "target": {}}},
            None,
            "cpu: <unknown>/<auto>",
        ),
    ],
)
def test_a_metric_shows_where_it_is_and_where_it_should_be(
    metric: dict[str, Any], current: dict[str, Any] | None, shown: str
) -> None:
    """Each type of metric has its own format."""
    assert targets([metric], [current] if current else None) == shown


def test_more_than_two_metrics_are_counted() -> None:
    """The column would be too wide."""
    assert targets([CPU] * 4).endswith("cpu: <unknown>/80% + 2 more...")
