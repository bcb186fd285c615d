"""StatefulSets."""

from typing import Any

import pytest

from tests.unit.apiserver.builtin.workload_samples import (
    CONTAINER,
    a_workload,
    created,
    refusals,
    template,
    update_refusals,
)

CLAIM = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}
MOUNTING = template(
    containers=[{**CONTAINER, "volumeMounts": [{"name": "data", "mountPath": "/d"}]}]
)


def test_a_stateful_set_starts_in_order_and_keeps_its_disks() -> None:
    """Users see these defaults in kubectl after creating a minimal StatefulSet."""
    stored = created("apps", "statefulsets", a_workload(volumeClaimTemplates=[CLAIM]))

    spec = stored["spec"]
    assert spec["podManagementPolicy"] == "OrderedReady"
    assert spec["serviceName"] == ""
    assert spec["updateStrategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"partition": 0, "maxUnavailable": 1},
    }
    assert spec["persistentVolumeClaimRetentionPolicy"] == {
        "whenDeleted": "Retain",
        "whenScaled": "Retain",
    }
    [claim] = spec["volumeClaimTemplates"]
    assert (claim["apiVersion"], claim["kind"]) == ("v1", "PersistentVolumeClaim")
    assert claim["spec"]["volumeMode"] == "Filesystem"
    assert claim["status"] == {"phase": "Pending"}
    assert stored["status"] == {"replicas": 0, "availableReplicas": 0}


def test_claims_can_be_mounted_although_the_template_has_no_volume() -> None:
    """Each pod gets a volume of its own from them."""
    assert not refusals(
        "apps", "statefulsets", a_workload(template=MOUNTING, volumeClaimTemplates=[CLAIM])
    )
    assert refusals("apps", "statefulsets", a_workload(template=MOUNTING)) == [
        'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"'
    ]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {"podManagementPolicy": "X"},
            [
                (
                    "spec.podManagementPolicy: Invalid value: \"X\": must be 'OrderedReady' or "
                    "'Parallel'"
                )
            ],
        ),
        (
            {"updateStrategy": {"type": "X"}},
            [
                (
                    'spec.updateStrategy: Invalid value: {"Type":"X","RollingUpdate":null}: must '
                    "be 'RollingUpdate' or 'OnDelete'"
                )
            ],
        ),
        (
            {"updateStrategy": {"type": "OnDelete", "rollingUpdate": {"partition": 1}}},
            [
                (
                    "spec.updateStrategy.rollingUpdate: Invalid value: "
                    '{"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy '
                    "'RollingUpdate'"
                )
            ],
        ),
        (
            {"updateStrategy": {"rollingUpdate": {"maxUnavailable": 0}}},
            ["spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0"],
        ),
        (
            {"persistentVolumeClaimRetentionPolicy": {"whenScaled": "X"}},
            [
                (
                    "spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "
                    '"X": supported values: "Retain", "Delete"'
                )
            ],
        ),
        (
            {"ordinals": {"start": -1}},
            ["spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            {"volumeClaimTemplates": [{"metadata": {"name": "d"}}]},
            [
                (
                    "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 "
                    "access mode is required"
                ),
                "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
            ],
        ),
        (
            {"selector": {}},
            ["spec.selector: Invalid value: {}: empty selector is invalid for statefulset"],
        ),
    ],
)
def test_a_wrong_stateful_set_is_refused(spec: Any, expected: list[str]) -> None:
    """The texts and their order are Kubernetes'."""
    assert refusals("apps", "statefulsets", a_workload(**spec)) == expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"replicas": 3, "minReadySeconds": 1, "revisionHistoryLimit": 2}, []),
        ({"serviceName": "y"}, ['spec.serviceName: Invalid value: "y": field is immutable']),
        (
            {"podManagementPolicy": "Parallel"},
            ['spec.podManagementPolicy: Invalid value: "Parallel": field is immutable'],
        ),
    ],
)
def test_who_the_pods_are_never_changes(spec: Any, expected: list[str]) -> None:
    """Names and disks are promises to the program inside."""
    assert update_refusals("apps", "statefulsets", a_workload(), **spec) == expected
