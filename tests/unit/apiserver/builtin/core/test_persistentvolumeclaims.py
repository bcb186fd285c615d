from typing import Any

import pytest

from kubewright.apiserver.builtin.core.persistentvolumeclaims import CLASSES, DEFAULT_CLASS
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.builtin.kind_server import NOW, KindServer


def claim(size: str = "1Gi", **more: Any) -> dict[str, Any]:
    requests = {"requests": {"storage": size}}
    return {"spec": {"accessModes": ["ReadWriteOnce"], "resources": requests, **more}}


def claims() -> KindServer:
    return KindServer("", "persistentvolumeclaims")


def a_class(server: KindServer, name: str, *, created: str = NOW, **content: Any) -> None:
    meta = {"name": name, "creationTimestamp": created, "annotations": {DEFAULT_CLASS: "true"}}
    server.reader.put(CLASSES, {"metadata": meta, **content})


def test_a_claim_is_protected_and_of_the_default_class() -> None:
    """The newest class that is marked so."""
    server = claims()
    a_class(server, "old", created="2020-01-01T00:00:00Z")
    a_class(server, "new")

    found = server.create(claim())

    assert found["spec"]["storageClassName"] == "new"
    assert found["spec"]["volumeMode"] == "Filesystem"
    assert found["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    assert found["status"] == {"phase": "Pending"}
    assert server.create(claim(storageClassName=""))["spec"]["storageClassName"] == ""


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


def test_a_bound_claim_grows_if_its_class_allows() -> None:
    """A claim never shrinks below its current capacity."""
    server = claims()
    a_class(server, "a", allowVolumeExpansion=True)
    found = server.create(claim("2Gi"))
    found = server.update_status(found, {"phase": "Bound", "capacity": {"storage": "2Gi"}})

    resources = {"requests": {"storage": "3Gi"}}
    assert not server.refused_change(found, spec={**found["spec"], "resources": resources})
    resources = {"requests": {"storage": "1Gi"}}
    problem = server.refused_change(found, spec={**found["spec"], "resources": resources})
    assert problem.endswith("Forbidden: field can not be less than status.capacity")


def test_a_bound_claim_of_a_class_that_does_not_grow_is_refused() -> None:
    """The plug-in that checks it answers 403."""
    server = claims()
    found = server.update_status(server.create(claim()), {"phase": "Bound"})
    resources = {"requests": {"storage": "3Gi"}}

    with pytest.raises(StatusError, match="only dynamically provisioned pvc can be resized"):
        server.update(found, spec={**found["spec"], "resources": resources})
