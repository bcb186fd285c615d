"""`folder_of`: the folder behind a volume, which the node mounts and the provisioner removes."""

from pathlib import PurePosixPath

from kubewright.embedded.storage.annotations import PROVISIONED_BY, PROVISIONER
from kubewright.kinds.core.v1 import PersistentVolume

__all__ = ["folder_of"]


def folder_of(volume: PersistentVolume) -> str:
    """Return the name of the folder of a provisioned *volume*; empty if it is not one of ours.

    Only the name counts, not where it was when the volume was made: a data folder may have moved.
    """
    source, own = volume.spec.host_path, volume.metadata.name
    if volume.metadata.annotations.get(PROVISIONED_BY) != PROVISIONER or source is None:
        return ""
    name = PurePosixPath(source.path).name
    # Anybody who may create volumes could name another folder, which would be deleted in the end.
    return name if own.startswith("pvc-") and name.startswith(f"{own}_") else ""
