from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import NOW, KindServer

VOLUME: dict[str, Any] = {
    "capacity": {"storage": "1Gi"},
    "accessModes": ["ReadWriteOnce"],
    "hostPath": {"path": "/data"},
}


def volumes() -> KindServer:
    return KindServer("", "persistentvolumes")


def test_a_volume_is_kept() -> None:
    """Data is lost only on purpose."""
    found = volumes().create({"spec": VOLUME})

    assert found["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    assert found["spec"]["hostPath"] == {"path": "/data", "type": ""}
    assert found["status"] == {"phase": "Pending", "lastPhaseTransitionTime": NOW}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"accessModes": []}, "spec.accessModes: Required value"),
        ({"accessModes": ["X"]}, 'spec.accessModes: Unsupported value: "X"'),
        ({"accessModes": ["ReadWriteOncePod", "ReadWriteOnce"]}, "may not use ReadWriteOncePod wi"),
        ({"capacity": {}}, "spec.capacity: Required value"),
        ({"capacity": {"storage": "0"}}, 'Invalid value: "0": must be greater than zero'),
        ({"capacity": {"storage": "1", "cpu": "1"}}, "Unsupported value: {"),
        ({"hostPath": {"path": "/a/../b"}}, "must not contain '..'"),
        (
            {"hostPath": {"path": "/"}, "persistentVolumeReclaimPolicy": "Recycle"},
            "may not be 'recycle' for a hostPath mount of '/'",
        ),
        ({"nfs": {"server": "s", "path": "/p"}}, "spec.nfs: Forbidden: may not specify more than"),
        ({"volumeMode": "X"}, 'supported values: "Block", "Filesystem"'),
        ({"storageClassName": "A"}, "spec.storageClassName: Invalid value"),
    ],
)
def test_a_volume_is_one_that_can_be_mounted(change: dict[str, Any], problem: str) -> None:
    """The texts are Kubernetes'."""
    assert problem in volumes().refusal({"spec": {**VOLUME, **change}})


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ({}, "spec: Required value: must specify a volume type"),
        ({"nfs": {"path": "p"}}, "spec.nfs.server: Required value"),
        ({"csi": {"driver": "a"}}, "spec.csi.volumeHandle: Required value"),
        ({"local": {"path": "/a"}}, "Local volume requires node affinity"),
    ],
)
def test_each_sort_of_volume_has_rules_of_its_own(source: dict[str, Any], problem: str) -> None:
    """Only the common ones are checked in depth."""
    spec = {name: VOLUME[name] for name in ("capacity", "accessModes")}

    assert problem in volumes().refusal({"spec": {**spec, **source}})


def test_the_source_of_a_volume_stays() -> None:
    """It is where the data is; a secret for growing may come later."""
    server = volumes()
    plain = {name: VOLUME[name] for name in ("capacity", "accessModes")}
    found = server.create({"spec": {**plain, "csi": {"driver": "a", "volumeHandle": "h"}}})

    csi = {**found["spec"]["csi"], "controllerExpandSecretRef": {"name": "s"}}
    assert not server.refused_change(found, spec={**found["spec"], "csi": csi})
    csi = {"driver": "a", "volumeHandle": "other"}
    problem = server.refused_change(found, spec={**found["spec"], "csi": csi})
    assert problem.endswith("spec.persistentvolumesource is immutable after creation")


def test_a_phase_is_dated() -> None:
    """It shows how long a volume waits."""
    server = volumes()
    found = server.create({"spec": VOLUME})
    found["status"]["lastPhaseTransitionTime"] = "2020-01-01T00:00:00Z"

    same = server.update_status(found, {"phase": "Pending"})["status"]
    other = server.update_status(found, {"phase": "Available"})["status"]

    assert same["lastPhaseTransitionTime"] == "2020-01-01T00:00:00Z"
    assert other["lastPhaseTransitionTime"] == NOW


def test_what_is_on_its_way_out_is_named() -> None:
    """Users are warned of recycling, old annotations, and sources without a driver."""
    server = volumes()
    spec = {**VOLUME, "persistentVolumeReclaimPolicy": "Recycle"}

    server.create({"spec": spec}, annotations={"volume.beta.kubernetes.io/mount-options": "ro"})

    assert server.warnings == [
        (
            "metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31;"
            ' use "mountOptions" attribute instead'
        ),
        (
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead,"
            " the recommended approach is to use dynamic provisioning."
        ),
    ]
