"""The claims of a pod: it starts only when each of them is bound, as with the kubelet."""

from kubewright.client import Client
from kubewright.embedded.node.volumes.material import Files
from kubewright.embedded.node.volumes.volumes import MountError
from kubewright.embedded.storage.provisioned import folder_of
from kubewright.kinds.core.v1 import PersistentVolume, PersistentVolumeClaim, Pod

__all__ = ["ClaimError", "claim_files", "read_claims"]


class ClaimError(MountError):
    """A claim cannot be used yet."""

    def __str__(self) -> str:
        names = f"[{self.volume}]"
        return (
            f"Unable to attach or mount volumes: unmounted volumes={names}, unattached"
            f" volumes={names}, failed to process volumes={names}: {self.problem}"
        )


async def read_claims(client: Client, pod: Pod) -> dict[str, PersistentVolume]:
    """Return the volumes that the claims of *pod* are bound to, by the names that it uses.

    Raises:
        ClaimError: A claim is missing or not bound.
    """
    found: dict[str, PersistentVolume] = {}
    for volume in pod.spec.volumes:
        source = volume.persistent_volume_claim
        if source is None:
            continue
        namespace, name = pod.metadata.namespace, source.claim_name
        try:
            claim = await _bound_claim(client, namespace, name)
            found[volume.name] = await _volume_of(client, claim)
        except ValueError as error:
            problem = f"error processing PVC {namespace}/{name}: {error}"
            raise ClaimError(volume.name, problem) from None
    return found


async def _bound_claim(client: Client, namespace: str, name: str) -> PersistentVolumeClaim:
    claim = await client.find(PersistentVolumeClaim, name, namespace=namespace)
    if claim is None:
        problem = f'persistentvolumeclaims "{name}" not found'
        raise ValueError(f"failed to fetch PVC from API server: {problem}")
    if claim.metadata.deletion_timestamp is not None:
        raise ValueError("PVC is being deleted")
    if claim.status.phase != "Bound" or not claim.spec.volume_name:
        raise ValueError("PVC is not bound")
    return claim


async def _volume_of(client: Client, claim: PersistentVolumeClaim) -> PersistentVolume:
    name = claim.spec.volume_name or ""
    volume = await client.find(PersistentVolume, name)
    if volume is None:
        problem = f'persistentvolumes "{name}" not found'
        raise ValueError(f"failed to fetch PV {name} from API server: {problem}")
    reference = volume.spec.claim_ref
    if reference is None or reference.uid != claim.metadata.uid:
        raise ValueError(f"PV {name} is bound to another claim")
    return volume


def claim_files(volume: PersistentVolume) -> Files:
    """Return what a pod finds in *volume*.

    Raises:
        ValueError: It is not of this machine.
    """
    spec = volume.spec
    if folder := folder_of(volume):
        return Files(kept=folder)
    if spec.host_path is not None:
        return Files(link=spec.host_path.path, create=spec.host_path.type == "DirectoryOrCreate")
    if spec.local is not None:
        return Files(link=spec.local.path)
    raise ValueError("this kind of volume is not supported by the embedded node")
