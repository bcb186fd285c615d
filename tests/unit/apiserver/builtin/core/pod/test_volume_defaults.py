"""What is filled into volumes."""

import pytest

from kubewright.apiserver.builtin.core.pod.volume_defaults import default_volumes
from tests.unit.apiserver.builtin.workload_samples import Obj


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"emptyDir": {}}),
        ({"secret": {"secretName": "s"}}, {"secret": {"secretName": "s", "defaultMode": 420}}),
        (
            {"configMap": {"name": "s", "defaultMode": 0}},
            {"configMap": {"name": "s", "defaultMode": 0}},
        ),
        ({"hostPath": {"path": "/x"}}, {"hostPath": {"path": "/x", "type": ""}}),
        ({"image": {"reference": "a"}}, {"image": {"reference": "a", "pullPolicy": "Always"}}),
        (
            {"downwardAPI": {"items": [{"path": "a", "fieldRef": {"fieldPath": "metadata.name"}}]}},
            {
                "downwardAPI": {
                    "defaultMode": 420,
                    "items": [
                        {
                            "path": "a",
                            "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"},
                        }
                    ],
                }
            },
        ),
        (
            {"projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
            {
                "projected": {
                    "defaultMode": 420,
                    "sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 3600}}],
                }
            },
        ),
        (
            {"ephemeral": {"volumeClaimTemplate": {}}},
            {
                "ephemeral": {
                    "volumeClaimTemplate": {
                        "metadata": {},
                        "spec": {"resources": {}, "volumeMode": "Filesystem"},
                    }
                }
            },
        ),
    ],
)
def test_each_source_gets_its_own(given: Obj, expected: Obj) -> None:
    """Modes are 0644 unless said otherwise, and zero is said."""
    volume = {"name": "v", **given}

    default_volumes([volume])

    assert volume == {"name": "v", **expected}
