from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "storage.k8s.io"


def test_a_storage_class_deletes_and_binds_at_once() -> None:
    """Unless it says otherwise."""
    found = KindServer(GROUP, "storageclasses").create({"provisioner": "a/b"})

    assert (found["reclaimPolicy"], found["volumeBindingMode"]) == ("Delete", "Immediate")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({}, "provisioner: Required value"),
        ({"provisioner": "-"}, "provisioner: Invalid value"),
        ({"provisioner": "a", "reclaimPolicy": "Recycle"}, 'supported values: "Delete", "Retain"'),
        ({"provisioner": "a", "volumeBindingMode": "X"}, '"Immediate", "WaitForFirstConsumer"'),
        ({"provisioner": "a", "parameters": {"": "x"}}, "field can not be empty."),
    ],
)
def test_a_storage_class_is_complete(content: dict[str, Any], problem: str) -> None:
    """Claims wait for ever otherwise."""
    assert problem in KindServer(GROUP, "storageclasses").refusal(content)


def test_a_storage_class_stays_what_it_is() -> None:
    """Only growth may be allowed later."""
    server = KindServer(GROUP, "storageclasses")
    found = server.create({"provisioner": "a"})

    assert not server.refused_change(found, allowVolumeExpansion=True)
    assert server.refused_change(found, provisioner="b", reclaimPolicy="Retain") == (
        'provisioner: Invalid value: "b": field is immutable;'
        ' reclaimPolicy: Invalid value: "Retain": field is immutable'
    )


def test_a_class_of_attributes_is_fixed() -> None:
    """Volumes were made by it."""
    server = KindServer(GROUP, "volumeattributesclasses")
    assert "must contain at least one key/value pair" in server.refusal({"driverName": "a"})
    found = server.create({"driverName": "a", "parameters": {"a": "b"}})

    problem = server.refused_change(found, parameters={"a": "c"})

    assert problem == "parameters: Forbidden: updates to parameters are forbidden."


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
    """Kubelets act on it."""
    assert problem in KindServer(GROUP, "csidrivers").refusal({"spec": spec})


def test_the_way_of_attaching_stays() -> None:
    """Volumes are attached already."""
    server = KindServer(GROUP, "csidrivers")
    found = server.create()

    problem = server.refused_change(found, spec={"attachRequired": False})

    assert problem == "spec.attachedRequired: Invalid value: false: field is immutable"


def test_drivers_of_a_node_are_listed_once() -> None:
    """And stay the same but for their limits."""
    server = KindServer(GROUP, "csinodes")
    driver = {"name": "a", "nodeID": "n"}
    assert 'Duplicate value: "a"' in server.refusal({"spec": {"drivers": [driver, driver]}})
    found = server.create({"spec": {"drivers": [driver]}})
    assert found["spec"]["drivers"][0]["topologyKeys"] is None

    more = {**driver, "allocatable": {"count": 5}}
    assert not server.refused_change(found, spec={"drivers": [more]})
    other = {**driver, "nodeID": "m"}
    assert "field is immutable" in server.refused_change(found, spec={"drivers": [other]})


def test_an_attachment_is_of_one_volume_to_one_node() -> None:
    """It is made by a controller, and its status by a driver."""
    server = KindServer(GROUP, "volumeattachments")
    problem = server.refusal({"spec": {"nodeName": "n"}})
    source = {"persistentVolumeName": "p"}
    found = server.create({"spec": {"attacher": "a", "nodeName": "n", "source": source}})

    assert "spec.attacher: Required value" in problem
    assert "must specify exactly one of inlineVolumeSpec and persistentVolumeName" in problem
    assert found["status"] == {"attached": False}
    changed = {**found["spec"], "nodeName": "m"}
    assert "field is immutable" in server.refused_change(found, spec=changed)


def test_room_is_of_a_class_somewhere() -> None:
    """Only the amount changes."""
    server = KindServer(GROUP, "csistoragecapacities")
    assert "capacity: Invalid value" in server.refusal({"storageClassName": "a", "capacity": "-1"})
    found = server.create({"storageClassName": "a", "capacity": "1Gi"})

    assert not server.refused_change(found, capacity="2Gi")
    assert "storageClassName" in server.refused_change(found, storageClassName="b")
