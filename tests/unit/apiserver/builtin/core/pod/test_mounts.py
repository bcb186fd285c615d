"""Where volumes appear inside of containers."""

from typing import Any

import pytest

from tests.unit.apiserver.builtin.workload_samples import CONTAINER, a_pod, refusals


@pytest.mark.parametrize(
    ("mounts", "expected"),
    [
        ([{"name": "x", "mountPath": "/x"}], ['volumeMounts[0].name: Not found: "x"']),
        (
            [{}],
            [
                "volumeMounts[0].name: Required value",
                'volumeMounts[0].name: Not found: ""',
                "volumeMounts[0].mountPath: Required value",
            ],
        ),
        (
            [{"name": "v", "mountPath": "/x"}, {"name": "v", "mountPath": "/x"}],
            ['volumeMounts[1].mountPath: Invalid value: "/x": must be unique'],
        ),
        (
            [{"name": "v", "mountPath": "/x", "subPath": "/a", "subPathExpr": "b"}],
            [
                'volumeMounts.subPath: Invalid value: "/a": must be a relative path',
                (
                    'volumeMounts[0].subPathExpr: Invalid value: "b": subPathExpr and subPath are'
                    " mutually exclusive"
                ),
            ],
        ),
        (
            [{"name": "v", "mountPath": "/x", "mountPropagation": "Bidirectional"}],
            [
                (
                    "volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is"
                    " available only to privileged containers"
                )
            ],
        ),
        (
            [{"name": "v", "mountPath": "/x", "recursiveReadOnly": "Enabled"}],
            [
                (
                    "volumeMounts.recursiveReadOnly: Forbidden: may only be specified when "
                    "readOnly is true"
                )
            ],
        ),
    ],
)
def test_a_mount_names_a_volume_of_the_pod(mounts: Any, expected: list[str]) -> None:
    """The most common slip in a manifest."""
    container = {**CONTAINER, "volumeMounts": mounts}

    texts = refusals("", "pods", a_pod(volumes=[{"name": "v"}], containers=[container]))

    assert texts == [f"spec.containers[0].{text}" for text in expected]


def test_a_broken_volume_cannot_be_mounted_either() -> None:
    """Kubernetes reports both, the volume first."""
    container = {**CONTAINER, "volumeMounts": [{"name": "v", "mountPath": "/x"}]}

    texts = refusals(
        "", "pods", a_pod(volumes=[{"name": "v", "secret": {}}], containers=[container])
    )

    assert texts == [
        "spec.volumes[0].secret.secretName: Required value",
        'spec.containers[0].volumeMounts[0].name: Not found: "v"',
    ]


def test_a_block_device_comes_from_a_claim() -> None:
    """No other volume source has a block device."""
    container = {**CONTAINER, "volumeDevices": [{"name": "v", "devicePath": "/dev/x"}]}

    [text] = refusals("", "pods", a_pod(volumes=[{"name": "v"}], containers=[container]))

    assert text.endswith(
        "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
    )
