"""Claims of devices."""

from typing import Any

import pytest

from tests.unit.apiserver.builtin.workload_samples import (
    Obj,
    an_object,
    created,
    refusals,
    update_refusals,
)

GROUP = "resource.k8s.io"
HERE = "spec.devices.requests[0]"


def a_claim(*requests: Any) -> Obj:
    return an_object({"spec": {"devices": {"requests": list(requests)}}})


GPU = {"name": "gpu", "exactly": {"deviceClassName": "a"}}


def test_a_claim_asks_for_one_device_unless_it_says_more() -> None:
    """One is what people mean."""
    spec = created(GROUP, "resourceclaims", a_claim(GPU))["spec"]

    [request] = spec["devices"]["requests"]
    assert request["exactly"]["allocationMode"] == "ExactCount"
    assert request["exactly"]["count"] == 1


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({"name": "gpu", "exactly": {}}, [f"{HERE}.exactly.deviceClassName: Required value"]),
        ({"exactly": GPU["exactly"]}, [f"{HERE}.name: Required value"]),
        (
            {"name": "gpu", "exactly": {"deviceClassName": "a", "allocationMode": "X"}},
            [
                (
                    f'{HERE}.exactly.allocationMode: Unsupported value: "X": supported values:'
                    ' "All", "ExactCount"'
                )
            ],
        ),
    ],
)
def test_a_wrong_request_is_refused(request_: Any, expected: list[str]) -> None:
    """A driver could not make sense of it."""
    assert refusals(GROUP, "resourceclaims", a_claim(request_)) == expected


def test_what_was_asked_for_never_changes() -> None:
    """Devices were handed out for it."""
    [text] = update_refusals(GROUP, "resourceclaims", a_claim(GPU), devices={})

    assert text.endswith(": field is immutable")


def test_the_claim_in_a_template_gets_the_same_defaults() -> None:
    """Claims are copied from it as it is."""
    template = an_object({"spec": {"spec": a_claim(GPU)["spec"]}})

    spec = created(GROUP, "resourceclaimtemplates", template)["spec"]

    assert spec["metadata"] == {}
    assert spec["spec"]["devices"]["requests"][0]["exactly"]["count"] == 1
