"""The annotations and finalizers by which binder, scheduler and provisioner talk to one another."""

__all__ = [
    "BIND_COMPLETED",
    "BOUND_BY_CONTROLLER",
    "FINALIZER",
    "PROVISIONED_BY",
    "PROVISIONER",
    "SELECTED_NODE",
    "STORAGE_PROVISIONERS",
]

PROVISIONER: str = "kubewright.dev/folder"
"""The provisioner whose volumes are folders of this machine."""

BIND_COMPLETED: str = "pv.kubernetes.io/bind-completed"
"""On a claim: it was bound once, so a missing volume is a lost one."""
BOUND_BY_CONTROLLER: str = "pv.kubernetes.io/bound-by-controller"
"""On a claim or a volume: the binder chose the other side, not the user."""
PROVISIONED_BY: str = "pv.kubernetes.io/provisioned-by"
"""On a volume: who made it, and deletes it."""
STORAGE_PROVISIONERS: tuple[str, ...] = (
    "volume.beta.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/storage-provisioner",
)
"""On a claim: who is asked for a volume."""
SELECTED_NODE: str = "volume.kubernetes.io/selected-node"
"""On a claim: the node that the scheduler has chosen for the pod that uses it."""
FINALIZER: str = "external-provisioner.volume.kubernetes.io/finalizer"
"""On a volume: its provisioner wants to delete what is behind it first."""
