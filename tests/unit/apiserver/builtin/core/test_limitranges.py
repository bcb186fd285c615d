from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer


def limits(**item: Any) -> dict[str, Any]:
    return {"spec": {"limits": [{"type": "Container", **item}]}}


def test_defaults_of_containers_follow_from_the_limits() -> None:
    """The maximum is the default, and the default the request."""
    server = KindServer("", "limitranges")

    found = server.create(limits(max={"cpu": "2"}, min={"cpu": "1", "memory": "1Gi"}))

    (item,) = found["spec"]["limits"]
    assert item["default"] == {"cpu": "2"}
    assert item["defaultRequest"] == {"cpu": "2", "memory": "1Gi"}


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"type": "Foo"}, "must be a standard limit type or fully qualified"),
        ({"type": "Pod", "default": {"cpu": "1"}}, "may not be specified when `type` is 'Pod'"),
        ({"type": "PersistentVolumeClaim"}, "either minimum or maximum storage value is required"),
        ({"max": {"storage": "1"}}, "must be a standard resource for containers"),
        ({"min": {"cpu": "2"}, "max": {"cpu": "1"}}, "min value 2 is greater than max value 1"),
        (
            {"default": {"cpu": "1"}, "defaultRequest": {"cpu": "2"}},
            "default request value 2 is greater than default limit value 1",
        ),
        ({"maxLimitRequestRatio": {"cpu": "500m"}}, "ratio 500m is less than 1"),
        (
            {"min": {"cpu": "1"}, "max": {"cpu": "2"}, "maxLimitRequestRatio": {"cpu": "3"}},
            "ratio 3 is greater than max/min = 2.000000",
        ),
        ({"min": {"cpu": "100m"}, "max": {"cpu": "1"}}, ""),
    ],
)
def test_a_range_can_be_kept(item: dict[str, Any], problem: str) -> None:
    """No pod could fulfil the others."""
    found = KindServer("", "limitranges").refusal(limits(**item))

    assert problem in found
    assert bool(problem) == bool(found)
