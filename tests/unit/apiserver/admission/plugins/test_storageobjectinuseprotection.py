import pytest

from kubewright.apiserver.admission.plugins.storageobjectinuseprotection import (
    StorageObjectInUseProtection,
)
from tests.unit.apiserver.admission.writes import context, pod_write


@pytest.mark.parametrize(
    ("resource", "finalizer"),
    [
        ("persistentvolumeclaims", "kubernetes.io/pvc-protection"),
        ("persistentvolumes", "kubernetes.io/pv-protection"),
    ],
)
def test_what_holds_data_is_protected_once(resource: str, finalizer: str) -> None:
    """Data is lost only on purpose; the plugin may see an object twice."""
    plugin = StorageObjectInUseProtection(context())
    obj = {"metadata": {"name": "x"}}

    plugin.admit(pod_write(obj, resource=resource))
    plugin.admit(pod_write(obj, resource=resource))

    assert obj["metadata"] == {"name": "x", "finalizers": [finalizer]}
