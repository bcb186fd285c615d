"""Requests, limits, and the quality of service they give."""

from typing import Any

import pytest

from kubewright.apiserver.builtin.core.pod.resources import effective, quality_of_service
from tests.unit.apiserver.builtin.workload_samples import a_pod, created, pod_with, refusals

HERE = "spec.containers[0].resources"


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({"limits": {"cpu": "1"}, "requests": {"cpu": "1000m"}}, []),
        (
            {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}},
            [f'{HERE}.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
        ),
        (
            {"limits": {"cpu": "-1"}},
            [
                f'{HERE}.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
                f'{HERE}.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0',
            ],
        ),
        (
            {"limits": {"a.b/gpu": "1"}, "requests": {"a.b/gpu": "2"}},
            [f'{HERE}.requests: Invalid value: "2": must be equal to a.b/gpu limit of 1'],
        ),
        (
            {"requests": {"a.b/gpu": "1"}},
            [f"{HERE}.limits: Required value: Limit must be set for non overcommitable resources"],
        ),
        (
            {"requests": {"disk": "1"}},
            [
                (
                    f'{HERE}.requests[disk]: Invalid value: "disk": must be a standard resource '
                    "type or fully qualified"
                ),
                (
                    f'{HERE}.requests[disk]: Invalid value: "disk": must be a standard resource '
                    "for containers"
                ),
            ],
        ),
        (
            {"limits": {"hugepages-2Mi": "4Mi"}},
            [f"{HERE}: Forbidden: HugePages require cpu or memory"],
        ),
        (
            {"claims": [{"name": "x"}]},
            [
                (
                    f'{HERE}.claims[0]: Not found: "x": must be one of the names in '
                    "pod.spec.resourceClaims which is empty"
                )
            ],
        ),
    ],
)
def test_amounts_fit_together(resources: Any, expected: list[str]) -> None:
    """A request above its limit could never be granted."""
    assert refusals("", "pods", pod_with(resources=resources)) == expected


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}, "Burstable"),
        (
            {
                "limits": {"cpu": "1", "memory": "1Gi"},
                "requests": {"cpu": "1000m", "memory": "1024Mi"},
            },
            "Guaranteed",
        ),
        ({"requests": {"cpu": "0"}}, "BestEffort"),
        ({"requests": {"ephemeral-storage": "1Gi"}}, "BestEffort"),
    ],
)
def test_processors_and_memory_decide_the_class(resources: Any, expected: str) -> None:
    """It decides who is killed first when a node is full."""
    assert quality_of_service({"containers": [{"resources": resources}]}) == expected


def test_one_container_of_another_class_makes_the_pod_burstable() -> None:
    """The node treats the pod as one."""
    full = {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}}

    assert quality_of_service({"containers": [{"resources": full}, {}]}) == "Burstable"


def test_init_containers_count_by_the_largest_and_sidecars_on_top() -> None:
    """They run one after the other, except those that keep running."""

    def using(size: str, **more: str) -> dict[str, Any]:
        return {"resources": {"requests": {"memory": size}}, **more}

    spec = {
        "initContainers": [using("1Gi", restartPolicy="Always"), using("4Gi")],
        "containers": [using("2Gi")],
    }

    assert str(effective(spec, "requests")["memory"]) == "5Gi"


def test_a_pods_own_requests_come_from_its_containers_or_its_limits() -> None:
    """The pod as a whole is scheduled by them."""
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": "1"}}}
    limits = {"cpu": "2", "memory": "1Gi"}

    spec = created("", "pods", a_pod(containers=[container], resources={"limits": limits}))["spec"]

    assert spec["resources"]["requests"] == {"cpu": "1", "memory": "1Gi"}


def test_a_pod_cannot_ask_for_less_than_its_containers() -> None:
    """They would never fit."""
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": "2"}}}

    texts = refusals(
        "", "pods", a_pod(containers=[container], resources={"requests": {"cpu": "1"}})
    )

    assert texts == [
        (
            'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to'
            " aggregate container requests of 2"
        )
    ]
