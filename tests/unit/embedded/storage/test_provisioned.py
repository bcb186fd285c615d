import pytest

from kubewright.embedded.storage.annotations import PROVISIONED_BY, PROVISIONER
from kubewright.embedded.storage.provisioned import folder_of
from kubewright.kinds.core.v1 import HostPathVolumeSource
from tests.unit.embedded.storage.samples import volume


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("/data/claims/pvc-1_default_data", "pvc-1_default_data"),
        ("/moved/pvc-1_default_data", "pvc-1_default_data"),
        ("/data/claims/pvc-2_default_data", ""),
        ("/home/somebody", ""),
        ("/", ""),
    ],
)
def test_only_the_folder_of_the_volume_itself_is_ours(path: str, folder: str) -> None:
    """It is removed in the end: a volume that names another folder must not remove that."""
    one = volume("pvc-1", host_path=HostPathVolumeSource(path=path))
    one.metadata.annotations[PROVISIONED_BY] = PROVISIONER

    assert folder_of(one) == folder


def test_a_volume_of_a_user_has_no_folder_of_ours() -> None:
    """Whatever it is called."""
    path = HostPathVolumeSource(path="/data/claims/pvc-1_default_data")

    assert folder_of(volume("pvc-1", host_path=path)) == ""
