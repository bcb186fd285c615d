from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer


def claim(size: str = "1Gi", **more: Any) -> dict[str, Any]:
    requests = {"requests": {"storage": size}}
    return {"spec": {"accessModes": ["ReadWriteOnce"], "resources": requests, **more}}


def claims() -> KindServer:
    return KindServer("", "persistentvolumeclaims")


def test_a_claim_starts_as_pending_and_asks_for_a_file_system() -> None:
    """The binder reads both."""
    found = claims().create(claim())

    assert found["spec"]["volumeMode"] == "Filesystem"
    assert found["status"] == {"phase": "Pending"}


def test_both_names_of_a_source_are_filled_in() -> None:
    """Old programs read the one, new ones the other."""
    source = {"kind": "PersistentVolumeClaim", "name": "a"}

    spec = claims().create(claim(dataSource=source))["spec"]

    assert spec["dataSource"] == spec["dataSourceRef"] == {**source, "apiGroup": None}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({}, "spec.accessModes: Required value: at least 1 access mode is required"),
        ({}, "spec.resources[storage]: Required value"),
        (claim("0"), 'spec.resources[storage]: Invalid value: "0": must be greater than zero'),
        (claim(dataSource={"kind": "X", "name": "a"}), "must be 'PersistentVolumeClaim' when ref"),
    ],
)
def test_a_claim_says_what_it_wants(content: dict[str, Any], problem: str) -> None:
    """The binder needs the access modes and the size."""
    assert problem in claims().refusal(content)


def test_the_spec_of_a_claim_stays_but_for_its_volume() -> None:
    """The binder sets the volume name once."""
    server = claims()
    found = server.create(claim())

    bound = server.update(found, spec={**found["spec"], "volumeName": "v"})
    problem = server.refused_change(bound, spec={**found["spec"], "volumeName": "w"})

    assert problem.startswith(
        "spec: Forbidden: spec is immutable after creation except resources.requests and"
        " volumeAttributesClassName for bound claims\n"
    )
    assert '-  "VolumeName": "v"'.replace("  ", " ") in problem


def test_a_bound_claim_grows() -> None:
    """A claim never shrinks below its current capacity."""
    server = claims()
    found = server.create(claim("2Gi"))
    found = server.update_status(found, {"phase": "Bound", "capacity": {"storage": "2Gi"}})

    resources = {"requests": {"storage": "3Gi"}}
    assert not server.refused_change(found, spec={**found["spec"], "resources": resources})
    resources = {"requests": {"storage": "1Gi"}}
    problem = server.refused_change(found, spec={**found["spec"], "resources": resources})
    assert problem.endswith("Forbidden: field can not be less than status.capacity")
