from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "storage.k8s.io"


def test_a_csi_driver_gets_its_defaults_and_no_generation() -> None:
    """The generation begins with the first change."""
    server = KindServer(GROUP, "csidrivers")
    found = server.create()

    assert found["spec"] == {
        "attachRequired": True,
        "podInfoOnMount": False,
        "storageCapacity": False,
        "requiresRepublish": False,
        "seLinuxMount": False,
        "preventPodSchedulingIfMissing": False,
        "fsGroupPolicy": "ReadWriteOnceWithFSType",
        "volumeLifecycleModes": ["Persistent"],
    }
    changed = server.update(found, spec={**found["spec"], "podInfoOnMount": True})
    assert changed["metadata"]["generation"] == 1


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"fsGroupPolicy": "X"}, 'supported values: "File", "None", "ReadWriteOnceWithFSType"'),
        ({"volumeLifecycleModes": ["X"]}, 'supported values: "Persistent", "Ephemeral"'),
        ({"tokenRequests": [{"audience": "a"}] * 2}, "spec.tokenRequests[1].audience: Duplicate"),
        (
            {"tokenRequests": [{"audience": "a", "expirationSeconds": 1}]},
            "may not specify a duration less than 10 minutes",
        ),
        ({"nodeAllocatableUpdatePeriodSeconds": 5}, "must be greater than or equal to 10 seconds"),
    ],
)
def test_a_csi_driver_is_checked(spec: dict[str, Any], problem: str) -> None:
    """Kubelets rely on these settings."""
    assert problem in KindServer(GROUP, "csidrivers").refusal({"spec": spec})


def test_the_way_of_attaching_stays() -> None:
    """Attached volumes would be handled in another way than they were set up."""
    server = KindServer(GROUP, "csidrivers")
    found = server.create()

    problem = server.refused_change(found, spec={"attachRequired": False})

    assert problem == "spec.attachedRequired: Invalid value: false: field is immutable"
