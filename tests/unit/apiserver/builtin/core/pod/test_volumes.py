"""Volumes, and the files in them."""

from typing import Any

import pytest

from tests.unit.apiserver.builtin.workload_samples import a_pod, refusals

HERE = "spec.volumes[0]"
MODE = "must be a number between 0 and 0777 (octal), both inclusive"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            {"emptyDir": {}, "hostPath": {"path": "/x"}},
            [f"{HERE}.hostPath: Forbidden: may not specify more than 1 volume type"],
        ),
        (
            {"emptyDir": {"sizeLimit": "-1"}},
            [
                (
                    f"{HERE}.emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid "
                    "resource quantity"
                )
            ],
        ),
        ({"secret": {}}, [f"{HERE}.secret.secretName: Required value"]),
        (
            {"hostPath": {"path": "/a/../b"}},
            [f"{HERE}.hostPath.path: Invalid value: \"/a/../b\": must not contain '..'"],
        ),
        (
            {"hostPath": {"path": "/a", "type": "X"}},
            [
                (
                    f'{HERE}.hostPath.type: Unsupported value: "X": supported values: "", '
                    '"BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", '
                    '"FileOrCreate", "Socket"'
                )
            ],
        ),
        (
            {"nfs": {}},
            [
                f"{HERE}.nfs.server: Required value",
                f"{HERE}.nfs.path: Required value",
                f'{HERE}.nfs.path: Invalid value: "": must be an absolute path',
            ],
        ),
        (
            {"configMap": {"name": "x", "defaultMode": 512, "items": [{"path": "/a"}]}},
            [
                f"{HERE}.configMap.defaultMode: Invalid value: 512: {MODE}",
                f"{HERE}.configMap.items[0].key: Required value",
                f'{HERE}.configMap.items[0].path: Invalid value: "/a": must be a relative path',
            ],
        ),
        (
            {"downwardAPI": {"items": [{"path": "..x"}]}},
            [
                f"{HERE}.downwardAPI.path: Invalid value: \"..x\": must not start with '..'",
                (
                    f"{HERE}.downwardAPI: Required value: one of fieldRef and resourceFieldRef is "
                    "required"
                ),
            ],
        ),
        (
            {
                "projected": {
                    "sources": [
                        {"secret": {"name": "a", "items": [{"key": "k", "path": "p"}]}},
                        {"configMap": {"name": "b", "items": [{"key": "k", "path": "p"}]}},
                    ]
                }
            },
            [f'{HERE}.projected: Invalid value: "b": conflicting duplicate paths'],
        ),
        (
            {"projected": {"sources": [{"secret": {"name": "a"}, "configMap": {"name": "b"}}]}},
            [
                (
                    f"{HERE}.projected.sources[0]: Forbidden: may not specify more than 1 volume "
                    "type per source"
                )
            ],
        ),
        ({"ephemeral": {}}, [f"{HERE}.ephemeral.volumeClaimTemplate: Required value"]),
        (
            {"ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["X"]}}}},
            [
                (
                    f"{HERE}.ephemeral.volumeClaimTemplate.spec.accessModes: Unsupported value: "
                    '"X": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", '
                    '"ReadWriteOncePod"'
                ),
                f"{HERE}.ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value",
            ],
        ),
        (
            {"csi": {"nodePublishSecretRef": {}}},
            [
                f"{HERE}.csi.driver: Required value",
                f"{HERE}.csi.nodePublishSecretRef.name: Required value",
            ],
        ),
        (
            {"persistentVolumeClaim": {}},
            [f"{HERE}.persistentVolumeClaim.claimName: Required value"],
        ),
    ],
)
def test_a_volume_has_one_source_that_makes_sense(source: Any, expected: list[str]) -> None:
    """The kubelet would find out much later."""
    assert refusals("", "pods", a_pod(volumes=[{"name": "v", **source}])) == expected
